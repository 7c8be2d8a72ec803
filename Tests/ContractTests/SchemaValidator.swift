import Foundation
import HTTPContract

/// Says what is wrong with a JSON value, by the keywords of JSON Schema that ``JSONSchema`` uses, and no others.
///
/// Properties that the schema doesn't name are reported apart: whether they are a mistake, the test knows.
struct SchemaValidator {
    private(set) var mistakes: [String] = []
    /// Properties that were in the value, as paths such as `testResults/id`.
    private(set) var known: Set<String> = []
    private(set) var unknown: Set<String> = []

    init(_ json: Data, against schema: JSONSchema) throws {
        let value = try JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed)
        mistakes = check(value, schema.json, at: "")
    }

    private mutating func check(_ value: Any, _ schema: JSONValue, at path: String) -> [String] {
        guard case .object(let keywords) = schema else { return ["\(path): no schema"] }
        return keywords.sorted { $0.key < $1.key }.flatMap { check(value, $0.key, $0.value, keywords, at: path) }
    }

    private mutating func check(
        _ value: Any, _ keyword: String, _ argument: JSONValue, _ all: [String: JSONValue], at path: String
    ) -> [String] {
        switch (keyword, argument) {
        case ("description", .string), ("examples", .array): return []
        case ("type", .string(let name)): return Self.type(of: value).contains(name) ? [] : ["\(path): no \(name)"]
        case ("const", .string(let text)): return value as? String == text ? [] : ["\(path): not \(text)"]
        case ("enum", .array(let names)):
            return names.contains { $0 == .string(value as? String ?? "") } ? [] : ["\(path): none of the names"]
        case ("pattern", .string(let pattern)):
            guard let text = value as? String else { return [] }
            return text.range(of: pattern, options: .regularExpression) == nil ? ["\(path): other pattern"] : []
        case ("minLength", .integer(let bound)):
            return (value as? String).map { $0.unicodeScalars.count < bound } == true ? ["\(path): too short"] : []
        case ("maxLength", .integer(let bound)):
            return (value as? String).map { $0.unicodeScalars.count > bound } == true ? ["\(path): too long"] : []
        case ("minimum", .integer(let bound)): return (value as? Int).map { $0 < bound } == true ? ["\(path): low"] : []
        case ("maximum", .integer(let bound)):
            return (value as? Int).map { $0 > bound } == true ? ["\(path): high"] : []
        case ("minItems", .integer(let bound)):
            return (value as? [Any]).map { $0.count < bound } == true ? ["\(path): few"] : []
        case ("maxItems", .integer(let bound)):
            return (value as? [Any]).map { $0.count > bound } == true ? ["\(path): many"] : []
        case ("items", let schema):
            var mistakes: [String] = []
            for element in value as? [Any] ?? [] { mistakes += check(element, schema, at: path) }
            return mistakes
        case ("required", .array(let names)):
            guard let object = value as? [String: Any] else { return [] }
            return names.filter { if case .string(let name) = $0 { object[name] == nil } else { true } }
                .map { "\(path): no \($0)" }
        case ("properties", .object(let schemas)):
            var mistakes: [String] = []
            for (name, element) in value as? [String: Any] ?? [:] {
                let place = path + "/" + name
                if let schema = schemas[name] {
                    known.insert(place)
                    mistakes += check(element, schema, at: place)
                } else {
                    unknown.insert(place)
                }
            }
            return mistakes
        case ("anyOf", .array(let schemas)):
            var mistakes: [String] = []
            for schema in schemas {
                var attempt = self
                let found = attempt.check(value, schema, at: path)
                if found.isEmpty {
                    self = attempt
                    return []
                }
                mistakes += found
            }
            return mistakes
        default: return ["\(path): the validator doesn't know \(keyword)"]
        }
    }

    private static func type(of value: Any) -> Set<String> {
        switch value {
        case is NSNull: ["null"]
        case is String: ["string"]
        case is [Any]: ["array"]
        case is [String: Any]: ["object"]
        // Foundation has one type for numbers and truth values.
        case let truth as NSNumber where String(cString: truth.objCType) == "c": ["boolean"]
        case let number as NSNumber:
            number.doubleValue == number.doubleValue.rounded() ? ["integer", "number"] : ["number"]
        default: []
        }
    }
}
