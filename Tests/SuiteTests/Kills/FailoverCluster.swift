import DevelopmentSuite
import Foundation
import TestSupport

/// Three servers of PostgreSQL that Patroni leads, and two machines for services, which Tests/Live/failover.sh starts.
struct FailoverCluster: Sendable {
    /// What can go wrong, by the names in Tests/Live/failover/cluster.sh.
    enum Fault: String, CaseIterable {
        /// An administrator moves the leader.
        case switchover
        /// The leader's postmaster is killed, and started again.
        case postmaster
        /// Everything on the leader's machine is killed.
        case machine
        /// The leader's machine stands still until another one leads, and then goes on.
        case freeze
        /// The leader doesn't reach the other servers and etcd, but services still reach it.
        case cut
        /// A fifth of the leader's packets is lost.
        case loss
        /// The standby that commits wait for is killed.
        case standby
        /// All of etcd is killed, so that nobody may lead.
        case etcd
        /// The machine that leads etcd stands still, and then goes on.
        case stall
        /// Patroni is killed on the leader's machine and PostgreSQL isn't, so that there are two primaries.
        case orphan
        /// The leader's disk is full.
        case disk
        /// All services on one machine are killed.
        case services
        /// The clock of one machine of services is wrong.
        case clock

        /// Whether clients may not even notice it.
        var isMild: Bool { [.switchover, .postmaster, .loss, .standby, .stall, .services, .clock].contains(self) }
    }

    /// A machine of services, by the name of its network namespace.
    enum Machine: String, CaseIterable {
        case first = "vigil4"
        case second = "vigil5"
    }

    /// The cluster of this run; nil outside of Tests/Live/failover.sh.
    static let current = FailoverCluster(ProcessInfo.processInfo.environment)

    private static let hosts = (1...3).map { "10.77.0.\($0)" }
    private let folder: String
    private let script: String
    /// Whether clients know the servers, rather than a balancer that asks Patroni which one is the primary.
    let isDirect: Bool

    private init?(_ environment: [String: String]) {
        guard let folder = environment["VIGIL_CLUSTER"], let script = environment["VIGIL_CLUSTER_SCRIPT"] else {
            return nil
        }
        self.folder = folder
        self.script = script
        isDirect = environment["VIGIL_DIRECT"] != nil
    }

    /// The superuser's.
    var passwordFile: String { "\(folder)/pgpass" }

    /// A connection string for whichever server leads.
    func connection(user: String, database: String, passwordFile: String) -> String {
        let servers = isDirect ? "host=\(Self.hosts.joined(separator: ",")) port=5432" : "host=127.0.0.1 port=5400"
        return "\(servers) dbname=\(database) user=\(user) passfile=\(passwordFile) target_session_attrs=read-write"
    }

    /// A connection string for one server, while that one is a primary.
    func connection(user: String, database: String, passwordFile: String, server number: Int) -> String {
        "host=\(Self.hosts[number - 1]) port=5432 dbname=\(database) user=\(user) passfile=\(passwordFile) "
            + "target_session_attrs=read-write"
    }

    /// Starts the load balancer in front of the services' ports, and lets both machines reach ports of this one.
    func balance(_ ports: [Int], sharing shared: [Int]) async throws {
        try await run(["balance"] + ports.map(String.init))
        try await run(["share"] + shared.map(String.init))
    }

    /// Lets something go wrong; returns when all three servers are there again.
    func inject(_ fault: Fault) async throws { try await run(["fault", fault.rawValue]) }

    /// A step with a second site, by the names in Tests/Live/failover/second-site.sh.
    enum SiteStep: String {
        /// The second site follows the first one from here on.
        case start
        /// The second site has everything, and gets nothing from here on.
        case cut
        /// All servers of the first site are killed.
        case lose
        /// The second site's server leads.
        case promote
        /// Another server is restored from the archive, up to the cut.
        case restore
    }

    /// Takes a step with a second site; returns when it is done.
    func take(_ step: SiteStep) async throws { try await run(["site", step.rawValue]) }

    /// The superuser's connection string for the server that was restored from the archive.
    func restored(database: String) -> String { "host=\(folder)/restored dbname=\(database) user=postgres" }

    private func run(_ arguments: [String]) async throws {
        let log = "\(folder)/faults.log"
        let exit = try await ChildProcess.run(
            .init(
                "/bin/bash", [script] + arguments, environment: ProcessInfo.processInfo.environment, log: log))
        guard exit == .status(0) else {
            let words = (try? String(contentsOfFile: log, encoding: .utf8))?.suffix(2000) ?? ""
            throw Failure(description: "\(arguments.joined(separator: " ")) \(exit): \(words)")
        }
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
