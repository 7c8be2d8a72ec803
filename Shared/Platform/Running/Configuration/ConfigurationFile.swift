import FoundationEssentials
import StrictJSON

/// A JSON configuration file as flat, dotted keys: `{"postgres": {"connection": "…"}}` is `postgres.connection`.
///
/// Lists become comma-separated values, so that the file and the environment use the same form.
struct ConfigurationFile {
    private(set) var values: [String: String] = [:]

    init(path: String) throws(ConfigurationProblem) {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw ConfigurationProblem("The configuration file \(path) can't be read; check --config.")
        }
        let root: Node
        do {
            root = try StrictJSON.decode(Node.self, from: data)
        } catch {
            throw ConfigurationProblem(
                "The configuration file \(path) is not valid JSON, or an object has a name twice.")
        }
        guard case .object(let members) = root else {
            throw ConfigurationProblem("The configuration file \(path) must hold one JSON object.")
        }
        for (key, node) in members {
            try add(node, at: key, path: path)
        }
    }

    private mutating func add(_ node: Node, at key: String, path: String) throws(ConfigurationProblem) {
        switch node {
        case .object(let members):
            for (name, member) in members {
                try add(member, at: "\(key).\(name)", path: path)
            }
        case .list(let elements):
            var texts: [String] = []
            for element in elements {
                guard case .scalar(let text) = element else {
                    throw ConfigurationProblem("\(key) in \(path) must be a list of plain values.")
                }
                texts.append(text)
            }
            values[key] = texts.joined(separator: ",")
        case .scalar(let text):
            values[key] = text
        }
    }

    private enum Node: Decodable {
        case object([String: Node])
        case list([Node])
        case scalar(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let members = try? container.decode([String: Node].self) {
                self = .object(members)
            } else if let elements = try? container.decode([Node].self) {
                self = .list(elements)
            } else if let text = try? container.decode(String.self) {
                self = .scalar(text)
            } else if let flag = try? container.decode(Bool.self) {
                self = .scalar(flag ? "true" : "false")
            } else if let number = try? container.decode(Int.self) {
                self = .scalar(String(number))
            } else {
                self = .scalar(String(try container.decode(Double.self)))
            }
        }
    }
}
