import Foundation
import Testing

/// A hostile request of `Tests/Live/hostile/corpus`, whose format `corpus.py` there describes.
struct CorpusCase: CustomStringConvertible {
    let name: String
    /// What each request may be answered with.
    var answers: [Set<String>] = []
    /// The bodies that a service may see.
    var bodies: [[UInt8]] = []
    /// What follows the bytes: probe, close, silence, end or cut.
    var then = "probe"
    var raw: [UInt8] = []

    var number: String { String(name.prefix(3)) }
    var hidden: [UInt8] { Array("hide-\(number)".utf8) }
    var probe: [UInt8] { Array("prob-\(number)".utf8) }
    var description: String { name }

    /// All cases, in order.
    static func all() throws -> [CorpusCase] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Live/hostile/corpus").standardizedFileURL
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "txt" }
            .sorted { $0.path < $1.path }
            .map {
                try CorpusCase($0.deletingPathExtension().lastPathComponent, String(contentsOf: $0, encoding: .utf8))
            }
    }

    private init(_ name: String, _ text: String) throws {
        self.name = name
        let parts = text.split(separator: "\n---\n", maxSplits: 1, omittingEmptySubsequences: false)
        try #require(parts.count == 2)
        for line in parts[0].split(separator: "\n").dropFirst() {
            let field = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = field[1].drop { $0 == " " }
            switch field[0] {
            case "answers": answers.append(Set(value.split(separator: " ").map(String.init)))
            case "body": bodies.append(bytes(of: value))
            case "then": then = String(value)
            default: break
            }
        }
        while bodies.count < answers.count { bodies.append(Array("case-\(number)".utf8)) }
        raw = bytes(of: parts[1].filter { $0 != "\n" })
    }

    /// Text with its places filled and its escapes resolved.
    private func bytes(of text: some StringProtocol) -> [UInt8] {
        let filled = String(text).replacing(/\$\{([^}*]*)(?:\*(\d+))?\}/) { match in
            if let count = match.2.flatMap({ Int($0) }) { return String(repeating: String(match.1), count: count) }
            return match.1 == "case" ? "case-\(number)" : "hide-\(number)"
        }
        var bytes: [UInt8] = []
        var rest = Array(filled.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                bytes.append(byte)
                continue
            }
            switch escape {
            case UInt8(ascii: "r"): bytes.append(13)
            case UInt8(ascii: "n"): bytes.append(10)
            case UInt8(ascii: "t"): bytes.append(9)
            case UInt8(ascii: "0"): bytes.append(0)
            case UInt8(ascii: "x"):
                bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
                rest = rest.dropFirst(2)
            default: bytes.append(escape)
            }
        }
        return bytes
    }
}
