import ExposureKeys
import Foundation
import HTTPContract
import PushAPI
import Serving
import Synchronization
import TLS
import TestSupport
import Testing

@testable import Distribution

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct AnnouncementTests {
    /// A dispatcher that counts announcements.
    private final class Dispatcher: Sendable {
        let announcements = Mutex(0)

        func run<Result: Sendable>(
            port: Int, certificates: TestCertificates, _ body: () async throws -> Result
        ) async throws -> Result {
            let listener = Listener(
                name: "internal", host: "127.0.0.1", port: port,
                security: .mutualTLS(try certificates.files(role: .pushDispatcher))
            ) { routes in
                routes.on(PushAPI.announce) { _, _ in
                    self.announcements.withLock { $0 += 1 }
                    return NoContent()
                }
            }
            return try await withService(listeners: [listener]) { _ in try await body() }
        }
    }

    @Test("only new packages are announced to the dispatcher, and publication continues if it can't be reached")
    func announces() async throws {
        let certificates = try TestCertificates()
        let files = try certificates.files(role: .distribution)
        let port = TestPort.free()
        let dispatcher = Dispatcher()
        let settings = [
            "push.url": "https://localhost:\(port)", "tls.certificate": files.certificate, "tls.key": files.key,
            "tls.authorities": files.authorities ?? "",
        ]
        try await PublishingStage.run(minimumKeys: 1, settings: settings) { stage in
            try await dispatcher.run(port: port, certificates: certificates) {
                try await stage.fold(Samples.noon, try Samples.keys(0..<2))
                try await stage.publish(through: Samples.noon)
                #expect(dispatcher.announcements.withLock { $0 } == 1)
                try await stage.publish(through: Samples.noon)
                try await stage.fold(Samples.noon.advanced(by: 1), [DiagnosisKey]())
                try await stage.publish(through: Samples.noon.advanced(by: 1))
                #expect(dispatcher.announcements.withLock { $0 } == 1)

                // A run that died when it had decided, before an index said so, is made up for.
                let decided = PublishedHour(
                    hour: Samples.noon.advanced(by: 2), keys: 2, firstEnd: Samples.firstEnd)
                try await stage.fold(decided.hour, try Samples.keys(2..<4))
                try await stage.store.insert(decided)
                let report = try await stage.publish(through: decided.hour)
                #expect(report.newHours == 0)
                #expect(dispatcher.announcements.withLock { $0 } == 2)

                // Packages that lose expired keys wake nobody.
                let expiry = try await stage.publish(through: Samples.day.advanced(by: 12).firstHour)
                #expect(expiry.changes > 0)
                #expect(try stage.keys(of: Samples.noon) == [])
                #expect(dispatcher.announcements.withLock { $0 } == 2)
            }
            try await stage.fold(Samples.noon.advanced(by: 3), try Samples.keys(4..<6))
            try await stage.publish(through: Samples.noon.advanced(by: 3))
            #expect(try stage.keys(of: Samples.noon.advanced(by: 3)) == Samples.data(4..<6))
        }
    }
}
