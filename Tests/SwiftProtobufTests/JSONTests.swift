import Foundation
import Testing

@testable import ExposureFormat
@testable import PushFormat
@testable import SwiftProtobuf
@testable import TraceKeyFormat

@Suite("Messages in JSON")
struct JSONTests {
    private func read<M: Message>(_ json: String, as type: M.Type = M.self) throws -> M {
        try M(jsonUTF8Bytes: Array(json.utf8))
    }

    private func text(_ message: some Message) throws -> String {
        String(decoding: try message.jsonUTF8Bytes(), as: UTF8.self)
    }

    // MARK: Forms

    @Test("fields have the names of JSON, 64-bit numbers are strings, bytes are Base64, enumerations have names")
    func forms() throws {
        let export = TemporaryExposureKeyExport.with {
            $0.startTimestamp = .max
            $0.region = "D\"\\\n\u{1F}/é"
            $0.keys = [
                .with {
                    $0.keyData = Data([0xFB, 0xFF])
                    $0.daysSinceOnsetOfSymptoms = -3
                    $0.reportType = .selfReport
                }
            ]
        }
        #expect(
            try text(export) == #"{"startTimestamp":"18446744073709551615","region":"D\"\\\u000a\u001f/é","#
                + #""keys":[{"keyData":"+/8=","reportType":"SELF_REPORT","daysSinceOnsetOfSymptoms":-3}]}"#)
        #expect(try read(text(export)) == export)
        #expect(try text(PushRegistration.with { $0.pushType = .UNRECOGNIZED(7) }) == #"{"pushType":7}"#)
        #expect(try text(WirePPDDErrorLogSharingParametersIOS()) == "{}")
    }

    @Test("a map's keys are strings, in the order of the numbers")
    func maps() throws {
        let message = WireDiagnosisKeysDataMapping.with { $0.daysSinceOnsetToInfectiousness = [10: 1, -2: 2, 9: 0] }
        #expect(try text(message) == #"{"daysSinceOnsetToInfectiousness":{"-2":2,"9":0,"10":1}}"#)
        #expect(try read(text(message)) == message)
    }

    @Test("numbers that aren't finite have names")
    func reals() throws {
        let names: [(Double, String)] = [(.infinity, "Infinity"), (-.infinity, "-Infinity"), (.nan, "NaN")]
        for (value, name) in names {
            let message = WireRiskCalculationParameters.with { $0.transmissionRiskLevelMultiplier = value }
            #expect(try text(message) == #"{"transmissionRiskLevelMultiplier":"\#(name)"}"#)
            let again: WireRiskCalculationParameters = try read(text(message))
            #expect(again.transmissionRiskLevelMultiplier.bitPattern == value.bitPattern)
        }
    }

    // MARK: Reading

