import ExposureFormat
import Foundation
import TestSupport
import Testing

/// Lists in CBOR: their paths, rules and bytes.
@Suite("Static lists")
struct StaticListTests {
    @Test(
        "a path determines its list",
        arguments: [
            ("version/v1/ccl/config-v3", StaticList.certificateLogic),
            ("version/v1/ccl/config-v12", .certificateLogic),
            ("version/v1/ehn-dgc/acceptance-rules", .certificateRules),
            ("version/v1/ehn-dgc/invalidation-rules", .certificateRules),
            ("version/v1/booster-notification-rules", .certificateRules),
            ("version/v1/ehn-dgc/onboarded-countries", .onboardedCountries),
        ] as [(String, StaticList)])
    func paths(path: String, list: StaticList) {
        #expect(StaticList(path: path) == list)
        #expect(staticContent(at: path)?.name == list.name)
    }

    @Test(
        "other paths carry none",
        arguments: [
            "", "version/v1/ccl", "version/v1/ccl/config-v", "version/v1/ccl/config-v0", "version/v1/ccl/config-v03",
            "version/v1/ccl/config-v+3", "version/v2/ccl/config-v3", "version/v1/ehn-dgc/booster-notification-rules",
            "version/v1/acceptance-rules", "version/v1/stats",
        ])
    func otherPaths(path: String) {
        #expect(StaticList(path: path) == nil)
    }

    // Of the examples of RFC 8949, appendix A, those that JSON has.
    @Test(
        "values have the bytes of RFC 8949",
        arguments: [
            ("[]", "80"), (#"[{"Identifier": "x"}]"#, "81a16a4964656e7469666965726178"),
            (#"[{"Identifier": "x", "a": 1, "b": [2, 3]}]"#, "81a36161016162820203" + "6a4964656e7469666965726178"),
            (
                #"[{"Identifier": "x", "n": [0, 23, 24, 255, 256, 65536, 4294967296, -1, -24, -25, -9223372036854775808]}]"#,
                "81a2616e8b00171818" + "18ff" + "190100" + "1a00010000" + "1b0000000100000000" + "20" + "37" + "3818"
                    + "3b7fffffffffffffff" + "6a4964656e7469666965726178"
            ),
            (
                #"[{"Identifier": "ü", "n": [1.1, true, false, null]}]"#,
                "81a2616e84fb3ff199999999999af5f4f6" + "6a4964656e74696669657262c3bc"
            ),
        ])
    func encoding(json: String, bytes: String) throws {
        let encoded = try StaticList.certificateRules.encode(json: Array(json.utf8))
        #expect(encoded.map { String(format: "%02x", $0) }.joined() == bytes)
        try StaticList.certificateRules.review(encoded: encoded)
        let decoded = try JSONEncoder().encode(StaticList.certificateRules.json(encoded: encoded))
        let given = try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8))
        #expect(try JSONDecoder().decode(JSONValue.self, from: decoded) == given)
    }

    @Test(
        "other encodings of the same values are read as well: indefinite lengths, short fractions, tags, bytes",
        arguments: [
            ("9fff", "[]"), ("81a1617af93e00", #"[{"z":1.5}]"#), ("81bf617a9f0102ffff", #"[{"z":[1,2]}]"#),
            ("81a1617a7f616161 62ff", #"[{"z":"ab"}]"#), ("81a1617ac11a514b67b0", #"[{"z":1363896240}]"#),
            ("81a1617a43010203", #"[{"z":"AQID"}]"#), ("81a1617afa3fc00000", #"[{"z":1.5}]"#),
            ("81a1617af7", #"[{"z":null}]"#), ("81a1617af90001", #"[{"z":5.960464477539063e-08}]"#),
        ])
    func decoding(hexadecimal: String, json: String) throws {
        let value = try StaticList.certificateRules.json(encoded: bytes(hexadecimal))
        #expect(try value == JSONDecoder().decode(JSONValue.self, from: Data(json.utf8)))
    }

    @Test(
        "bytes that aren't CBOR are refused",
        arguments: [
            "", "81", "8001", "9f", "9f80", "81ff", "9bffffffffffffffff", "5bffffffffffffffff", "81a1", "81a10102",
            "81a2616101616102", "8161ff", "1c", "fc", "f8", "5f6161ff", "62c328",
        ])
    func malformed(hexadecimal: String) {
        #expect(throws: InvalidMessage(["The bytes are not the CBOR that this path carries."])) {
            try StaticList.certificateLogic.review(encoded: bytes(hexadecimal))
        }
    }

    @Test("values that nest too deeply are refused, in CBOR and in JSON")
    func depth() {
        let cbor = [UInt8](repeating: 0x81, count: 1_000_000) + [0x80]
        #expect(throws: InvalidMessage.self) { try StaticList.certificateLogic.review(encoded: cbor) }
        let json = Array(String(repeating: "[", count: 100_000).utf8)
        #expect(throws: InvalidMessage(["The JSON is nested too deeply (line 1)."])) {
            try StaticList.certificateLogic.encode(json: json)
        }
    }

    @Test(
        "a list that apps would refuse is refused",
        arguments: [
            (StaticList.onboardedCountries, "{}", "The list must be an array."),
            (.onboardedCountries, #"["DE", "de"]"#, "[1] must be a country of two capital letters."),
            (.onboardedCountries, "[1]", "[0] must be a country of two capital letters."),
            (.certificateRules, "[[]]", "[0] must be an object."),
            (
                .certificateLogic, #"[{"Identifier": "a"}, {"Identifier": 1}]"#,
                "[1].Identifier must be a text that isn't empty: cwa-app-android and cwa-app-ios refuse the whole list "
                    + "without it."
            ),
            (.certificateLogic, "[{\"a\": 1,\n\"a\": 2}]", "The JSON has \"a\" twice in the same object (line 2)."),
            (.certificateLogic, "[1e999]", "The file is not JSON."),
        ] as [(StaticList, String, String)])
    func rules(list: StaticList, json: String, finding: String) {
        #expect(throws: InvalidMessage([finding])) { try list.encode(json: Array(json.utf8)) }
    }

    @Test("whatever bytes are handed in as a list, they are reviewed without harm", arguments: StaticList.allCases)
    func mutatedBytes(list: StaticList) throws {
        var randomness = SeededGenerator(seed: 0x6C_69_73_74)
        let json = #"[{"Identifier": "x", "Logic": {"a": [1, 2.5, "text", null, true, {"b": -7}]}}]"#
        let bytes = Data(try StaticList.certificateRules.encode(json: Array(json.utf8)))
        for _ in 0..<600 {
            let changed = Array(bytes.mutated(using: &randomness))
            do throws(InvalidMessage) {
                try list.review(encoded: changed)
            } catch {
                #expect(!error.findings.isEmpty)
            }
        }
    }

    private func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = Array(hexadecimal.filter { $0 != " " })
        return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    }
}
