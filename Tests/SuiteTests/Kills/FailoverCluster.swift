import DevelopmentSuite
import Foundation
import TestSupport

/// Three servers of PostgreSQL that Patroni leads, which Tests/Live/failover.sh starts.
struct FailoverCluster: Sendable {
    /// What can go wrong, by the names in Tests/Live/failover/cluster.sh.
    enum Fault: String, CaseIterable {
        /// An administrator moves the leader.
        case switchover
        /// The leader's postmaster is killed, and started again.
        case postmaster
        /// Everything on the leader's machine is killed.
        case machine
        /// The leader doesn't reach the other servers, but services still reach it.
        case cut
        /// The standby that commits wait for is killed.
        case standby
        /// All of etcd is killed, so that nobody may lead.
        case etcd
    }

    /// The cluster of this run; nil outside of Tests/Live/failover.sh.
    static let current = FailoverCluster(ProcessInfo.processInfo.environment)

    private static let hosts = (1...3).map { "10.77.0.\($0)" }.joined(separator: ",")
    private let folder: String
    private let script: String

    private init?(_ environment: [String: String]) {
        guard let folder = environment["VIGIL_CLUSTER"], let script = environment["VIGIL_CLUSTER_SCRIPT"] else {
            return nil
        }
        self.folder = folder
        self.script = script
    }

    /// The superuser's.
    var passwordFile: String { "\(folder)/pgpass" }

    /// A connection string for whichever server leads.
    func connection(user: String, database: String, passwordFile: String) -> String {
        "host=\(Self.hosts) port=5432 dbname=\(database) user=\(user) passfile=\(passwordFile) target_session_attrs=read-write"
    }

    /// Lets something go wrong; returns when all three servers are there again.
    func inject(_ fault: Fault) async throws {
        let log = "\(folder)/faults.log"
        let exit = try await ChildProcess.run(
            .init(
                "/bin/bash", [script, "fault", fault.rawValue], environment: ProcessInfo.processInfo.environment,
                log: log))
        guard exit == .status(0) else {
            let words = (try? String(contentsOfFile: log, encoding: .utf8))?.suffix(2000) ?? ""
            throw Failure(description: "\(fault.rawValue) \(exit): \(words)")
        }
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
