import FoundationEssentials
import Running
import StrictJSON

/// A health authority that may warn the guests of an event, as officers choose it.
struct Authority: Codable, Hashable, Sendable {
    /// The authority's own identifier.
    let number: String
    /// Hostile input, although an administrator wrote it.
    let name: String

    /// The authorities in the file that `authorities` names, a JSON list of objects with `number` and `name`; without it
    /// there are none, and no codes for events.
    static func list(_ settings: Settings) throws(ConfigurationProblem) -> [Authority] {
        guard settings.optionalString("authorities") != nil else { return [] }
        let path = try settings.path("authorities")
        guard let data = try? Data(contentsOf: URL(filePath: path)),
            let list = try? StrictJSON.decode([Authority].self, from: data),
            Set(list.map(\.number)).count == list.count,
            list.allSatisfy({ !$0.number.isEmpty && $0.number.count <= 64 && !$0.name.isEmpty && $0.name.count <= 200 })
        else {
            throw settings.wrong(
                "authorities", "must name a JSON list of objects with a different `number` and a `name` each")
        }
        return list
    }
}
