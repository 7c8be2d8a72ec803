/// The names of a message's fields, or of an enumeration's values.
package struct _NameMap: Sendable {
    /// A field's names.
    struct Names: Sendable {
        /// As the schema has it.
        let proto: String
        /// As protobuf JSON has it: words joined by capitals.
        let json: String
    }

    private var names: [Int: Names] = [:]
    private var numbers: [String: Int] = [:]

    /// Without names: for a message without fields.
    package init() {}

    /// Reads the text in which generated code holds names.
    ///
    /// A zero byte comes first, the version of the form. Then there is a code and a name for each number, in ascending order. An odd
    /// code stands for the next number; an even one is followed by the distance from the last number. Codes 1 and 2 say that the
    /// JSON name is the schema's, 3 and 4 that it is made from it. The name ends with a zero byte. Reserved names and numbers,
    /// from code 11 on, stand last and aren't needed.
    package init(bytecode: StaticString) {
        bytecode.withUTF8Buffer { text in
            var rest = text.dropFirst()
            var number = 0
            while let code = rest.popFirst(), (1...4).contains(code) {
                number += code % 2 == 1 ? 1 : Self.distance(&rest)
                let name = String(decoding: rest.prefix { $0 != 0 }, as: UTF8.self)
                rest = rest.dropFirst(name.utf8.count + 1)
                add(Names(proto: name, json: code <= 2 ? name : Self.jsonName(of: name)), number)
            }
        }
    }

    private mutating func add(_ entry: Names, _ number: Int) {
        names[number] = entry
        numbers[entry.proto] = number
        numbers[entry.json] = number
    }

    /// Six bits a byte, the lowest first; bit 6 says that more follow.
    private static func distance(_ rest: inout Slice<UnsafeBufferPointer<UInt8>>) -> Int {
        var distance = 0
        var shift = 0
        while let byte = rest.popFirst() {
            distance |= Int(byte & 0x3F) << shift
            guard byte & 0x40 != 0 else { break }
            shift += 6
        }
        return distance
    }

    /// Underscores go, and the letter behind one becomes a capital.
    /// https://protobuf.dev/programming-guides/json/
    private static func jsonName(of name: String) -> String {
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

    /// The names of a number; nil if the schema doesn't know it.
    func names(of number: Int) -> Names? { names[number] }

    /// The number with a name, in the schema's or the JSON form.
    func number(named name: String) -> Int? { numbers[name] }
}
