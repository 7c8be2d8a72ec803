import Catalogue
import HTTPContract
import HTTPTypes
import Running
import TLS
import TestSupport
import Testing
import Vigil

/// A certificate that every listener's authority has issued, and that may call nothing.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct StrangerTests {
    private static let numbers = [
        "9223372036854775807", "-9223372036854775808", String(repeating: "9", count: 400), "+1", "--", "%00", "%",
        "2020-01-9223372036854775807",
    ]

    /// Garbage for one route, in its path and query.
    private static func targets(_ route: Route) -> [String] {
        numbers.flatMap { number in
            let path = route.path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
                segment.hasPrefix("{") ? number : String(segment)
            }.joined(separator: "/")
            return ["\(path)?batchTag=x&date=\(number)&\(number)=\(number)"]
        }
    }

    @Test("a stranger gets 403 at every operation of every service, whatever garbage they send")
    func strangers() async throws {
        try await InProcessSuite.run(clock: .system) { suite in
            let files = suite.certificate(.prometheus)
            var tried = 0
            for service in Catalogue.services where FrontDoor.all[service.name] != nil {
                for listener in service.listeners where listener.security == .mutualTLS {
                    for route in listener.routes where !route.callers.contains(.prometheus) {
                        for target in Self.targets(route) {
                            let answer = try await send(
                                route.method, suite.url(of: service, listener.name) + target,
                                headers: [("content-type", "application/json")],
                                body: route.requestMedia == nil ? nil : "{\"date\":9e999", tls: files.caller)
                            #expect(answer.status == 403, "\(service.name) \(route.path) \(target)")
                            tried += 1
                        }
                    }
                }
            }
            #expect(tried >= 100)
        }
    }
}
