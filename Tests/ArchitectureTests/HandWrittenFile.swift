import Foundation
import Testing

/// A file of the deployment that is written by hand, and that has lines for every service.
struct HandWrittenFile {
    let path: String
    private let text: String
    /// What the missing line belongs to, for the message.
    private let part: String

    /// A file of the checkout.
    init(_ path: String) throws {
        self.init(
            path: path, text: try String(contentsOf: SourceTree.root.appending(path: path), encoding: .utf8), part: "")
    }

    private init(path: String, text: String, part: String) {
        self.path = path
        self.text = text
        self.part = part
    }

    /// The lines below a heading such as `  metadata-proxy:`, up to the next line with the same indentation.
    func block(_ name: String, indentation: Int) -> HandWrittenFile {
        let heading = String(repeating: " ", count: indentation) + "\(name):"
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        guard let start = lines.firstIndex(where: { $0 == heading || $0.hasPrefix(heading + " ") }) else {
            return HandWrittenFile(path: path, text: "", part: " below \(name):")
        }
        let end =
            lines[(start + 1)...].firstIndex { line in
                line.prefix { $0 == " " }.count <= indentation && line.contains { $0 != " " && $0 != "#" }
                    && !line.drop { $0 == " " }.hasPrefix("#")
            } ?? lines.endIndex
        return HandWrittenFile(
            path: path, text: lines[start..<end].joined(separator: "\n"), part: " below \(name):")
    }

    /// Records an issue that names the missing line, unless the file contains it. Runs of blanks are alike.
    func expect(_ line: String, for service: String, because reason: String) {
        guard !contains(line) else { return }
        Issue.record("\(service) is in the catalogue: add to \(path)\(part) `\(line)` (\(reason)).")
    }

    /// Whether the file contains the words of a line, which no other word continues.
    func contains(_ line: String) -> Bool {
        let words = line.split(separator: " ").map { NSRegularExpression.escapedPattern(for: String($0)) }
        let pattern = #"(?<![\w-])"# + words.joined(separator: #"\s+(\\\s+)?"#) + #"(?![\w-])"#
        return text.range(
            of: words.first?.first?.isLetter == true ? pattern : words.joined(separator: #"\s+"#),
            options: .regularExpression) != nil
    }

    /// All that a pattern's first group matches.
    func matches(of pattern: String) throws -> [String] {
        let whole = text as NSString
        return try NSRegularExpression(pattern: pattern, options: .anchorsMatchLines)
            .matches(in: text, range: NSRange(location: 0, length: whole.length))
            .map { whole.substring(with: $0.range(at: 1)) }
    }
}
