import Catalogue
import DevelopmentSuite
import Foundation
import Postgres
import Schema
import Synchronization
import TestSupport
import Testing
import Vigil

/// Leaves two primaries, each of which has granted the same lock.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct LeadFailoverTests {
    /// Three processes want to publish, and each knows another server: so that of the orphaned primary never hears of the other one.
    @Test(arguments: [true, false])
    func `of two leaders that both hold the lock one acts; without the fence both do`(isFenced: Bool) async throws {
        let cluster = try #require(FailoverCluster.current)
        let epochs = try await KillableSuite.run([], on: cluster) { suite in
            let role = DatabaseRole.distribution.rawValue
            let file = SuiteSecrets.passwordFile(of: role, in: suite.folder)
            let acts = Acts()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for server in 1...3 {
                    let connection = cluster.connection(
                        user: role, database: SuiteDatabase.name, passwordFile: file, server: server)
                    group.addTask { try await acts.lead(over: connection, isFenced: isFenced) }
                }
                while acts.epochs.isEmpty { try await Task.sleep(for: .milliseconds(20)) }
                try await cluster.inject(.orphan)
                acts.end()
                try await group.waitForAll()
            }
            return acts.epochs
        }
        // Somebody else leads now.
        #expect(Set(epochs).count > 1)
        let late = zip(epochs, epochs.dropFirst()).count { $0 > $1 }
        #expect(isFenced ? late == 0 : late > 0)
        print("\(epochs.count) acts in \(Set(epochs).count) epochs, \(late) of them after one of a later epoch.")
    }
}

/// What leaders do, in the order in which they do it.
private final class Acts: Sendable {
    private let state = Mutex((epochs: [Int64](), isOver: false))

    private static let publishing = AdvisoryLock(
        job: "publish", acquire: "SELECT distribution.take_publishing_lock()")

    /// The epoch of each act.
    var epochs: [Int64] { state.withLock { $0.epochs } }
    private var isOver: Bool { state.withLock { $0.isOver } }

    func end() { state.withLock { $0.isOver = true } }

    /// Acts whenever it leads, until the end.
    func lead(over connection: String, isFenced: Bool) async throws {
        try await TestPostgres.withClient(connection, maximumConnections: 4) { client in
            while !isOver {
                try? await client.exclusively(Self.publishing) { lead in
                    while !self.isOver {
                        if isFenced { try await lead.confirm() }
                        self.state.withLock { $0.epochs.append(lead.epoch) }
                        try await Task.sleep(for: .milliseconds(20))
                    }
                }
                try await Task.sleep(for: .milliseconds(200))
            }
        }
    }
}
