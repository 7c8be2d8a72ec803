/// An object that is published with header fields of its own, so that both change at once: lines `name: value`, an empty line, and
/// the body.
package struct PublishedAnswer: Hashable, Sendable {
    /// Names in lower case.
    package let fields: [Field]
    /// What callers get.
    package let body: [UInt8]

    /// A header field.
    package struct Field: Hashable, Sendable {
        /// In lower case.
        package let name: String
        /// Printable ASCII.
        package let value: String

        /// Nil unless name and value can't break out of their line.
        package init?(_ name: String, _ value: String) {
            guard !name.isEmpty, !value.isEmpty,
                name.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
                ),
                value.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
            else { return nil }
            self.name = name
            self.value = value
        }
    }

    /// The longest head that is read, in bytes.
    private static let longestHead = 2_048

    /// An answer with these fields, one at least.
    package init(fields: [Field], body: [UInt8]) {
        self.fields = fields
        self.body = body
    }

    /// Reads an object; nil if it isn't one.
    package init?(_ bytes: [UInt8]) {
        let head = bytes.prefix(Self.longestHead)
        let lineFeed = UInt8(ascii: "\n")
        guard let end = head.indices.dropLast().first(where: { head[$0] == lineFeed && head[$0 + 1] == lineFeed })
        else {
            return nil
        }
        var fields: [Field] = []
        for line in String(decoding: head[..<end], as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[1].first == " ",
                let field = Field(String(parts[0]), String(parts[1].dropFirst()))
            else { return nil }
            fields.append(field)
        }
        self.init(fields: fields, body: Array(bytes[(end + 2)...]))
    }

    /// The object.
    package var bytes: [UInt8] {
        Array((fields.map { "\($0.name): \($0.value)\n" }.joined() + "\n").utf8) + body
    }

    /// The value of a field; nil if there is none.
    package func value(of name: String) -> String? { fields.first { $0.name == name }?.value }
}
