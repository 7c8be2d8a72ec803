import Foundation

/// A vector from a file of vectors: groups of lines `name = value`, with an empty line between them.
package struct Vector: Sendable {
    private let fields: [String: String]

    /// The file, or the vector, doesn't have what a test looks for.
    package struct Missing: Error {
        /// The name.
        package let name: String
    }

    /// The vectors that have a field.
    /// - Parameters:
    ///   - file: One of the caller's folder `Fixtures`, without its extension `txt`.
    ///   - name: The field.
    package static func all(in file: String, with name: String, caller: String = #filePath) throws -> [Vector] {
        let url = URL(filePath: caller).deletingLastPathComponent().appending(path: "Fixtures/\(file).txt")
        let groups = try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n\n").map { group in
            Vector(
                fields: Dictionary(
                    uniqueKeysWithValues: group.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
                        let parts = line.split(separator: "=", maxSplits: 1)
                        return (
                            parts[0].trimmingCharacters(in: .whitespaces),
                            parts.count == 2 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
                        )
                    }))
        }.filter { $0.has(name) }
        guard !groups.isEmpty else { throw Missing(name: name) }
        return groups
    }

    /// Whether it has a field.
    package func has(_ name: String) -> Bool { fields[name] != nil }

    /// A field's value.
    package func text(_ name: String) throws -> String {
        guard let text = fields[name] else { throw Missing(name: name) }
        return text
    }

    /// The bytes that a field's digits stand for.
    package func bytes(_ name: String) throws -> [UInt8] { hex(try text(name)) }

    /// A number of as many bytes as are wanted.
    package func number(_ name: String, byteCount: Int) throws -> [UInt8] {
        let digits = try text(name)
        return hex(String(repeating: "0", count: max(0, 2 * byteCount - digits.count)) + digits)
    }
}

/// The bytes of hexadecimal digits.
package func hex(_ digits: String) -> [UInt8] {
    let digits = Array(digits.utf8.map { Character(UnicodeScalar($0)) })
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
}
