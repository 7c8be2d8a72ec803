/// A field as generated code declares it.
package struct Field: Sendable {
    let place: FieldPlace
    let names: FieldNames

    /// A field whose Swift type says how it is written.
    package init<Root: Message, Storage: FieldStorage>(
        _ number: Int, _ name: String, _ path: KeyPath<Root, Storage>
    ) {
        self.init(number, name, path, Storage.FieldValueType.kind)
    }

    /// A field of type `sint32`.
    package init<Root: Message, Storage: FieldStorage>(
        sint32 number: Int, _ name: String, _ path: KeyPath<Root, Storage>
    ) where Storage.FieldValueType == Int32 {
        self.init(number, name, path, .sint32)
    }

    /// A field of type `fixed64`.
    package init<Root: Message, Storage: FieldStorage>(
        fixed64 number: Int, _ name: String, _ path: KeyPath<Root, Storage>
    ) where Storage.FieldValueType == UInt64 {
        self.init(number, name, path, .fixed64)
    }

    private init<Root: Message, Storage: FieldStorage>(
        _ number: Int, _ name: String, _ path: KeyPath<Root, Storage>, _ kind: FieldKind
    ) {
        place = FieldPlace(number: number, offset: FieldTable.offset(of: path), shape: Storage.shape, kind: kind)
        names = FieldNames(proto: name, json: FieldNames.json(of: name))
    }
}

/// Where a field is, on the wire and in its message. The decoder copies it for each field: it holds nothing that is counted.
struct FieldPlace {
    let number: Int
    /// The bytes in front of it within its message.
    let offset: Int
    let shape: FieldShape
    let kind: FieldKind
}

/// A field's names.
struct FieldNames {
    /// As the schema has it.
    let proto: String
    /// As protobuf JSON has it.
    let json: String

    /// Underscores go, and the letter behind one becomes a capital.
    /// https://protobuf.dev/programming-guides/json/
    static func json(of name: String) -> String {
        var result = ""
        var raises = false
        for character in name {
            if character == "_" {
                raises = true
            } else {
                result += raises ? character.uppercased() : String(character)
                raises = false
            }
        }
        return result
    }
}

/// The fields of a message.
public final class FieldTable: Sendable {
    let messageName: String
    /// The bytes in front of the message's unknown fields.
    let unknownOffset: Int
    /// In the order of their numbers.
    let places: [FieldPlace]
    /// In the same order.
    let names: [FieldNames]
    /// The fields' indices by both their names.
    private let indices: [String: Int]

    /// - Parameter fields: In the order of their numbers.
    package init<Root: Message>(
        _ messageName: String, _ unknownFields: KeyPath<Root, UnknownStorage>, _ fields: [Field]
    ) {
        self.messageName = messageName
        unknownOffset = Self.offset(of: unknownFields)
        places = fields.map(\.place)
        names = fields.map(\.names)
        var indices: [String: Int] = [:]
        for (index, names) in names.enumerated() {
            indices[names.proto] = index
            indices[names.json] = index
        }
        self.indices = indices
    }

    /// The index of a field; nil if the message has none with this number.
    /// - Parameter last: The index of the field before: mostly, it is this one or the one before this one.
    func index(of number: UInt64, behind last: Int) -> Int? {
        for index in last..<min(last + 2, places.count) where places[index].number == number { return index }
        return places.firstIndex { $0.number == number }
    }

    /// The index of a field by its name in the schema or in JSON.
    func index(named name: String) -> Int? { indices[name] }

    fileprivate static func offset<Root, Value>(of path: KeyPath<Root, Value>) -> Int {
        guard let offset = MemoryLayout<Root>.offset(of: path) else {
            preconditionFailure("a field of a message is not a stored property")
        }
        return offset
    }
}
