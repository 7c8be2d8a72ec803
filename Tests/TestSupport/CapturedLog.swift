package import Logging
import Running
import Synchronization

/// Collects everything that was logged, as lines.
package final class CapturedLog: Sendable {
    private let captured = Mutex<[String]>([])

    package var lines: [String] { captured.withLock { $0 } }

    package init() {}

    package func logger(_ level: Logger.Level = .trace) -> Logger {
        Logger(label: "test") { label in
            JSONLogHandler(label: label, level: level) { line in self.captured.withLock { $0.append(line) } }
        }
    }
}
