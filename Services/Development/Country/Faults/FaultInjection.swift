import Catalogue
import DevelopmentSuite
import Foundation
import Glibc
import Running
import Vigil

/// Makes faults happen to a running suite.
struct FaultInjection: Sendable {
    private let suite: SuiteRun.Stage

    /// How long a service is gone, and how long a disk is full.
    private static let absence = Duration.seconds(1)

    /// - Parameter suite: is running.
    init(_ suite: SuiteRun.Stage) { self.suite = suite }

    /// Lets a fault happen, and waits until all services are ready again. The laboratory and the clock are the driver's own.
    /// - Parameter entry: nil for none.
    func strike(_ entry: FaultSchedule.Entry?) async throws {
        guard let entry else { return }
        try await Task.sleep(for: .milliseconds(entry.delay))
        switch entry.fault {
        case .kill:
            let services = suite.plan.services.filter { !$0.service.isSimulator }.map(\.name)
            try await end(services[entry.choice % services.count], with: SIGKILL)
        case .database: try await end(Self.database, with: SIGQUIT)
        case .proxy:
            try await suite.supervisor.disturb("metadata-proxy") { process in
                process.send(SIGKILL)
                _ = try await process.end()
                try await Task.sleep(for: Self.absence)
            }
        case .disk:
            try await suite.supervisor.disturb(entry.slot == 0 ? "distribution" : Self.database) {
                try await failWrites(of: $0.id)
            }
        case .laboratory, .clock: return
        }
        for service in suite.plan.services {
            try await Supervisor.waitUntilReady(
                service.name, at: suite.plan.adminURL(of: service), log: suite.plan.folder.log(service.name))
        }
    }

    /// The supervisor's name of PostgreSQL.
    private static let database = "PostgreSQL"

    private func end(_ name: String, with signal: Int32) async throws {
        try await suite.supervisor.disturb(name) { process in
            process.send(signal)
            _ = try await process.end()
        }
    }

    /// For a moment no file of a process and its children can be written or synced. Pipes and sockets work (strace(1), "inject").
    private func failWrites(of process: pid_t) async throws {
        let strace = "/usr/bin/strace"
        guard FileManager.default.isExecutableFile(atPath: strace) else {
            throw CommandFailure("The fault disk needs \(strace): install the package strace.")
        }
        let calls = "pwrite64,pwritev,fsync,fdatasync,fallocate"
        let processes = [process] + Self.children(of: process)
        let tracer = try await ChildProcess.start(
            ChildProcess.Program(
                strace,
                [
                    "--follow-forks", "--quiet=all", "--output=/dev/null", "--trace=\(calls)",
                    "--inject=\(calls):error=ENOSPC",
                ]
                    + processes.map { "--attach=\($0)" }))
        do {
            try await Task.sleep(for: Self.absence)
            tracer.send(SIGTERM)
            _ = try await tracer.end()
        } catch {
            tracer.send(SIGTERM)
            throw error
        }
    }

    static func children(of process: pid_t) -> [pid_t] {
        let names = try? String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
        return (names ?? "").split(separator: " ").compactMap { pid_t($0) }
    }
}
