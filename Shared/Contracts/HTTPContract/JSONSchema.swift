/// A schema for JSON, in the subset of JSON Schema (2020-12) that the contracts need.
///
/// A schema allows no more than the server accepts: a violation is answered with 400. It may allow values that are refused
/// nevertheless, such as a teleTAN with a wrong check character.
package struct JSONSchema: Hashable, Sendable {
    /// The schema as it appears in a document.
    package let json: JSONValue

    private init(_ keywords: [String: JSONValue]) { json = .object(keywords) }

    /// Any value; the server ignores it.
    package static let ignored = JSONSchema(["description": "Ignored."])

    /// A whole number of any size.
    package static let wholeNumber = JSONSchema(["type": "integer"])

    /// Any number.
    package static let number = JSONSchema(["type": "number"])

    /// Bytes in Base64, with padding.
    package static let base64 = text(pattern: "([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")

    /// True or false.
    package static let boolean = JSONSchema(["type": "boolean"])

    /// A whole number within inclusive bounds.
    package static func integer(in range: ClosedRange<Int>) -> JSONSchema {
        JSONSchema(["type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)])
    }

    /// A number within inclusive bounds.
    package static func number(in range: ClosedRange<Int>) -> JSONSchema {
        JSONSchema(["type": "number", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)])
    }

    /// A string.
    ///
    /// - Parameters:
    ///   - pattern: matches the whole string, in the syntax that ECMA-262 and the tools' languages share.
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

    /// Whether a text has this schema's pattern and length; true for schemas that aren't a string's.
    package func allows(_ text: String) -> Bool {
        guard case .object(let keywords) = json else { return true }
        if case .string(let pattern) = keywords["pattern"] {
            guard let regex = try? Regex(pattern).matchingSemantics(.unicodeScalar),
                (try? regex.wholeMatch(in: text)) != nil
            else { return false }
        }
        let count = text.unicodeScalars.count
        if case .integer(let least) = keywords["minLength"], count < least { return false }
        if case .integer(let most) = keywords["maxLength"], count > most { return false }
        return true
    }

    /// One of an enumeration's names.
    package static func name<Names: CaseIterable & RawRepresentable<String>>(of names: Names.Type) -> JSONSchema {
        name(in: Names.allCases.map(\.rawValue))
    }

    /// One of these names.
    package static func name(in names: [String]) -> JSONSchema {
        JSONSchema(["type": "string", "enum": .array(names.map { .string($0) })])
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

    /// An object. Properties that aren't named are allowed and ignored; optional ones may also be null.
    package static func object(
        _ required: [String: JSONSchema], optional: [String: JSONSchema] = [:]
    ) -> JSONSchema {
        let properties = required.mapValues(\.json).merging(optional.mapValues(\.orNull.json)) { $1 }
        return JSONSchema([
            "type": "object", "properties": .object(properties),
            "required": .array(required.keys.sorted().map { .string($0) }),
        ])
    }

    /// A value that matches one of these schemas.
    package static func any(of alternatives: JSONSchema...) -> JSONSchema {
        JSONSchema(["anyOf": .array(alternatives.map(\.json))])
    }

    private var orNull: JSONSchema {
        self == .ignored ? self : .any(of: self, JSONSchema(["type": "null"]))
    }
}

/// The schema of a header field of a message, or of a parameter of its path or query.
package struct FieldSchema: Hashable, Sendable {
    /// The type that the text is read as.
    package let schema: JSONSchema
    /// Whether the field is required; without it, a message is malformed.
    package let isRequired: Bool

    /// A required field.
    package static func required(_ schema: JSONSchema) -> FieldSchema { FieldSchema(schema: schema, isRequired: true) }
    /// An optional field.
    package static func optional(_ schema: JSONSchema) -> FieldSchema { FieldSchema(schema: schema, isRequired: false) }
}
