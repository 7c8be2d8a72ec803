import Foundation
import Testing

@Suite("Documents")
struct DocumentTests {
    private func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: SourceTree.root.appending(path: path).path(percentEncoded: false))
    }

    @Test("each link to a file of the checkout leads to one")
    func links() throws {
        // Not .build, which may hold a whole copy.
        let folders = try FileManager.default.contentsOfDirectory(atPath: SourceTree.root.path).filter {
            !$0.hasPrefix(".")
        }
        let documents = folders.flatMap { folder in
            [folder]
                + (FileManager.default.subpaths(atPath: SourceTree.root.appending(path: folder).path) ?? []).map {
                    "\(folder)/\($0)"
                }
        }.filter { $0.hasSuffix(".md") }
        #expect(documents.count > 20)
        for document in documents {
            for target in try HandWrittenFile(document).matches(of: #"\]\(([^)#\s:]+)(?:#[^)]*)?\)"#) {
                let file = SourceTree.root.appending(path: document).deletingLastPathComponent().appending(path: target)
                #expect(
                    FileManager.default.fileExists(atPath: file.path(percentEncoded: false)), "\(document): \(target)")
            }
        }
    }

    @Test("the page of simulators has each of them, and each row ends with a switch of its README or a reason")
    func simulators() throws {
        let folder = "Services/Development/Simulators"
        let page = try String(contentsOf: SourceTree.root.appending(path: "\(folder)/README.md"), encoding: .utf8)
        let simulators = try FileManager.default.contentsOfDirectory(
            atPath: SourceTree.root.appending(path: folder).path
        ).filter { !$0.hasSuffix(".md") }
        #expect(simulators.count == 4)
        for simulator in simulators {
            let section = try #require(
                page.components(separatedBy: "\n## ").first { $0.hasPrefix("[\(simulator)](\(simulator)/README.md)") },
                "\(simulator)")
            let readme = try String(
                contentsOf: SourceTree.root.appending(path: "\(folder)/\(simulator)/README.md"), encoding: .utf8)
            let rows = section.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
            #expect(rows.count > 3)
            for row in rows {
                let last = try #require(row.split(separator: " | ").last)
                if last.hasPrefix("No: ") { continue }
                let switches = last.matches(of: /`([^`]+)`/).map(\.1)
                #expect(!switches.isEmpty, "\(row)")
                for name in switches { #expect(readme.contains(name), "\(simulator): \(name)") }
            }
        }
        // Of the others, the file that the row names has the switch.
        let others = try #require(
            page.components(separatedBy: "\n## ").first { $0.hasPrefix("Stand-ins of the tests") })
        let rows = others.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        #expect(rows.count > 5)
        for row in rows where row.contains(" | No: ") == false {
            let names = row.matches(of: /`([^`]+)`/).map { String($0.1) }
            try #require(names.count == 2, "\(row)")
            #expect(try HandWrittenFile(names[0]).contains("\"\(names[1])\":"), "\(row)")
        }
    }

    @Test("What the server promises names each subject of proof.sh, and figures are of a whole run of it")
    func promises() throws {
        let proofs = "Tests/Live/proof"
        let page = try HandWrittenFile("\(proofs)/README.md")
        let subjects = try FileManager.default.contentsOfDirectory(atPath: SourceTree.root.appending(path: proofs).path)
            .filter { exists("\(proofs)/\($0)/proof.sh") }
        #expect(subjects.count > 4)
        for subject in subjects {
            #expect(page.contains("proof.sh \(subject)"), "\(subject)")
            let figures = "\(proofs)/\(subject)/figures.txt"
            guard exists(figures) else { continue }
            let lines = try String(contentsOf: SourceTree.root.appending(path: figures), encoding: .utf8).split(
                separator: "\n")
            #expect(lines.first.map { String($0) } == "bash Tests/Live/proof.sh \(subject)")
            #expect(page.contains("\(subject)/figures.txt"), "\(subject)")
        }
    }
}
