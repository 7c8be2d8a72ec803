import Foundation
import Testing

/// What documents say of the published servers' work is what the file of figures has.
@Suite struct PublishedServerTests {
    private struct Figure {
        let id: String
        let work: String
        let load: String
        let published: String
        let here: String

        /// How the documents write a row of the table.
        var row: String {
            get throws {
                let ratio = try #require(Double(published)) / #require(Double(here))
                let words =
                    ratio >= 1 ? "\(Self.decimal(ratio)) × less" : "\(Self.decimal(1 / ratio)) × **more**"
                return "| \(work) | \(load) | \(published) ms | \(here) ms | \(words) |"
            }
        }

        private static func decimal(_ number: Double) -> String { String(format: "%.1f", number) }
    }

    private static func figures() throws -> [Figure] {
        let file = SourceTree.root.appending(path: "Tests/Benchmarks/published-servers.tsv")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
            let columns = $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            try #require(columns.count == 9)
            return Figure(
                id: columns[0], work: columns[2], load: columns[3], published: columns[4], here: columns[6])
        }
    }

    private static func text(_ document: String) throws -> String {
        try String(contentsOf: SourceTree.root.appending(path: document), encoding: .utf8)
    }

    @Test("the tables of deploy/sizing.md have the file's rows, with their ratios, and no other")
    func tables() throws {
        let section = try #require(
            try Self.text("deploy/sizing.md").components(separatedBy: "\n## ").first {
                $0.hasPrefix("Compared with published servers")
            })
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| ") && $0.contains(" ms |") }.map(String.init)
        let figures = try Self.figures()
        #expect(figures.count > 15)
        #expect(try rows == figures.map { try $0.row })
    }

    @Test("the README's sentence has the file's figures")
    func sentence() throws {
        let readme = try Self.text("README.md").replacing("\n", with: " ")
        func figure(_ id: String) throws -> Figure { try #require(try Self.figures().first { $0.id == id }) }
        let (poll, upload, dummy) = (try figure("poll-50"), try figure("publish-50"), try figure("dummy-50"))
        for figure in [poll, upload, dummy] { #expect(figure.load == "50 a second") }
        #expect(
            readme.contains(
                "a poll for a result takes \(poll.here) ms of processor time (the Corona-Warn-App's: \(poll.published) ms), an "
                    + "upload \(upload.here) ms (Google's: \(upload.published) ms) and a dummy upload \(dummy.here) ms "
                    + "(Google's, which does less: \(dummy.published) ms)"))
    }
}
