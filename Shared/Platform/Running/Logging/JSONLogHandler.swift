import FoundationEssentials
import Glibc
package import Logging

/// Writes one JSON object per line: `time`, `level`, `logger`, `message`, then `error` and `metadata` if present.
///
/// Of an error, only the type's name is written, because the descriptions of drivers and libraries quote their input.
package struct JSONLogHandler: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var logLevel: Logger.Level
    private let label: String
    private let write: @Sendable (String) -> Void

    /// - Parameter write: receives one line with its newline.
    package init(
        label: String, level: Logger.Level, write: @escaping @Sendable (String) -> Void = JSONLogHandler.standardError
    ) {
        self.label = label
        self.logLevel = level
        self.write = write
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var line = "{\"time\":\"\(Self.timestamp(Date()))\",\"level\":\"\(event.level.rawValue)\",\"logger\":"
        line.appendJSON(label)
        line += ",\"message\":"
        line.appendJSON(event.message.description)
        if let error = event.error {
            line += ",\"error\":"
            line.appendJSON(String(describing: type(of: error)))
        }
        var merged = metadata
        if let given = event.metadata { merged.merge(given) { _, given in given } }
        if !merged.isEmpty {
            line += ",\"metadata\":"
            line.appendJSON(.dictionary(merged))
        }
        line += "}\n"
        write(line)
    }

    /// Writes a line to standard error.
    package static let standardError: @Sendable (String) -> Void = { Console.write($0, to: STDERR_FILENO) }

    private static func timestamp(_ date: Date) -> String {
        let milliseconds = Int((date.timeIntervalSince1970 * 1000).rounded(.down))
        let time = CivilTime(secondsSince1970: milliseconds / 1000)
        return "\(padded(time.year, 4))-\(padded(time.month))-\(padded(time.day))T"
            + "\(padded(time.hour)):\(padded(time.minute)):\(padded(time.second)).\(padded(milliseconds % 1000, 3))Z"
    }
}

extension String {
    fileprivate mutating func appendJSON(_ value: Logger.MetadataValue) {
        switch value {
        case .string(let text): appendJSON(text)
        case .stringConvertible(let number as Int): append(number.description)
        case .stringConvertible(let number as Double) where number.isFinite: append(number.description)
        case .stringConvertible(let flag as Bool): append(flag.description)
        case .stringConvertible(let text): appendJSON(text.description)
        case .array(let elements):
            append("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { append(",") }
                appendJSON(element)
            }
            append("]")
        case .dictionary(let members):
            append("{")
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { append(",") }
                appendJSON(member.key)
                append(":")
                appendJSON(member.value)
            }
            append("}")
        }
    }

    fileprivate mutating func appendJSON(_ text: String) {
        append("\"")
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": append("\\\"")
            case "\\": append("\\\\")
            case "\n": append("\\n")
            case "\r": append("\\r")
            case "\t": append("\\t")
            case "\u{0}"..."\u{1F}":
                append("\\u00")
                append(scalar.value < 16 ? "0" : "1")
                append(String(scalar.value % 16, radix: 16))
            default: unicodeScalars.append(scalar)
            }
        }
        append("\"")
    }
}
