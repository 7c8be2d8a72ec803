import Credentials
import DonationAPI
import Foundation
import HTTPContract
import HTTPTypes
import SubmissionAPI
import TestResultAPI
import Testing
import VerificationAPI

/// What is not a message is refused with ``MalformedMessage``, and with nothing else.
@Suite struct MalformedTests {
    /// How one kind of message is read, and written and read again.
    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let file: String
        /// Reads a body with the fields of the golden file.
        let read: @Sendable (HTTPFields, Data) throws -> Void

        init<Req: WireMessage & Equatable, Res: WireMessage>(_ endpoint: Endpoint<Req, Res>, _ file: String) {
            testDescription = endpoint.route.path
            self.file = file
            read = { fields, body in
                let message = try Req(fields: fields, body: body)
                let again = try message.encoded()
                #expect(try Req(fields: again.fields, body: again.body) == message)
            }
        }
    }

    static let registrationToken = Kind(VerificationAPI.registrationToken, "registrationToken-guid.request")
    static let testResult = Kind(VerificationAPI.testResult, "testresult.request")
    static let tan = Kind(VerificationAPI.tan, "tan.request")
    static let reservations = Kind(VerificationAPI.reservations, "reservations.request")
    static let confirmations = Kind(VerificationAPI.confirmations, "confirmations.request")
    static let labResults = Kind(TestResultAPI.labResults, "lab-results.request")
    static let appResult = Kind(TestResultAPI.appResult, "app-result.request")
    static let quickTestResults = Kind(TestResultAPI.quickTestResults, "quicktest-results.request")
    static let quickTestResult = Kind(TestResultAPI.quickTestResult, "quicktest-result.request")
    static let pocnatResults = Kind(TestResultAPI.pocnatResults, "pocnat-results.request")
    static let pocnatResult = Kind(TestResultAPI.pocnatResult, "pocnat-result.request")

    static let batches = [labResults, quickTestResults, pocnatResults]
    static let questions = [appResult, quickTestResult, pocnatResult]
    static let json = [registrationToken, testResult, tan, reservations, confirmations] + batches + questions

    @Test(
        "what isn't a JSON object is malformed", arguments: json,
        [
            "", " ", "{", "}", "null", "[]", "7", "\"x\"", "{}", "{\"\":}", "{} {}", "\u{0}", "{'key':1}", "NaN",
            "\u{FEFF}", String(repeating: "[", count: 9000), String(repeating: #"{"a":"#, count: 1500),
            #"{"a":"\ud800"}"#, "{\"a\":1e999}",
        ])
    func noObject(kind: Kind, body: String) {
        #expect(throws: MalformedMessage()) { try kind.read([:], Data(body.utf8)) }
    }

    @Test("a name that stands twice in an object is malformed", arguments: GoldenTests.ours + GoldenTests.foreign)
    func twice(golden: GoldenTests.Golden) throws {
        let body = try WireFile(golden.testDescription).body
        guard golden.schema != nil, let brace = body.firstIndex(of: UInt8(ascii: "{")) else { return }
        func read(_ start: String) throws {
            try golden.read(body[..<brace] + Data("{\(start)".utf8) + body[(brace + 1)...])
        }
        let quoted = String(decoding: body[(brace + 1)...], as: UTF8.self).split(
            separator: "\"", omittingEmptySubsequences: false)
        // An empty object has none.
        guard quoted.count > 1 else { return }
        let name = quoted[1]
        try read(#""another":0,"#)
        for start in [#""another":0,"another":0,"#, #""another":0,"\u0061nother":0,"#, "\"\(name)\":0,"] {
            #expect(throws: MalformedMessage()) { try read(start) }
        }
    }

    @Test("bytes that aren't UTF-8 are malformed", arguments: json)
    func noText(kind: Kind) throws {
        let file = try WireFile(kind.file)
        var body = file.body
        // In the middle of an id, a token or a TAN.
        let value = try #require(
            [Samples.guidText, Self.token, try Samples().tan.text].lazy.compactMap {
                body.firstRange(of: Data($0.utf8))
            }
            .first)
        body.replaceSubrange(value.lowerBound + 20..<value.lowerBound + 22, with: [0xc3, 0x28])
        #expect(throws: MalformedMessage()) { try kind.read(file.fields, body) }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let kind: Kind
        let body: String
        var testDescription: String { "\(kind.testDescription) \(body.prefix(120))" }

        init(_ kind: Kind, _ body: String) {
            self.kind = kind
            self.body = body
        }
    }

    private static let guid = Samples.guidText
    private static let token = "63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f"
    private static let tag = String(repeating: "ab", count: 32)

    static let cases: [Case] =
        [
            #"{"key":"\#(guid)"}"#, #"{"keyType":"GUID"}"#, #"{"key":"\#(guid)","keyType":"QRCode"}"#,
            #"{"key":"\#(guid)","keyType":"guid"}"#, #"{"key":"\#(guid)","keyType":"TELETAN"}"#,
            #"{"key":"\#(guid)","keyType":null}"#, #"{"key":null,"keyType":"GUID"}"#, #"{"key":7,"keyType":"GUID"}"#,
            #"{"key":["\#(guid)"],"keyType":"GUID"}"#, #"{"key":"\#(guid.dropLast())","keyType":"GUID"}"#,
            #"{"key":"\#(guid)0","keyType":"GUID"}"#, #"{"key":" \#(guid.dropLast())","keyType":"GUID"}"#,
            #"{"key":"x\#(guid.dropFirst())","keyType":"GUID"}"#, #"{"key":"\#(guid.dropLast())g","keyType":"GUID"}"#,
            #"{"key":"FE9A5MAK6D","keyType":"TELETAN"}"#, #"{"key":"fe9a5mak6c","keyType":"TELETAN"}"#,
            #"{"key":"FE9A5MAK6","keyType":"TELETAN"}"#, #"{"key":"FE9A5MAK6C ","keyType":"TELETAN"}"#,
            #"{"key":"","keyType":"TELETAN"}"#, #"{"Key":"\#(guid)","keyType":"GUID"}"#,
        ].map { Case(registrationToken, $0) }
        + [testResult, tan].flatMap { kind in
            [
                #"{"registrationToken":null}"#, #"{"registrationToken":7}"#, #"{"registrationToken":""}"#,
                #"{"registrationToken":"\#(token.uppercased())"}"#, #"{"registrationToken":"\#(token) "}"#,
                #"{"registrationToken":"00000000-0000-0000-0000-000000000000"}"#,
                #"{"registrationToken":"63b4d3ff-e0de-1bd4-90c1-17c2bb683a2f"}"#,
                #"{"registrationToken":"63b4d3ffe0de4bd490c117c2bb683a2f"}"#, #"{"registrationtoken":"\#(token)"}"#,
                #"{"registrationToken":{"text":"\#(token)"}}"#,
            ].map { Case(kind, $0) }
        }
        + [
            #"{"reservations":null}"#, #"{"reservations":{}}"#, #"{"reservations":[{}]}"#, #"{"reservations":[null]}"#,
            #"{"reservations":[{"tan":"\#(token)","tag":"\#(tag)"}]}"#,
            #"{"reservations":[{"tan":"\#(token)","tag":"\#(tag)","purpose":"OTHER"}]}"#,
            #"{"reservations":[{"tan":"\#(token)","tag":"\#(tag.dropLast())","purpose":"ON_BEHALF"}]}"#,
            #"{"reservations":[{"tan":"\#(token)","tag":"\#(tag)00","purpose":"ON_BEHALF"}]}"#,
            #"{"reservations":[{"tan":"x","tag":"\#(tag)","purpose":"ON_BEHALF"}]}"#,
        ].map { Case(reservations, $0) }
        + [
            #"{"confirmations":[{"tan":"\#(token)"}]}"#, #"{"confirmations":[{"tag":"\#(tag)"}]}"#,
            #"{"confirmations":[{"tan":"\#(token)","tag":""}]}"#,
        ].map { Case(confirmations, $0) }
        + [
            #"{"testResults":[{"id":"\#(guid)"}]}"#, #"{"testResults":[{"result":1}]}"#,
            #"{"testResults":[{"id":"\#(guid)","result":15}]}"#, #"{"testResults":[{"id":"\#(guid)","result":-1}]}"#,
            #"{"testResults":[{"id":"\#(guid)","result":"1.0"}]}"#,
            #"{"testResults":[{"id":"\#(guid)","result":1.5}]}"#,
            #"{"testResults":[{"id":"\#(guid)","result":""}]}"#, #"{"testResults":[{"id":"\#(guid)","result":true}]}"#,
            #"{"testResults":[{"id":"\#(guid)","result":null}]}"#,
            #"{"testResults":[{"id":"\#(guid)","result":[1]}]}"#,
            #"{"testResults":{"id":"\#(guid)","result":1}}"#, #"{"testResults":[{"id":777,"result":1}]}"#,
            #"{"testResults":[{"id":"\#(guid)","result":1,"sc":1779796800000}]}"#,
            #"{"testResults":[{"id":"\#(guid)","result":1,"sc":"now"}]}"#,
            #"{"testResults":[{"id":"\#(guid)","result":1,"sc":1e300}]}"#,
            #"{"testResults":[{"id":"\#(guid)","result":1,"sc":"1.5"}]}"#,
            #"{"testResults":[{"id":"\#(guid)","result":1,"sc":false}]}"#,
            #"{"testResults":[{"id":"","result":1}]}"#, #"{"testResults":[{"id":"\#(guid)","result":1}],"labId":7.5}"#,
            #"{"testResults":[{"id":"\#(guid)","result":1}],"labId":["lab-7"]}"#,
            #"{"testResults":"\#(guid)"}"#, #"{"labId":"lab-7"}"#,
        ].flatMap { body in batches.map { Case($0, body) } }
        + [#"{"id":null}"#, #"{"id":""}"#, #"{"id":"\#(guid)0"}"#, #"{"id":["\#(guid)"]}"#]
        .flatMap { body in questions.map { Case($0, body) } }

    @Test("what breaks the contract of its endpoint is malformed", arguments: cases)
    func malformed(_ wrong: Case) {
        #expect(throws: MalformedMessage()) { try wrong.kind.read([:], Data(wrong.body.utf8)) }
    }

    @Test(
        "a wish for a teleTAN without a bearer token or with another type is malformed",
        arguments: [
            [:], [.authorization: ""], [.authorization: "Basic abc"], [.authorization: "Bearer"],
            [.authorization: "eyJ.eyJ.sig"], [.authorization: "Bearer x", .teleTANType: "test"],
            [.authorization: "Bearer x", .teleTANType: ""], [.authorization: "Bearer x", .teleTANType: "TEST, EVENT"],
            [.teleTANType: "TEST"], [.authorization: "Bearer x", .idempotencyKey: "short"],
        ] as [HTTPFields])
    func teleTAN(fields: HTTPFields) {
        #expect(throws: MalformedMessage()) { try TeleTANRequest(fields: fields, body: Data()) }
    }

    @Test("a bearer token's scheme may be written in any case", arguments: ["Bearer x", "bearer x", "BEARER x"])
    func bearer(authorization: String) throws {
        #expect(try TeleTANRequest(fields: [.authorization: authorization], body: Data()).officerToken == "x")
    }

    @Test(
        "an upload whose cwa-fake is no number is malformed", arguments: [nil, "", "x", "1.0", "0x1", " "] as [String?])
    func upload(value: String?) {
        var fields: HTTPFields = [.cwaAuthorization: Self.token]
        fields[.cwaFake] = value
        #expect(throws: MalformedMessage()) { try UploadRequest(fields: fields, body: Data()) }
    }

    @Test("a donation whose cwa-fake is no number is malformed", arguments: ["", "x", "1.0", "0x1", " "])
    func donation(value: String) {
        #expect(throws: MalformedMessage()) { try DonationBody(fields: [.cwaFake: value], body: Data()) }
    }

    @Test(
        "a redemption without a password, or with a key that is none, is malformed",
        arguments: [
            ("{}", nil), (#"{"otp":null}"#, nil), (#"{"otp":7}"#, nil), (#"["otp"]"#, nil), ("", nil),
            (#"{"otp":"\#(token)"}"#, "short"), (#"{"otp":"\#(token)"}"#, ""),
        ] as [(String, String?)])
    func redemption(body: String, key: String?) {
        var fields = HTTPFields()
        fields[.idempotencyKey] = key
        #expect(throws: MalformedMessage()) { try RedemptionRequest(fields: fields, body: Data(body.utf8)) }
    }

    @Test(
        "an answer to a redemption without a part, or with an unknown state, is malformed",
        arguments: [
            #"{"otp":"\#(token)","strongClientIntegrityCheck":true}"#,
            #"{"otp":"\#(token)","state":"VALID","strongClientIntegrityCheck":true}"#,
            #"{"otp":"\#(token)","state":"valid"}"#,
        ])
    func redemptionAnswer(body: String) {
        #expect(throws: MalformedMessage()) { try RedemptionAnswer(fields: [:], body: Data(body.utf8)) }
    }

    @Test(
        "a batch of redemptions without a part, or with a key that is none, is malformed",
        arguments: [
            "{}", #"{"redemptions":{}}"#, #"{"redemptions":[{"otp":"\#(token)"}]}"#,
            #"{"redemptions":[{"idempotencyKey":"8e03978e-40d5-43dd-bc93-6894a57f9324"}]}"#,
            #"{"redemptions":[{"idempotencyKey":"short","otp":"\#(token)"}]}"#,
            #"{"redemptions":[{"idempotencyKey":null,"otp":"\#(token)"}]}"#,
        ])
    func redemptions(body: String) {
        #expect(throws: MalformedMessage()) { try ReportRedemptions(fields: [:], body: Data(body.utf8)) }
    }

    @Test(
        "an answer to a batch of redemptions with anything but booleans is malformed",
        arguments: [
            "{}", #"{"redeemed":true}"#, #"{"redeemed":[null]}"#, #"{"redeemed":["true"]}"#, #"{"redeemed":[1]}"#,
        ])
    func redeemed(body: String) {
        #expect(throws: MalformedMessage()) { try RedeemedReports(fields: [:], body: Data(body.utf8)) }
    }

    @Test(
        "an answer to an upload without its numbers is malformed",
        arguments: [[:], [.savedCheckIns: "1"], [.filteredCheckIns: "x", .savedCheckIns: "1"]] as [HTTPFields])
    func uploadAnswer(fields: HTTPFields) {
        #expect(throws: MalformedMessage()) { try UploadAccepted(fields: fields, body: Data()) }
    }
}
