package import Logging
import Synchronization

/// Keeps lines so that a test can look at them. Copies share the lines, and have their own level and metadata.
package struct InMemoryLogHandler: LogHandler {
    package var logLevel = Logger.Level.info
    package var metadata: Logger.Metadata = [:]
    private let kept = Kept()

    private final class Kept: Sendable {
        let entries = Mutex<[Entry]>([])
    }

    /// A kept line.
    package struct Entry: Sendable {
        /// How much it matters.
        package let level: Logger.Level

        /// Its text.
        package let message: Logger.Message

        /// The error that it reports.
        package let error: (any Error)?

        /// The handler's metadata and the line's own, which go first.
        package let metadata: Logger.Metadata
    }

    /// A handler without lines.
    package init() {}

    /// The lines so far, in order.
    package var entries: [Entry] { kept.entries.withLock { $0 } }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { _, given in given }
        let entry = Entry(level: event.level, message: event.message, error: event.error, metadata: all)
        kept.entries.withLock { $0.append(entry) }
    }
}
