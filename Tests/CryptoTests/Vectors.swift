import Foundation
import Testing

/// Vectors from a file of this target's: groups of lines `name = value`, with an empty line between them.
struct Vector: Sendable {
    private let fields: [String: String]

    static func all(in file: String, with name: String) throws -> [Vector] {
        let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/\(file).txt")
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
        }.filter { $0.fields[name] != nil }
        try #require(!groups.isEmpty)
        return groups
    }

    func has(_ name: String) -> Bool { fields[name] != nil }

    func text(_ name: String) throws -> String { try #require(fields[name]) }

    func bytes(_ name: String) throws -> [UInt8] { hex(try text(name)) }

    /// A number of as many bytes as are wanted.
    func number(_ name: String, byteCount: Int) throws -> [UInt8] {
        let digits = try text(name)
        return hex(String(repeating: "0", count: max(0, 2 * byteCount - digits.count)) + digits)
    }
}

/// The bytes of hexadecimal digits.
func hex(_ digits: String) -> [UInt8] {
    let digits = Array(digits.utf8.map { Character(UnicodeScalar($0)) })
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
}
