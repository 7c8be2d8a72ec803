import Foundation
import Testing

@testable import Running

@Suite struct DurableFileTests {
    /// A directory that exists for as long as the body takes.
    private func inDirectory<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let directory = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try body(directory)
    }

    private func names(in directory: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path)
    }

    @Test("a file is written whole, with its mode, and nothing else is left", arguments: [0, 1, 5_000_000])
    func write(size: Int) throws {
        try inDirectory { directory in
            let url = directory.appending(path: "file")
            let content = Data((0..<size).map { UInt8(truncatingIfNeeded: $0) })
            try DurableFile.write(content, to: url, mode: 0o600)
            #expect(try Data(contentsOf: url) == content)
            #expect(try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int == 0o600)
            #expect(try names(in: directory) == ["file"])
        }
    }

    @Test("a file is replaced, not changed: who opened the old one still reads all of it")
    func replaced() throws {
        try inDirectory { directory in
            let url = directory.appending(path: "file")
            try DurableFile.write(Data("the old content".utf8), to: url)
            let reader = try FileHandle(forReadingFrom: url)
            try DurableFile.write(Data("new".utf8), to: url)
            #expect(try reader.readToEnd() == Data("the old content".utf8))
            #expect(try Data(contentsOf: url) == Data("new".utf8))
            try reader.close()
        }
    }

    @Test("a write that fails says why and leaves nothing")
    func failedWrite() throws {
        try inDirectory { directory in
            let missing = directory.appending(path: "missing/file")
            #expect(throws: FileProblem(number: ENOENT)) { try DurableFile.write(Data([1]), to: missing) }
            let taken = directory.appending(path: "taken")
            try FileManager.default.createDirectory(at: taken, withIntermediateDirectories: false)
            #expect(throws: FileProblem(number: EISDIR)) { try DurableFile.write(Data([1]), to: taken) }
            #expect(try names(in: directory) == ["taken"])
        }
    }

    @Test("a removed file is gone, and removing it again is fine")
    func remove() throws {
        try inDirectory { directory in
            let url = directory.appending(path: "file")
            try DurableFile.write(Data([1, 2, 3]), to: url)
            try DurableFile.remove(url)
            try DurableFile.remove(url)
            #expect(try names(in: directory).isEmpty)
        }
    }

    @Test("a shredded file is gone, its bytes are zero for whoever has it open, and doing it again is fine")
    func shred() throws {
        try inDirectory { directory in
            let url = directory.appending(path: "file")
            try DurableFile.write(Data([1, 2, 3]), to: url)
            let reader = try FileHandle(forReadingFrom: url)
            try DurableFile.shred(url)
            try DurableFile.shred(url)
            #expect(try names(in: directory).isEmpty)
            #expect(try reader.readToEnd() == Data([0, 0, 0]))
            try reader.close()
        }
    }

    @Test("several may shred the same files at once")
    func shredTogether() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            let directory = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(at: directory) }
            let files = (0..<200).map { directory.appending(path: "\($0)") }
            for file in files { try DurableFile.write(Data([1, 2, 3]), to: file) }
            for _ in 0..<4 {
                group.addTask { for file in files { try DurableFile.shred(file) } }
            }
            try await group.waitForAll()
            #expect(try names(in: directory).isEmpty)
        }
    }

    @Test("a problem names the reason, never the file")
    func problem() {
        #expect(FileProblem(number: ENOENT).description == "No such file or directory")
    }
}
