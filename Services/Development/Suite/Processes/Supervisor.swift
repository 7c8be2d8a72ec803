import AsyncHTTPClient
import Foundation
import Glibc
import NIOCore
import NIOHTTP1
import Running
import Vigil

/// The processes of a suite: started in order, watched, and stopped in the reverse order.
package actor Supervisor {
    private struct Member {
        let name: String
        let process: ChildProcess
        let log: String
        let stopSignal: Int32
        /// How long it may take to stop.
        let patience: Duration
    }

    private var members: [Member] = []

    /// With no process yet.
    package init() {}

    /// Whether nothing was started yet.
    package var isEmpty: Bool { members.isEmpty }

    /// Adds a process that was started.
    package func add(
        _ process: ChildProcess, name: String, log: String, stopSignal: Int32 = SIGTERM,
        patience: Duration = .seconds(35)
    ) {
        members.append(Member(name: name, process: process, log: log, stopSignal: stopSignal, patience: patience))
    }

    /// Waits until a process ends by itself, and throws a sentence that says which.
    package func watch() async throws -> Never {
        while true {
            for member in members {
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
            let answer = try? await HTTPClient.shared.execute(
                HTTPClientRequest(url: "\(url)/ready"), timeout: .seconds(5))
            if answer?.status == .ok { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw CommandFailure("\(name) was not ready within \(limit)\(lastLine(of: log)): the whole log is \(log).")
    }

    /// Stops what runs, the youngest first; what doesn't stop in time is killed. To be called once all else is over,
    /// outside any cancelled task.
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

    /// What a log ends with, as part of a sentence; nothing if it is empty.
    private static func lastLine(of log: String) -> String {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").last.map { " (last words: \($0.prefix(500)))" } ?? ""
    }
}
