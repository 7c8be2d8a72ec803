/// Writes lines somewhere. A value: a change of level or metadata concerns the logger that it was made on.
package protocol LogHandler: Sendable {
    /// The lowest level that is written.
    var logLevel: Logger.Level { get set }

    /// What is written with every line.
    var metadata: Logger.Metadata { get set }

    /// What is written with every line under a key.
    subscript(metadataKey key: String) -> Logger.Metadata.Value? { get set }

    /// Writes a line; the logger has compared its level.
    func log(event: LogEvent)
}

/// One line before it is written.
package struct LogEvent: Sendable {
    /// How much it matters.
    package let level: Logger.Level

    /// Its text.
    package let message: Logger.Message

    /// The error that it reports. A handler decides what of it may be written.
    package let error: (any Error)?

    /// What was given with the line itself; it goes before the handler's own.
    package let metadata: Logger.Metadata?
}

/// Writes nothing.
package struct SwiftLogNoOpLogHandler: LogHandler {
    /// A handler that drops every line.
    package init() {}

    package var logLevel: Logger.Level {
        get { .critical }
        set {}
    }

    package var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    package func log(event: LogEvent) {}
}
