package import Logging

/// The log of third-party libraries: warnings and errors only, without their text.
///
/// Hummingbird, SwiftNIO and AsyncHTTPClient put errors, and with them addresses and parts of requests, into their messages.
/// None of that is passed on; the position in the library's source identifies the message.
package struct LibraryLogHandler: LogHandler {
    private var base: any LogHandler

    /// - Parameter base: the handler that receives the lines.
    package init(_ base: any LogHandler) {
        self.base = base
        self.base.metadata = [:]
        self.base.logLevel = max(base.logLevel, .warning)
    }

    package var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }

    package var metadataProvider: Logger.MetadataProvider? {
        get { nil }
        set {}
    }

    package var logLevel: Logger.Level {
        get { base.logLevel }
        set { base.logLevel = max(newValue, .warning) }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    package func log(event: LogEvent) {
        guard event.level >= .warning else { return }
        let file = event.file.split(separator: "/").last.map(String.init) ?? ""
        var event = event
        event.metadata = ["source": "\(event.source)/\(file):\(event.line)"]
        event.message = "a library logged a warning; see its source"
        base.log(event: event)
    }
}
