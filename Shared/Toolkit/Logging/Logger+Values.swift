extension Logger {
    /// How much a line matters, lowest first.
    package enum Level: String, CaseIterable, Comparable, Sendable {
        case trace, debug, info, notice, warning, error, critical

        package static func < (left: Level, right: Level) -> Bool { left.severity < right.severity }

        private var severity: Int {
            switch self {
            case .trace: 0
            case .debug: 1
            case .info: 2
            case .notice: 3
            case .warning: 4
            case .error: 5
            case .critical: 6
            }
        }
    }

    /// The text of a line.
    package struct Message: ExpressibleByStringInterpolation, CustomStringConvertible, Hashable, Sendable {
        package let description: String

        /// The text of a literal.
        package init(stringLiteral value: String) {
            description = value
        }
    }

    /// Values by keys, written beside the message.
    package typealias Metadata = [String: MetadataValue]

    /// A value beside the message.
    package enum MetadataValue: Sendable {
        case string(String)
        case stringConvertible(any CustomStringConvertible & Sendable)
        case array([MetadataValue])
        case dictionary(Metadata)
    }
}

extension Logger.MetadataValue: ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral, CustomStringConvertible
{
    /// The text of a literal.
    package init(stringLiteral value: String) {
        self = .string(value)
    }

    /// An array of values.
    package init(arrayLiteral elements: Logger.MetadataValue...) {
        self = .array(elements)
    }

    /// The last value of a repeated key counts.
    package init(dictionaryLiteral elements: (String, Logger.MetadataValue)...) {
        self = .dictionary(Dictionary(elements) { _, last in last })
    }

    package var description: String {
        switch self {
        case .string(let text): text
        case .stringConvertible(let value): value.description
        case .array(let elements): elements.map(\.description).description
        case .dictionary(let members): members.mapValues(\.description).description
        }
    }
}
