import Catalogue
import Foundation
import TestSupport
import Testing
import Vigil

@Suite("The state folder")
struct StateFolderTests {
    @Test("is made with all its folders, for the owner alone")
    func prepares() async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder("\(scratch)/new/.vigil")
            try folder.prepare()
            try folder.prepare()
            for path in [
                folder.path, folder.certificates, folder.secrets, folder.configuration, folder.volume(.hourKeys),
                folder.published, folder.logs,
            ] {
                #expect(try permissions(of: path) == 0o700, "\(path)")
            }
        }
    }

    @Test("files are readable for the owner alone, unless they are public")
    func writesPrivately() async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder(scratch)
            try folder.prepare()
            try folder.write("secret\n", to: folder.secret("one"))
            try folder.write("public\n", to: folder.certificate("two"), mode: 0o644)
            #expect(try permissions(of: folder.secret("one")) == 0o600)
            #expect(try permissions(of: folder.certificate("two")) == 0o644)
            #expect(try folder.read(folder.secret("one")) == "secret")
            #expect(try folder.read(folder.secret("none")) == nil)
        }
    }

    @Test("a folder with other content is not used")
    func refusesOthers() async throws {
        try await withScratchFolder { scratch in
            try Data().write(to: URL(filePath: "\(scratch)/thesis.txt"))
            let folder = StateFolder(scratch)
            #expect(throws: CommandFailure.self) { try folder.prepare() }
            #expect(try FileManager.default.contentsOfDirectory(atPath: scratch) == ["thesis.txt"])
        }
    }

    @Test("what a killed process left half written goes, even where it was killed at its first file")
    func finishesOthers() async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder(scratch)
            func leave(_ name: String) throws {
                try Data().write(to: URL(filePath: "\(scratch)/\(name).\(UUID().uuidString)"))
            }
            try leave(".vigil-state")
            try folder.prepare()
            try folder.write("secret", to: folder.secret("one"))
            try leave("certificates/.ca.key")
            try leave("secrets/.two")
            try folder.prepare()
            #expect(try folder.read(folder.secret("one")) == "secret")
            let files = try FileManager.default.subpathsOfDirectory(atPath: scratch)
            #expect(!files.contains { $0.hasPrefix(".") || $0.contains("/.") })
        }
        try await withScratchFolder { scratch in
            try Data().write(to: URL(filePath: "\(scratch)/.thesis.txt.\(UUID().uuidString)"))
            #expect(throws: CommandFailure.self) { try StateFolder(scratch).prepare() }
        }
    }

    private func permissions(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}
