import Foundation

/// The project's own sources, as text.
struct SourceTree: Sendable {
    struct File: Sendable {
        /// Relative to the checkout.
        let path: String
        let lines: [Substring]
    }

    struct Finding: CustomStringConvertible, Equatable {
        let path: String
        let line: Int
        let text: String

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
                        path: "\(folder)/\(path)", lines: text.split(separator: "\n", omittingEmptySubsequences: false))
                }
        }
    }

    /// The lines of code that match a pattern; comments don't count.
    func lines(matching pattern: Regex<some Any>, where counts: (File) -> Bool = { _ in true }) -> [Finding] {
        files.filter(counts).flatMap { file in
            file.lines.enumerated().compactMap { index, line in
                let code = line.drop { $0 == " " }
                guard !code.hasPrefix("//"), line.contains(pattern) else { return nil }
                return Finding(path: file.path, line: index + 1, text: String(code))
            }
        }
    }
}
