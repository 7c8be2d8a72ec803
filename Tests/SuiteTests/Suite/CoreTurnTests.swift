import Catalogue
import Distribution
import ExposureKeys
import Foundation
import HTTPTypes
import Loop
import PublishedTree
import Running
import SubmissionServer
import TLS
import TestSupport
import Testing
import Vigil

/// A core answers its connections' requests one after the other: what computes on it lets all of them wait.
@Suite(
    .serialized,
    .enabled(if: TestPostgres.isAvailable && SoftHSM.isAvailable, "VIGIL_TEST_POSTGRES or _SOFTHSM is not set"), .heavy,
    .timeLimit(.minutes(5)))
struct CoreTurnTests {
    /// Several times what the handshakes and answers of one turn need in a debug build, and less than a fold or a publication needs. A
    /// single signature would not exceed it.
    private static let bound = Duration.milliseconds(150)

    @Test("no request waits for the fold, compression, signatures in a token or large answers")
    func jobs() async throws {
        let token = try SoftHSM.tokens.get()
        let hour = Day(number: 20_600).firstHour.advanced(by: 12)
        let changes = [
            "fold.fold.smallestSet=8000", "distribution.signing.keys=262/v1=\(token.uri("object=imported"))",
        ]
        try await InProcessSuite.run(
            clock: .offset(by: hour.start.timeIntervalSinceNow), changes: changes
        ) { suite in
            let later = hour.advanced(by: 1).end.addingTimeInterval(60)
            let longest = try await CoreTurns.longest {
                try await suite.run("fold", untilDone: "fold", asOf: later, serve: SubmissionServer.fold)
                try await suite.run("distribution", untilDone: "publish", asOf: later, serve: Distribution.run)
                let large = TreeKey("version/v1/large")
                let file = URL(filePath: suite.folder.published).appending(path: large.file)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(count: 16 << 20).write(to: file)
                let url = try suite.url(of: .downloadServer, .listen) + "/" + large.path
                for _ in 0..<8 {
                    let answer = try await send(.GET, url, tls: ClientTLS(trusting: suite.authorities))
                    #expect(answer.status == 200)
                    #expect(answer.body.utf8.count == 16 << 20)
                }
            }
            #expect(longest < Self.bound)
        }
    }

    @Test("what computes on a core is found: the control")
    func control() async throws {
        let core = Cores(count: 1).all[0]
        let longest = try await CoreTurns.longest(on: [core]) {
            await core.submit {
                let end = CoreTurns.processorTime + Self.bound * 2
                while CoreTurns.processorTime < end {}
            }
        }
        #expect(longest > Self.bound)
    }
}
