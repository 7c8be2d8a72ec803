/// Writes a message's fields as protobuf JSON. Unknown fields have no names and are left out.
struct JSONWriter: FieldOperation {
    private(set) var text = ""
    /// The name of the field that is written.
    private var name = ""

    /// Writes a message's fields as an object.
    mutating func object(_ message: UnsafeRawPointer, _ fields: FieldTable) throws {
        text += "{"
        for (field, names) in zip(fields.places, fields.names) {
            name = names.json
            try field.apply(&self, reading: message)
        }
        text += "}"
    }

    /// Starts a field.
    private mutating func begin() {
        if text.utf8.last != UInt8(ascii: "{") { text += "," }
        text += "\"\(name)\":"
    }

    mutating func scalar<F: FieldType>(_ type: F.Type, _ field: FieldPlace, at place: UnsafeMutableRawPointer) {
        let content = field.content(of: F.self, at: place)
        if case .nothing = content { return }
        begin()
        switch content {
        case .nothing: break
        case .one(let value): text += F.json(value)
        case .several(let values): text += "[\(values.map { F.json($0) }.joined(separator: ","))]"
        case .entries(let entries):
            text += "{\(entries.map { "\"\($0.key)\":\(F.json($0.value))" }.joined(separator: ","))}"
        }
    }

    /// The value's name, or the number of one that the schema doesn't know.
    mutating func enumeration(_ type: any Enum.Type, _ field: FieldPlace, at place: UnsafeMutableRawPointer) {
        guard let number = type.number(field.shape, at: place) else { return }
        begin()
        text += type.names[number].map { "\"\($0)\"" } ?? "\(number)"
    }

    mutating func message(_ type: any Message.Type, _ field: FieldPlace, at place: UnsafeMutableRawPointer) throws {
        var isFirst = true
        try type.show(place, field.shape) { message in
            if isFirst { begin() }
            if case .repeated = field.shape { text += isFirst ? "[" : "," }
            isFirst = false
            try object(message, type.fields)
        }
        if case .repeated = field.shape, !isFirst { text += "]" }
    }

    // MARK: Scalars

    /// A number that isn't finite has a name.
    static func text(of number: some BinaryFloatingPoint & LosslessStringConvertible) -> String {
        if number.isNaN { return "\"NaN\"" }
        if number.isInfinite { return number > 0 ? "\"Infinity\"" : "\"-Infinity\"" }
        return number.description
    }

    static func quoted(_ string: String) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
