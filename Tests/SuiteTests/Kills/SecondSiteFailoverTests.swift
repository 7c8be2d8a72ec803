import DevelopmentSuite
import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing
import Vigil

/// Loses a whole site, and goes on at another one that followed asynchronously: deploy/runbook.md, "Two sites".
@Suite(.serialized, .timeLimit(.minutes(30)))
struct SecondSiteFailoverTests {
    @Test func `a lost site costs what wasn't copied yet and the uploads of open hours, and nothing else`() async throws
    {
        let cluster = try #require(FailoverCluster.current)
        try await KillableSuite.run(
            KillableSuite.Member.forUploads, changes: UploadKillTests.changes, on: cluster
        ) { suite in
            try await cluster.take(.start)
            var clock = UploadKillTests.FoldClock()
            let phones = Mutex<UploadingPhones?>(nil)
            let callers = try await RetryingClients.run(4, on: suite) { _ in
                let uploads = try await UploadingPhones.run(4, on: suite) { _ in
                    try await Task.sleep(for: .seconds(5))
                    // The second site goes on following whoever leads.
                    try await cluster.inject(.switchover)
                    try await Task.sleep(for: .seconds(5))
                }
                phones.withLock { $0 = uploads }
            } afterwards: { callers in
                let earlier = try #require(phones.withLock { $0 })
                try await earlier.uploadAgain()
                for _ in 0..<2 { #expect(try await suite.fold(asOf: clock.next())) }

                // Copied, but sealed for an hour that is open.
                let sealed = try await Self.load(suite, for: .seconds(2))
                let copied = try await Self.cut(cluster, from: suite)
                // What comes now isn't copied any more.
                let late = try await Self.load(suite, for: .seconds(4))
                let lost = try await Self.rows(in: suite).reduce(into: [:]) { lost, table in
                    lost[table.key] = Set(table.value).subtracting(copied[table.key] ?? []).count
                }
                #expect(lost.values.reduce(0, +) > 0)

                let began = ContinuousClock.now
                try await cluster.take(.lose)
                try await suite.loseSite()
                try await cluster.take(.promote)
                let promoted = began.duration(to: .now)
                #expect(try await Self.rows(in: suite) == copied)
                let unopened = try await suite.asSuperuser { try Self.forgetOpenHours(in: $0) }
                #expect(unopened >= sealed.outcomes.count)
                try await suite.startAll()
                let recovered = began.duration(to: .now)

                // Everything that was copied is acknowledged still, and everything goes on.
                try await callers.askAgain()
                let phones = try await Self.load(suite, for: .seconds(10))
                for _ in 0..<2 { #expect(try await suite.fold(asOf: clock.next())) }
                let (folded, shared) = (
                    try await UploadKillTests.folded(in: suite), try await UploadKillTests.sharedKeys(in: suite)
                )
                let violations = (earlier.outcomes + phones.outcomes).flatMap {
                    $0.violations(in: folded, shared: shared)
                }
                #expect(violations == [])

                try await cluster.take(.restore)
                let restored = try await TestPostgres.withClient(cluster.restored(database: SuiteDatabase.name)) {
                    try await $0.session { try TestPostgres.rows(in: $0) }
                }
                #expect(restored == copied)
                print(
                    """
                    Promoted after \(promoted), all services ready after \(recovered). Copied and there: \
                    \(copied.values.map(\.count).reduce(0, +)) rows. Lost with \(late.outcomes.count) later uploads: \
                    \(lost.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { "\($0.value) of \($0.key)" }). \
                    Copied and sealed for a lost key: \(unopened). At the second site: \(phones.outcomes.count) uploads.
                    """)
            }
            #expect(callers.violations == [])
        }
    }

    /// Cuts the second site off at a moment at which nothing is being written.
    /// - Returns: every row that it has.
    private static func cut(
        _ cluster: FailoverCluster, from suite: KillableSuite
    ) async throws -> [String: [String]] {
        let before = try await rows(in: suite)
        try await cluster.take(.cut)
        // A job that wrote meanwhile would make it unclear what was copied.
        let after = try await rows(in: suite)
        try #require(before == after)
        return after
    }

    /// Lets phones upload, without an outage.
    private static func load(_ suite: KillableSuite, for duration: Duration) async throws -> UploadingPhones {
        let phones = try await UploadingPhones.run(4, on: suite) { _ in try await Task.sleep(for: duration) }
        try await phones.uploadAgain()
        #expect(!phones.outcomes.isEmpty)
        return phones
    }

    private static func rows(in suite: KillableSuite) async throws -> [String: [String]] {
        try await suite.asSuperuser { try TestPostgres.rows(in: $0) }
    }

    /// The statements of the runbook.
    /// - Returns: how many sealed uploads and donations are lost.
    private static func forgetOpenHours(in session: Session) throws -> Int {
        var unopened = 0
        for schema in ["submission", "donation"] {
            let name = try #require(Identifier(validating: schema))
            try session.execute("DELETE FROM \(identifier: name).hour_key WHERE NOT closed")
            unopened += try session.rows("DELETE FROM \(identifier: name).inbox RETURNING 1", as: Int32.self).count
        }
        return unopened
    }
}
