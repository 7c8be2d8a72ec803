package import Logging
package import Running
import Synchronization

/// Collects everything that was logged, as lines.
package final class CapturedLog: Sendable {
    private struct State {
        var lines: [String] = []
        var waiting: [Waiting] = []
    }

    private struct Waiting {
        let messages: [String]
        let continuation: CheckedContinuation<Void, Never>
    }

    private let state = Mutex(State())

    package var lines: [String] { state.withLock { $0.lines } }

    package init() {}

    package func logger(_ level: Logger.Level = .trace) -> Logger {
        Logger(label: "test") { label in
            JSONLogHandler(label: label, level: level) { self.add($0) }
        }
    }

    private func add(_ line: String) {
        let served = state.withLock { state in
            state.lines.append(line)
            let served = state.waiting.filter { Self.isOne(of: $0.messages, line) }
            state.waiting.removeAll { Self.isOne(of: $0.messages, line) }
            return served
        }
        for waiting in served { waiting.continuation.resume() }
    }

    private static func isOne(of messages: [String], _ line: String) -> Bool {
        messages.contains { line.contains("\"message\":\"\($0)\"") }
    }

    /// Whether a line names this cause.
    package func has(_ cause: LoggedCause) -> Bool { lines.contains { cause.isNamed(in: $0) } }

    /// The lines that call for somebody's attention.
    package var complaints: [String] {
        lines.filter { $0.contains(#""level":"warning""#) || $0.contains(#""level":"error""#) }
    }

    /// Waits for a line with one of these messages, from the last `count` lines on.
    fileprivate func wait(for messages: [String], after count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.lines.dropFirst(count).contains(where: { Self.isOne(of: messages, $0) }) { return true }
                state.waiting.append(Waiting(messages: messages, continuation: continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}

/// A line of the log that says why something ended as it did.
package struct LoggedCause: Sendable {
    private let message: String
    private let metadata: [(key: String, value: String)]

    /// - Parameter metadata: the beginnings of values, by their keys.
    package init(_ message: String, _ metadata: KeyValuePairs<String, String> = [:]) {
        self.message = message
        self.metadata = metadata.map { ($0.key, $0.value) }
    }

    fileprivate func isNamed(in line: String) -> Bool {
        line.contains("\"message\":\"\(message)\"")
            && metadata.allSatisfy { line.contains("\"\($0.key)\":\"\($0.value)") }
    }
}

extension RecurringJob {
    /// Lets the job do its work once, as the service does, and ends it.
    ///
    /// - Parameter log: what its runtime logs to.
    package func runOnce(_ log: CapturedLog) async {
        let before = log.lines.count
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await self.run() }
            await log.wait(for: ["job done", "job failed; retrying"], after: before)
            group.cancelAll()
        }
    }
}
