import Foundation
package import Glibc
import HTTPTypes
import OutsideCalls
import Running
import StrictJSON
import Vigil

/// The processes of a suite: started in order, watched, and stopped in the reverse order.
package actor Supervisor {
    private struct Member {
        let name: String
        let launch: @Sendable () async throws -> ChildProcess
        var process: ChildProcess
        let log: String
        let stopSignal: Int32
        /// How long stopping may take.
        let patience: Duration
        /// Whether it may end.
        var isDisturbed = false
    }

    private var members: [Member] = []

    /// Creates a supervisor without processes.
    package init() {}

    /// Whether nothing has been started yet.
    package var isEmpty: Bool { members.isEmpty }

    /// Starts a process and watches it from then on.
    /// - Parameter launch: starts it, and starts it again after ``disturb(_:_:)``.
    @discardableResult
    package func start(
        _ name: String, log: String, stopSignal: Int32 = SIGTERM, patience: Duration = .seconds(35),
        by launch: @escaping @Sendable () async throws -> ChildProcess
    ) async throws -> ChildProcess {
        let process = try await launch()
        members.append(
            Member(
                name: name, launch: launch, process: process, log: log, stopSignal: stopSignal, patience: patience))
        return process
    }

    /// Does something to a process that it may not survive, and starts it again if it hasn't.
    package func disturb(_ name: String, _ body: @Sendable (ChildProcess) async throws -> Void) async throws {
        guard let place = members.firstIndex(where: { $0.name == name }) else {
            throw CommandFailure("No process is called \(name).")
        }
        members[place].isDisturbed = true
        defer { members[place].isDisturbed = false }
        try await body(members[place].process)
        if members[place].process.exit != nil { members[place].process = try await members[place].launch() }
    }

    /// The processes by name, in the order of their start.
    package var processes: [(name: String, id: pid_t)] { members.map { ($0.name, $0.process.id) } }

    /// Waits until a process ends unexpectedly, and throws a sentence that names it.
    package func watch() async throws -> Never {
        while true {
            for member in members where !member.isDisturbed {
                guard let exit = member.process.exit else { continue }
                throw CommandFailure(
                    "\(member.name) \(exit)\(Self.lastLine(of: member.log)): the whole log is \(member.log).")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Waits until a service's admin port says that it is ready.
    package static func waitUntilReady(
        _ name: String, at url: String, log: String, within limit: Duration = .seconds(60)
    ) async throws {
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline {
            if (try? await answer(of: url))?.status == .ok { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw CommandFailure("\(name) was not ready within \(limit)\(lastLine(of: log)): the whole log is \(log).")
    }

    /// What a service that is ready says should be repaired.
    package static func warnings(at url: String) async throws -> [String] {
        struct Answer: Decodable {
            let warnings: [String]?
        }
        return try StrictJSON.decode(Answer.self, from: Data(try await answer(of: url).body)).warnings ?? []
    }

    /// Asks an admin port whether the service is ready.
    private static func answer(of url: String) async throws -> OutsideResponse {
        try await OutsideCalls(reach: .direct).send(
            OutsideRequest("\(url)/ready"), within: .seconds(5), limit: 1 << 20)
    }

    /// Stops the running processes, the youngest first, and kills those that don't stop in time.
    ///
    /// Call it last, outside any cancelled task.
    package func stop() async {
        while let member = members.popLast() {
            member.process.send(member.stopSignal)
            if (try? await member.process.end(within: member.patience)) == nil {
                Console.complain("\(member.name) does not stop and is killed; its log is \(member.log).")
                member.process.send(SIGKILL)
                _ = try? await member.process.end()
            }
        }
    }

    /// The last line of a log, as part of a sentence; empty if the log is.
    private static func lastLine(of log: String) -> String {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").last.map { " (last words: \($0.prefix(500)))" } ?? ""
    }
}
