import Foundation

/// A configuration file in JSON.
package struct SettingsFile {
    /// JSON, with dotted keys as nested objects in alphabetical order.
    package let text: String

    /// Creates the file from settings by dotted key.
    package init(_ settings: [String: SettingValue]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        text = String(decoding: try encoder.encode(SettingTree(settings)), as: UTF8.self) + "\n"
    }
}

/// A value in a configuration file.
package enum SettingValue: Encodable, Hashable, Sendable, CustomStringConvertible {
    case text(String)
    case number(Int)

    package var description: String {
        switch self {
        case .text(let text): text
        case .number(let number): "\(number)"
        }
    }

    /// Encodes the value as plain JSON.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        }
    }
}

private indirect enum SettingTree: Encodable {
    case value(SettingValue)
    case object([String: SettingTree])

    init(_ settings: [String: SettingValue]) {
        let groups = Dictionary(grouping: settings) { $0.key.prefix { $0 != "." } }
        self = .object(
            Dictionary(
                uniqueKeysWithValues: groups.map { name, members in
                    if members.count == 1, let member = members.first, member.key == name {
                        return (String(name), .value(member.value))
                    }
                    let inner = members.map { (String($0.key.dropFirst(name.count + 1)), $0.value) }
                    return (String(name), SettingTree(Dictionary(uniqueKeysWithValues: inner)))
                }))
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .value(let value): try value.encode(to: encoder)
        case .object(let members): try members.encode(to: encoder)
        }
    }
}
