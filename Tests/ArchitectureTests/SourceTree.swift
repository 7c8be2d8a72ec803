import Foundation

/// The project's own sources, as text.
struct SourceTree: Sendable {
    struct File: Sendable {
        /// Relative to the checkout.
        let path: String
        let text: String
        let lines: [Substring]
    }

    struct Finding: CustomStringConvertible, Equatable {
        let path: String
        let line: Int
        let text: Substring

        var description: String { "\(path):\(line): \(text)" }
    }

    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    let files: [File]

    /// All Swift files below some folders, without generated ones.
    init(_ folders: String...) throws {
        files = try folders.flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: Self.root.appending(path: folder).path)
                .filter { $0.hasSuffix(".swift") && !$0.hasSuffix(".pb.swift") }
                .sorted()
                .map { path in
                    let text = try String(contentsOf: Self.root.appending(path: "\(folder)/\(path)"), encoding: .utf8)
                    return File(
                        path: "\(folder)/\(path)", text: text,
                        lines: text.split(separator: "\n", omittingEmptySubsequences: false))
                }
        }
    }

    /// The lines of code that match a pattern; comments don't count.
    ///
    /// `NSRegularExpression` over whole files: Swift's own `Regex`, unoptimised, takes half a minute for the same.
    func lines(matching pattern: String, where counts: (File) -> Bool = { _ in true }) throws -> [Finding] {
        let expression = try NSRegularExpression(pattern: pattern, options: .anchorsMatchLines)
        return files.filter(counts).flatMap { file in
            let text = file.text as NSString
            let matches = expression.matches(in: file.text, range: NSRange(location: 0, length: text.length))
            return Set(matches.map { text.substring(to: $0.range.location).count { $0 == "\n" } }).sorted()
                .map { Finding(path: file.path, line: $0 + 1, text: file.lines[$0].trimmingPrefix { $0 == " " }) }
                .filter { !$0.text.hasPrefix("//") }
        }
    }
}
