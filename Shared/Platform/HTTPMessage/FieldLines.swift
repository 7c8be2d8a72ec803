package import HTTPTypes

/// The field lines of a message as they are on the wire: one array with all names and values, and one with where they
/// are.
///
/// A message costs two allocations, and text is made only of the fields that somebody reads. Every name is a token in
/// lower case and no value has a control byte, so writing lines can't start another line or message (RFC 9110,
/// section 5.5; response splitting).
package struct FieldLines: Sendable {
    /// Where a line's name and value are in `bytes`.
    package struct Line: Sendable {
        /// The name's place, in lower case.
        package let name: Range<Int>
        /// The value's place.
        package let value: Range<Int>
    }

    /// All names and values.
    package private(set) var bytes: [UInt8] = []
    /// The lines in order.
    package private(set) var lines: [Line] = []

    /// No lines.
    package init() {}

    /// No lines yet, with room for some.
    package init(bytes: Int, lines: Int) {
        self.bytes.reserveCapacity(bytes)
        self.lines.reserveCapacity(lines)
    }

    /// The lines of a service's fields.
    package init(_ fields: HTTPFields) {
        for field in fields { append(field.name, field.value) }
    }

    /// The number of lines.
    package var count: Int { lines.count }

    /// Adds a line behind the others; the name's letters become lower case.
    ///
    /// - Parameter value: without blanks around it.
    /// - Throws: if the name isn't a token, or the value has a byte that no value may have; nothing is added then.
    package mutating func append(name: Span<UInt8>, value: Span<UInt8>) throws(InvalidField) {
        guard name.isToken, value.isFieldValue else { throw InvalidField() }
        let start = bytes.count
        name.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        let middle = bytes.count
        value.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        bytes.change(start..<middle) { $0.lowercased }
        lines.append(Line(name: start..<middle, value: middle..<bytes.count))
    }

    /// Adds a line of HTTP/1.1, given without its end (RFC 9112, section 5); the name's letters become lower case.
    ///
    /// - Returns: where the name and the value are in the line given.
    /// - Throws: if there is no colon, anything but a token before it, or a value with a byte that no value may have. So
    ///   blanks before the colon (section 5.1) are refused, and a line that continues another (obs-fold, section 5.2):
    ///   readers disagree about both. Nothing is added then.
    package mutating func append(
        line: Span<UInt8>
    ) throws(InvalidField) -> (name: Range<Int>, value: Range<Int>) {
        let start = bytes.count
        line.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        let parts = bytes.withUnsafeMutableBytes { Self.parse(UnsafeMutableRawBufferPointer(rebasing: $0[start...])) }
        guard let (name, value) = parts else {
            bytes.removeSubrange(start...)
            throw InvalidField()
        }
        lines.append(
            Line(
                name: start..<start + name.upperBound,
                value: start + value.lowerBound..<start + value.upperBound))
        return (name, value)
    }

    /// Finds a line's parts, and makes the name's letters lower case; nil if it isn't a line.
    private static func parse(_ line: UnsafeMutableRawBufferPointer) -> (name: Range<Int>, value: Range<Int>)? {
        var colon = 0
        while colon < line.count, let byte = line[colon].lowercasedTokenByte {
            line[colon] = byte
            colon += 1
        }
        guard colon > 0, colon < line.count, line[colon] == UInt8(ascii: ":") else { return nil }
        var start = colon + 1
        var end = line.count
        while start < end, line[start].isBlank { start += 1 }
        while start < end, line[end - 1].isBlank { end -= 1 }
        guard UnsafeRawBufferPointer(rebasing: line[start..<end]).isFieldValue else { return nil }
        return (0..<colon, start..<end)
    }

    /// Removes the last line.
    package mutating func removeLast() {
        guard let line = lines.popLast() else { return }
        bytes.removeSubrange(line.name.lowerBound...)
    }

    /// Adds a line behind the others; control bytes in the value become spaces, as in `HTTPField`.
    package mutating func append(_ name: HTTPField.Name, _ value: String) {
        let start = bytes.count
        bytes.append(contentsOf: name.canonicalName.utf8)
        let middle = bytes.count
        bytes.append(contentsOf: value.utf8)
        let end = bytes.count
        bytes.change(middle..<end) { $0.isFieldValueByte ? $0 : UInt8(ascii: " ") }
        lines.append(Line(name: start..<middle, value: middle..<end))
    }

    /// The value of a name's first line.
    package func first(_ name: HTTPField.Name) -> String? {
        index(of: name, from: 0).map(value)
    }

    /// The value of a name that has one line; nil if it has none or several.
    package func only(_ name: HTTPField.Name) -> String? {
        guard let index = index(of: name, from: 0), self.index(of: name, from: index + 1) == nil else { return nil }
        return value(at: index)
    }

    /// Whether a name has a line.
    package func contains(_ name: HTTPField.Name) -> Bool { index(of: name, from: 0) != nil }

    /// The values of a name's lines, in order.
    package func values(_ name: HTTPField.Name) -> [String] {
        var values: [String] = []
        var next = index(of: name, from: 0)
        while let index = next {
            values.append(value(at: index))
            next = self.index(of: name, from: index + 1)
        }
        return values
    }

    /// Calls a function with each line's name, in lower case, and its value.
    package func forEach(_ body: (_ name: String, _ value: String) throws -> Void) rethrows {
        try forEachLine { try body($0.text, $1.text) }
    }

    /// Calls a function with each line's name, in lower case, and its value, without making text of them.
    package func forEachLine(_ body: (_ name: Span<UInt8>, _ value: Span<UInt8>) throws -> Void) rethrows {
        let all = bytes.span
        for line in lines { try body(all.extracting(line.name), all.extracting(line.value)) }
    }

    /// The same fields for services.
    package var fields: HTTPFields {
        var fields = HTTPFields()
        forEach { name, value in
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        return fields
    }

    private func index(of name: HTTPField.Name, from start: Int) -> Int? {
        let canonical = name.canonicalName
        let wanted = canonical.utf8Span.span
        let all = bytes.span
        next: for index in start..<lines.count where lines[index].name.count == wanted.count {
            let name = all.extracting(lines[index].name)
            for byte in wanted.indices where name[byte] != wanted[byte] { continue next }
            return index
        }
        return nil
    }

    private func value(at index: Int) -> String { bytes.span.extracting(lines[index].value).text }
}

/// A field line whose name isn't a token, or whose value has a byte that no value may have.
package struct InvalidField: Error {
    /// That.
    package init() {}
}

extension [UInt8] {
    /// Replaces each byte of a range.
    ///
    /// Not by `mutableSpan`: optimised, Swift 6.3.1 then forgets that another array of the same value, which is appended to
    /// behind it, may be shared with a copy.
    @inline(__always)
    fileprivate mutating func change(_ range: Range<Int>, _ replacement: (UInt8) -> UInt8) {
        withUnsafeMutableBufferPointer { bytes in
            for index in range { bytes[index] = replacement(bytes[index]) }
        }
    }
}
