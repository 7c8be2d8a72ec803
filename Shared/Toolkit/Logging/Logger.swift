/// Writes log lines through a handler.
///
/// A message and its metadata are computed only if the level is logged.
package struct Logger: Sendable {
    /// Receives the lines.
    package var handler: any LogHandler

    /// Names the part of the program that logs.
    package let label: String

    /// A logger that writes plain lines to standard error, for tests and tools.
    package init(label: String) {
        self.init(label: label) { StandardErrorLogHandler(label: $0) }
    }

    /// A logger of a handler of one's own.
    ///
    /// - Parameter makeHandler: receives the label.
    package init(label: String, _ makeHandler: (String) -> any LogHandler) {
        self.label = label
        handler = makeHandler(label)
    }

    /// The lowest level that is written.
    package var logLevel: Level {
        get { handler.logLevel }
        set { handler.logLevel = newValue }
    }

    /// What is written with every line under a key.
    package subscript(metadataKey key: String) -> Metadata.Value? {
        get { handler[metadataKey: key] }
        set { handler[metadataKey: key] = newValue }
    }

    /// Writes a line if its level is at least ``logLevel``.
    package func log(
        level: Level, _ message: @autoclosure () -> Message, error: (any Error)? = nil,
        metadata: @autoclosure () -> Metadata? = nil
    ) {
        guard level >= logLevel else { return }
        handler.log(event: LogEvent(level: level, message: message(), error: error, metadata: metadata()))
    }
}

/// One method for each level.
extension Logger {
    /// Writes every step.
    package func trace(
        _ message: @autoclosure () -> Message, error: (any Error)? = nil,
        metadata: @autoclosure () -> Metadata? = nil
    ) {
        log(level: .trace, message(), error: error, metadata: metadata())
    }

    /// Writes what helps to find a fault.
    package func debug(
        _ message: @autoclosure () -> Message, error: (any Error)? = nil,
        metadata: @autoclosure () -> Metadata? = nil
    ) {
        log(level: .debug, message(), error: error, metadata: metadata())
    }

    /// Writes what is of interest.
    package func info(
        _ message: @autoclosure () -> Message, error: (any Error)? = nil,
        metadata: @autoclosure () -> Metadata? = nil
    ) {
        log(level: .info, message(), error: error, metadata: metadata())
    }

    /// Writes what isn't a fault but worth attention.
    package func notice(
        _ message: @autoclosure () -> Message, error: (any Error)? = nil,
        metadata: @autoclosure () -> Metadata? = nil
    ) {
        log(level: .notice, message(), error: error, metadata: metadata())
    }

    /// Writes what is unusual but does no harm.
    package func warning(
        _ message: @autoclosure () -> Message, error: (any Error)? = nil,
        metadata: @autoclosure () -> Metadata? = nil
    ) {
        log(level: .warning, message(), error: error, metadata: metadata())
    }

    /// Writes what failed.
    package func error(
        _ message: @autoclosure () -> Message, error: (any Error)? = nil,
        metadata: @autoclosure () -> Metadata? = nil
    ) {
        log(level: .error, message(), error: error, metadata: metadata())
    }

    /// Writes what has to be looked at now.
    package func critical(
        _ message: @autoclosure () -> Message, error: (any Error)? = nil,
        metadata: @autoclosure () -> Metadata? = nil
    ) {
        log(level: .critical, message(), error: error, metadata: metadata())
    }
}
