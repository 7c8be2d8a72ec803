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
    }

    @Test("a malformed message and a problem know their answers")
    func problems() {
        #expect(MalformedMessage().problem == .badRequest)
        #expect(Problem.unavailable.problem.retryAfter == 5)
    }
}
