import Foundation
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
                folder.path, folder.certificates, folder.secrets, folder.configuration, folder.hourKeys,
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

    @Test("a folder with other content is neither used nor erased")
    func refusesOthers() async throws {
        try await withScratchFolder { scratch in
            try Data().write(to: URL(filePath: "\(scratch)/thesis.txt"))
            let folder = StateFolder(scratch)
            #expect(throws: CommandFailure.self) { try folder.prepare() }
            #expect(throws: CommandFailure.self) { try folder.erase() }
            #expect(try FileManager.default.contentsOfDirectory(atPath: scratch) == ["thesis.txt"])
        }
    }

    @Test("erasing leaves an empty state folder")
    func erases() async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder(scratch)
            try folder.prepare()
            try folder.write("old\n", to: folder.secret("one"))
            try folder.erase()
            try folder.prepare()
            #expect(try folder.read(folder.secret("one")) == nil)
        }
    }

    @Test("only one suite at a time may use it")
    func locks() async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder(scratch)
            try folder.prepare()
            do {
                let lock = try folder.lock()
                let refusal = #expect(throws: CommandFailure.self) { try folder.lock() }
                #expect(refusal?.description.contains("Another `vigil up` uses") == true)
                withExtendedLifetime(lock) {}
            }
            _ = try folder.lock()
        }
    }

    @Test("the logs of the run before are kept once")
    func setsLogsAside() async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder(scratch)
            try folder.prepare()
            for run in 1...3 {
                try folder.setLogsAside()
                try folder.write("run \(run)\n", to: folder.log("service"))
            }
            #expect(try folder.read(folder.log("service")) == "run 3")
            #expect(try folder.read(folder.log("service.previous")) == "run 2")
        }
    }

    private func permissions(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}
