import Foundation
import PublishedTree
import Running
import Testing

@testable import ObjectStore

struct DirectoryStoreTests {
    private func with<Result>(_ body: (DirectoryStore) async throws -> Result) async throws -> Result {
        let root = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        return try await body(DirectoryStore(root: root))
    }

    private static let keys = [
        "version", "version/index-v2", "version/v1/diagnosis-keys/country", "version/v1/diagnosis-keys/country/DE/date",
        "version/v1/diagnosis-keys/country/DE/date/2026-05-27",
        "version/v1/diagnosis-keys/country/DE/date/2026-05-27.2",
        "version/v1/diagnosis-keys/country/DE/date/2026-05-27/hour",
        "version/v1/diagnosis-keys/country/DE/date/2026-05-27/hour/0", "version/v2/app_config_ios",
        "version/v1/venue-reports", "version/v1/venue-reports/494000",
        "version/v2/twp/country/DE/hour/494000", "version/v1/dcc-rl/kid", "version/v1/dcc-rl/0a0b/1/2/chunk",
        "version/v1/dcc-rl/0a0b",
    ].map { TreeKey($0) }

    @Test("an object that was written is listed under its key, and can be read, replaced and removed")
    func roundTrip() async throws {
        try await with { store in
            for key in Self.keys { try await store.write(Array(key.path.utf8), to: key) }
            let objects = try await store.objects()
            #expect(Set(objects.keys) == Set(Self.keys))
            #expect(objects.allSatisfy { $0.value == StoredObject(size: $0.key.path.utf8.count) })
            for key in Self.keys { #expect(try await store.read(key) == Array(key.path.utf8)) }
            try await store.write([1], to: Self.keys[0])
            #expect(try await store.read(Self.keys[0]) == [1])
            #expect(try await store.read(TreeKey("version/v2/nothing")) == nil)

            try await store.remove(Self.keys + [TreeKey("version/v2/nothing")])
            #expect(try await store.objects().isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: store.root.path).isEmpty)
        }
    }

    @Test("a file's modification time depends on its content alone, and so does a web server's entity tag")
    func times() async throws {
        func time(_ content: [UInt8], _ key: TreeKey) async throws -> Date? {
            try await with { store in
                try await store.write(content, to: key)
                return try FileManager.default.attributesOfItem(atPath: store.url(key).path)[.modificationDate] as? Date
            }
        }
        let first = try await time([1, 2, 3], Self.keys[0])
        let same = try await time([1, 2, 3], Self.keys[4])
        let other = try await time([1, 2, 4], Self.keys[0])
        #expect(first == same)
        #expect(first != other)
    }

    @Test("files that a killed run left unfinished are removed, and other files stay")
    func leftovers() async throws {
        try await with { store in
            try await store.write([1], to: Self.keys[4])
            let folder = store.url(Self.keys[4]).deletingLastPathComponent()
            let leftover = folder.appending(path: ".index.\(UUID().uuidString)")
            let others = [folder.appending(path: ".hidden"), store.root.appending(path: "robots.txt")]
            for file in others + [leftover] { try Data("x".utf8).write(to: file) }
            #expect(try await Array(store.objects().keys) == [Self.keys[4]])
            #expect(!FileManager.default.fileExists(atPath: leftover.path))
            #expect(others.allSatisfy { FileManager.default.fileExists(atPath: $0.path) })
        }
    }

    @Test("a failed write throws, and the other objects stay")
    func failure() async throws {
        try await with { store in
            try await store.write([1], to: Self.keys[0])
            // A folder where the file should be.
            try FileManager.default.createDirectory(
                at: store.url(Self.keys[7]).appending(path: "x"), withIntermediateDirectories: true)
            await #expect(throws: FileProblem.self) { try await store.write([2], to: Self.keys[7]) }
            #expect(try await store.objects().count == 1)
        }
    }
}