    @Test(
        "other ways to write the same",
        arguments: [
            (#" { "region" : "DE" , "batchNum" : 1 } "#, #"{"region":"DE","batchNum":1}"#),
            (#"{"batch_num":1}"#, #"{"batchNum":1}"#), (#"{"batchNum":"1"}"#, #"{"batchNum":1}"#),
            (#"{"batchNum":1.0}"#, #"{"batchNum":1}"#), (#"{"batchNum":12e2}"#, #"{"batchNum":1200}"#),
            (#"{"batchNum":-0}"#, #"{"batchNum":0}"#), (#"{"startTimestamp":7}"#, #"{"startTimestamp":"7"}"#),
            (#"{"batchNum":null,"keys":null,"region":"x"}"#, #"{"region":"x"}"#), (#"{"keys":[]}"#, "{}"),
            (#"{"keys":[{"keyData":"-_8"}]}"#, #"{"keys":[{"keyData":"+/8="}]}"#),
            (#"{"keys":[{"reportType":3}]}"#, #"{"keys":[{"reportType":"SELF_REPORT"}]}"#),
            (
                #"{"region":"\u0041\ud83d\ude00\/\b\f\n\r\t"}"#,
                "{\"region\":\"A😀/\\u0008\\u000c\\u000a\\u000d\\u0009\"}"
            ),
            (#"{"reg\u0069on":"x"}"#, #"{"region":"x"}"#), (#"{"batchNum":1,"batchNum":2}"#, #"{"batchNum":2}"#),
        ])
    func variants(json: String, same: String) throws {
        #expect(try text(read(json, as: TemporaryExposureKeyExport.self)) == same)
    }

    @Test(
        "what isn't a message is refused, with the reason",
        arguments: [
            ("", .truncated), ("[]", .malformed), ("{}{}", .malformed), ("{} x", .malformed),
            ("{\"region\"", .truncated),
            (#"{"region":"a",}"#, .malformedString), (#"{"region" "a"}"#, .malformed),
            (#"{region:"a"}"#, .malformedString),
            (#"{"region":"a" "batchNum":1}"#, .malformed), (#"{"other":1}"#, .unknownField),
            (#"{"other":null}"#, .unknownField),
            (#"{"Region":"a"}"#, .unknownField), (#"{"batchNum":1.5}"#, .malformedNumber),
            (#"{"batchNum":2147483648}"#, .numberRange), (#"{"batchNum":-2147483649}"#, .numberRange),
            (#"{"batchNum":1e10}"#, .numberRange), (#"{"batchNum":1e999}"#, .numberRange),
            (#"{"batchNum":01}"#, .leadingZero),
            (#"{"batchNum":-}"#, .malformedNumber), (#"{"batchNum":+1}"#, .malformedNumber),
            (#"{"batchNum":.5}"#, .malformedNumber),
            (#"{"batchNum":1.}"#, .malformedNumber), (#"{"batchNum":1e}"#, .malformedNumber),
            (#"{"batchNum":0x1}"#, .malformed),
            (#"{"batchNum":"1}"#, .malformedNumber), (#"{"batchNum":"1 "}"#, .malformedNumber),
            (#"{"batchNum":true}"#, .malformedNumber),
            (#"{"batchNum":[1]}"#, .malformedNumber), (#"{"startTimestamp":-1}"#, .numberRange),
            (#"{"startTimestamp":9007199254740993.0}"#, .numberRange),
            (#"{"startTimestamp":18446744073709551616}"#, .numberRange),
            (#"{"region":5}"#, .malformedString), (#"{"region":"a\x"}"#, .malformedString),
            (#"{"region":"\u12g4"}"#, .malformedString),
            (#"{"region":"\ud800"}"#, .malformedString), (#"{"region":"\udc00"}"#, .malformedString),
            (#"{"region":"\ud800\u0041"}"#, .malformedString), ("{\"region\":\"\u{1}\"}", .malformedString),
            (#"{"keys":{}}"#, .malformed), (#"{"keys":[null]}"#, .illegalNull), (#"{"keys":[{}"#, .truncated),
            (#"{"keys":[{},]}"#, .malformed), (#"{"keys":[1]}"#, .malformed),
            (#"{"keys":[{"keyData":"a*=="}]}"#, .malformedString),
            (#"{"keys":[{"keyData":"abcde"}]}"#, .malformedString),
            (#"{"keys":[{"reportType":"OTHER"}]}"#, .unrecognizedEnumValue),
            (#"{"keys":[{"reportType":9}]}"#, .unrecognizedEnumValue),
            (#"{"keys":[{"reportType":true}]}"#, .malformedNumber),
        ] as [(String, JSONDecodingError)])
    func refusals(json: String, error: JSONDecodingError) {
        #expect(throws: error) { try read(json, as: TemporaryExposureKeyExport.self) }
    }

    @Test(
        "maps and truth values that aren't are refused",
        arguments: [
            (#"{"daysSinceOnsetToInfectiousness":[]}"#, .malformedMap),
            (#"{"daysSinceOnsetToInfectiousness":1}"#, .malformedMap),
            (#"{"daysSinceOnsetToInfectiousness":{1:1}}"#, .unquotedMapKey),
            (#"{"daysSinceOnsetToInfectiousness":{"a":1}}"#, .malformedNumber),
            (#"{"daysSinceOnsetToInfectiousness":{"1":null}}"#, .illegalNull),
            (#"{"daysSinceOnsetToInfectiousness":{"1":1,}}"#, .unquotedMapKey),
            (#"{"daysSinceOnsetToInfectiousness":{"1":1"#, .truncated),
        ] as [(String, JSONDecodingError)])
    func badMaps(json: String, error: JSONDecodingError) {
        #expect(throws: error) { try read(json, as: WireDiagnosisKeysDataMapping.self) }
    }

    @Test("a truth value is a word", arguments: ["1", "\"true\"", "True", "tru"])
    func truth(value: String) {
        #expect(throws: JSONDecodingError.malformedBool) {
            try read("{\"minExclusive\":\(value)}", as: WireRange.self)
        }
    }

    @Test("text that isn't UTF-8 is refused")
    func notText() {
        let json = Array(#"{"region":""#.utf8) + [0xFF] + Array("\"}".utf8)
        #expect(throws: JSONDecodingError.invalidUTF8) { try TemporaryExposureKeyExport(jsonUTF8Bytes: json) }
    }
}
