import FoundationEssentials
import HTTPContract
import HTTPTypes
import Testing

@Suite struct EndpointTests {
    private struct Padded: JSONMessage {
        static let schema = JSONSchema.object([:])
        static var headerNames: [HTTPField.Name] { HTTPField.Name("cwa-fake").map { [$0] } ?? [] }
    }

    @Test("an endpoint's route says what a proxy may know")
    func route() {
        let endpoint = Endpoint<Padded, NoContent>(
            .post, "/version/v1/tan", callers: [.metadataProxy], bodyLimit: 1024, success: .created,
            summary: "A TAN.", refusals: [.conflict: "Another one is made."])
        #expect(endpoint.success == .created)
        #expect(endpoint.route.method == .post)
        #expect(endpoint.route.path == "/version/v1/tan")
        #expect(endpoint.route.callers == [.metadataProxy])
        #expect(endpoint.route.bodyLimit == 1024)
        #expect(endpoint.route.requestMedia == .json)
        #expect(endpoint.route.requestHeaders.map(\.canonicalName) == ["cwa-fake"])
        #expect(endpoint.route.responseMedia == nil)
        #expect(endpoint.route.responseHeaders.isEmpty)
        #expect(endpoint.route.errorCodes.isEmpty)
    }

    @Test("an endpoint's route lists what the body of a refusal may say")
    func errorCodes() {
        let codes: Set = [ErrorCode(rawValue: "TOO_OLD"), ErrorCode(rawValue: "USED")]
        let endpoint = Endpoint<Padded, NoContent>(
            .post, "/version/v1/tan", callers: [], bodyLimit: 1024, summary: "A TAN.", errorCodes: codes)
        #expect(endpoint.route.errorCodes == codes)
        #expect(EndpointDescription(endpoint).route.errorCodes == codes)
    }

    @Test("an error code is the only property of a refusal's body")
    func errorBody() {
        #expect(ErrorCode(rawValue: "TOO_OLD").body == #"{"errorCode":"TOO_OLD"}"#)
        let codes: Set = [ErrorCode(rawValue: "USED"), ErrorCode(rawValue: "TOO_OLD")]
        #expect(ErrorCode.schema(of: codes) == .object(["errorCode": .name(in: ["TOO_OLD", "USED"])]))
    }

    @Test("a malformed message and a problem know their answers")
    func problems() {
        #expect(MalformedMessage().problem == .badRequest)
        #expect(Problem.unavailable.problem.retryAfter == 5)
        #expect(Problem.unavailable.code == nil)
        let code = ErrorCode(rawValue: "USED")
        #expect(Problem(.forbidden, code: code).code == code)
        #expect(Problem(.forbidden, code: code) != Problem(.forbidden))
    }

    @Test("a message has the status of its endpoint, unless it says otherwise")
    func status() throws {
        #expect(try Padded().encoded().status == nil)
        #expect(NoContent().encoded().status == nil)
    }
}
