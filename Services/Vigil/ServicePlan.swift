import Foundation

/// One process of the suite: what is started, where it listens, and what it is configured with.
package struct ServicePlan: Sendable {
    /// Names the process, its log and its configuration file.
    package let name: String
    /// The executable, which lies beside `vigil`.
    package let executable: String
    /// What the executable is told to do, if it can do several things.
    package let subcommand: [String]
    /// All it listens on, the admin port too.
    package let ports: [SuitePort]
    /// The port that answers `/ready`.
    package let admin: SuitePort
    /// By dotted key, as the service's README lists them.
    package let settings: [String: SettingValue]

    /// The configuration file: dotted keys become nested objects, in alphabetical order.
    package var configurationFile: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(SettingTree(settings)), as: UTF8.self) + "\n"
        }
    }
}

/// A value in a configuration file.
package enum SettingValue: Encodable, Hashable, Sendable {
    case text(String)
    case number(Int)

    /// As a plain JSON value.
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
