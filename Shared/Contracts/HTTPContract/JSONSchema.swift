/// What JSON a server takes or gives, in the few words of JSON Schema (2020-12) that the contracts need.
///
/// A schema allows no more than the server takes: what breaks it is answered with 400. It may allow what is refused all
/// the same, such as a teleTAN whose check character is wrong.
package struct JSONSchema: Hashable, Sendable {
    /// The schema as it stands in a document.
    package let json: JSONValue

    private init(_ keywords: [String: JSONValue]) { json = .object(keywords) }

    /// Whatever a client likes to send; it is ignored.
    package static let ignored = JSONSchema(["description": "Ignored."])

    /// A whole number of any size.
    package static let wholeNumber = JSONSchema(["type": "integer"])

    /// A whole number within bounds, both allowed.
    package static func integer(in range: ClosedRange<Int>) -> JSONSchema {
        JSONSchema(["type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)])
    }

    /// A string.
    ///
    /// - Parameters:
    ///   - pattern: what the whole string must match, in the syntax that ECMA-262 and the tools' languages share.
    ///   - count: how many Unicode scalars it may have.
    ///   - examples: shown to readers, and tried by tools.
    package static func text(
        pattern: String? = nil, count: ClosedRange<Int>? = nil, examples: [String] = []
    ) -> JSONSchema {
        var keywords: [String: JSONValue] = ["type": "string"]
        if let pattern { keywords["pattern"] = .string("^\(pattern)$") }
        if let count {
            keywords["minLength"] = .integer(count.lowerBound)
            keywords["maxLength"] = .integer(count.upperBound)
        }
        if !examples.isEmpty { keywords["examples"] = .array(examples.map { .string($0) }) }
        return JSONSchema(keywords)
    }

    /// One of the names of an enumeration.
    package static func name<Names: CaseIterable & RawRepresentable<String>>(of names: Names.Type) -> JSONSchema {
        JSONSchema(["type": "string", "enum": .array(Names.allCases.map { .string($0.rawValue) })])
    }

    /// Exactly this string.
    package static func constant(_ text: String) -> JSONSchema {
        JSONSchema(["const": .string(text)])
    }

    /// An array.
    package static func array(of element: JSONSchema, count: ClosedRange<Int>) -> JSONSchema {
        JSONSchema([
            "type": "array", "items": element.json, "minItems": .integer(count.lowerBound),
            "maxItems": .integer(count.upperBound),
        ])
    }

    /// An object. Properties that are not named are allowed, and ignored; optional ones may also be null.
    package static func object(
        _ required: [String: JSONSchema], optional: [String: JSONSchema] = [:]
    ) -> JSONSchema {
        let properties = required.mapValues(\.json).merging(optional.mapValues(\.orNull.json)) { $1 }
        return JSONSchema([
            "type": "object", "properties": .object(properties),
            "required": .array(required.keys.sorted().map { .string($0) }),
        ])
    }

    /// What matches one of these.
    package static func any(of alternatives: JSONSchema...) -> JSONSchema {
        JSONSchema(["anyOf": .array(alternatives.map(\.json))])
    }

    private var orNull: JSONSchema {
        self == .ignored ? self : .any(of: self, JSONSchema(["type": "null"]))
    }
}

/// What a header field of a message, or a parameter of its path or query, may hold.
package struct FieldSchema: Hashable, Sendable {
    /// The text is read as the schema's type.
    package let schema: JSONSchema
    /// Whether a message without it is malformed.
    package let isRequired: Bool

    /// A field without which a message is malformed.
    package static func required(_ schema: JSONSchema) -> FieldSchema { FieldSchema(schema: schema, isRequired: true) }
    /// A field that may be missing.
    package static func optional(_ schema: JSONSchema) -> FieldSchema { FieldSchema(schema: schema, isRequired: false) }
}
