/// A message's header fields, in order, in one array: a message has few, and searching them beats hashing them.
package struct HTTPFields: Sendable {
    private var fields: [HTTPField]

    /// No fields.
    package init() {
        fields = []
    }

    /// Adds a field behind the others, even if one has its name.
    package mutating func append(_ field: HTTPField) {
        fields.append(field)
    }

    /// The values of a name, joined as if sent in one field: by "; " for cookies (RFC 9113, section 8.2.3), by ", " for
    /// others (RFC 9110, section 5.3); nil if there is none.
    ///
    /// Setting replaces all fields of the name; nil removes them. Cookies become a field each, which HTTP/2 compresses
    /// better.
    package subscript(name: HTTPField.Name) -> String? {
        get {
            guard let first = fields.firstIndex(where: { $0.name == name }) else { return nil }
            guard fields[(first + 1)...].contains(where: { $0.name == name }) else { return fields[first].value }
            return self[values: name].joined(separator: name == .cookie ? "; " : ", ")
        }
        set {
            guard let newValue else { return replace(name, with: []) }
            replace(name, with: name == .cookie ? Self.crumbs(newValue) : [newValue])
        }
    }

    /// The values of a name, one for each field of it, in order. Setting replaces all fields of the name.
    package subscript(values name: HTTPField.Name) -> [String] {
        get { fields.compactMap { $0.name == name ? $0.value : nil } }
        set { replace(name, with: newValue) }
    }

    /// Replaces a name's fields where they stand; further values go behind the others, fields without one are removed.
    private mutating func replace(_ name: HTTPField.Name, with values: [String]) {
        var rest = values[...]
        fields.removeAll { field in field.name == name && rest.popFirst() == nil }
        rest = values[...]
        for index in fields.indices where fields[index].name == name {
            fields[index].value = rest.removeFirst()
        }
        fields += rest.map { HTTPField(name: name, value: $0) }
    }

    private static func crumbs(_ cookies: String) -> [String] {
        cookies.split(separator: "; ", omittingEmptySubsequences: false).map(String.init)
    }
}

extension HTTPFields: RandomAccessCollection {
    package var startIndex: Int { fields.startIndex }

    package var endIndex: Int { fields.endIndex }

    package subscript(position: Int) -> HTTPField { fields[position] }
}

extension HTTPFields: ExpressibleByDictionaryLiteral {
    /// Fields in the literal's order; a name may stand in it more than once.
    package init(dictionaryLiteral elements: (HTTPField.Name, String)...) {
        fields = elements.map { HTTPField(name: $0, value: $1) }
    }
}

extension HTTPFields: Hashable, CustomStringConvertible {
    /// Whether both have the same values of the same names. Only the order of one name's values counts (RFC 9110,
    /// section 5.3).
    package static func == (left: Self, right: Self) -> Bool {
        left.count == right.count && left.allSatisfy { left[values: $0.name] == right[values: $0.name] }
    }

    /// As fields are compared.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(Set(fields))
    }

    package var description: String { fields.map(\.description).joined(separator: "\n") }
}
