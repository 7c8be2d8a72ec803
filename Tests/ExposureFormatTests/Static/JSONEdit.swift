import Foundation
import Testing

/// One change to a JSON document: what stands at a path is replaced, added, or removed.
struct JSONEdit: Sendable, CustomTestStringConvertible {
    /// Such as `trlFilters[0].dropIfTrlInRange.min`.
    let path: String
    /// JSON; nil to remove.
    let value: String?

    var testDescription: String { "\(path) = \(value ?? "nothing")" }

    func applied(to document: [UInt8]) throws -> [UInt8] {
        let json = try JSONSerialization.jsonObject(with: Data(document))
        let steps = path.replacing("[", with: ".").replacing("]", with: "").split(separator: ".").map(String.init)
        let edited = try #require(try edited(json, steps[...]))
        return Array(try JSONSerialization.data(withJSONObject: edited, options: [.sortedKeys]))
    }

    private func edited(_ json: Any, _ steps: ArraySlice<String>) throws -> Any? {
        let step = try #require(steps.first)
        let rest = steps.dropFirst()
        if var object = json as? [String: Any] {
            object[step] = rest.isEmpty ? try replacement() : try edited(object[step] ?? [String: Any](), rest)
            return object
        }
        var array = try #require(json as? [Any])
        let position = try #require(Int(step))
        try #require(position <= array.count)
        let old = position < array.count ? array[position] : [String: Any]()
        let new = rest.isEmpty ? try replacement() : try edited(old, rest)
        array.replaceSubrange(position..<min(position + 1, array.count), with: new.map { [$0] } ?? [])
        return array
    }

    private func replacement() throws -> Any? {
        try value.map { try JSONSerialization.jsonObject(with: Data($0.utf8), options: .fragmentsAllowed) }
    }

    // MARK: Places

    /// The paths of all values that are neither objects nor arrays, in order.
    static func leaves(of document: [UInt8]) throws -> [(path: String, isText: Bool)] {
        leaves(of: try JSONSerialization.jsonObject(with: Data(document)), at: "")
    }

    private static func leaves(of json: Any, at path: String) -> [(path: String, isText: Bool)] {
        if let object = json as? [String: Any] {
            return object.sorted { $0.key < $1.key }.flatMap { name, value in
                leaves(of: value, at: path.isEmpty ? name : "\(path).\(name)")
            }
        }
        if let array = json as? [Any] {
            return array.enumerated().flatMap { leaves(of: $1, at: "\(path)[\($0)]") }
        }
        return [(path, json is String)]
    }
}
