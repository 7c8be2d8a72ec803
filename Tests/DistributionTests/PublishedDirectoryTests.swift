import Foundation
import Running
import Testing

@testable import Distribution

@Suite struct PublishedDirectoryTests {
    private func with<Result>(_ body: (PublishedDirectory) async throws -> Result) async throws -> Result {
        let root = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        return try await body(PublishedDirectory(root: root))
    }

    private static let keys = [
        "version", "version/index-v2", "version/v1/diagnosis-keys/country", "version/v1/diagnosis-keys/country/DE/date",
        "version/v1/diagnosis-keys/country/DE/date/2026-05-27",
        "version/v1/diagnosis-keys/country/DE/date/2026-05-27.2",
        "version/v1/diagnosis-keys/country/DE/date/2026-05-27/hour",
        "version/v1/diagnosis-keys/country/DE/date/2026-05-27/hour/0", "version/v2/app_config_ios",
        "version/v2/twp/country/DE/hour/494000", "version/v1/dcc-rl/kid", "version/v1/dcc-rl/0a0b/1/2/chunk",
        "version/v1/dcc-rl/0a0b",
    ].map { TreeKey($0) }

    @Test("what was written is there, under its key, and can be read, replaced and removed")
    func roundTrip() async throws {
        try await with { place in
            for key in Self.keys { try await place.write(Array(key.path.utf8), to: key) }
            let objects = try await place.objects()
            #expect(Set(objects.keys) == Set(Self.keys))
            #expect(objects.allSatisfy { $0.value == StoredObject(size: $0.key.path.utf8.count) })
            for key in Self.keys { #expect(try await place.read(key) == Array(key.path.utf8)) }
            try await place.write([1], to: Self.keys[0])
            #expect(try await place.read(Self.keys[0]) == [1])
            #expect(try await place.read(TreeKey("version/v2/nothing")) == nil)

            try await place.remove(Self.keys + [TreeKey("version/v2/nothing")])
            #expect(try await place.objects().isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.root.path).isEmpty)
        }
    }

    @Test("a file's time is a function of its content, so that a web server's entity tags are")
    func times() async throws {
        func time(_ content: [UInt8], _ key: TreeKey) async throws -> Date? {
            try await with { place in
                try await place.write(content, to: key)
                return try FileManager.default.attributesOfItem(atPath: place.url(key).path)[.modificationDate] as? Date
            }
        }
        let first = try await time([1, 2, 3], Self.keys[0])
        let same = try await time([1, 2, 3], Self.keys[4])
        let other = try await time([1, 2, 4], Self.keys[0])
        #expect(first == same)
        #expect(first != other)
    }

    @Test("what a run that died was writing is removed, and other files are left alone")
    func leftovers() async throws {
        try await with { place in
            try await place.write([1], to: Self.keys[4])
            let folder = place.url(Self.keys[4]).deletingLastPathComponent()
            let leftover = folder.appending(path: ".index.\(UUID().uuidString)")
            let others = [folder.appending(path: ".hidden"), place.root.appending(path: "robots.txt")]
            for file in others + [leftover] { try Data("x".utf8).write(to: file) }
            #expect(try await Array(place.objects().keys) == [Self.keys[4]])
            #expect(!FileManager.default.fileExists(atPath: leftover.path))
            #expect(others.allSatisfy { FileManager.default.fileExists(atPath: $0.path) })
        }
    }

    @Test("a place that can't be written to says why, and what was there stays")
    func failure() async throws {
        try await with { place in
            try await place.write([1], to: Self.keys[0])
            // A folder where the file should be.
            try FileManager.default.createDirectory(
                at: place.url(Self.keys[7]).appending(path: "x"), withIntermediateDirectories: true)
            await #expect(throws: FileProblem.self) { try await place.write([2], to: Self.keys[7]) }
            #expect(try await place.objects().count == 1)
        }
    }

    @Test(
        "a request names an object by its path and nothing else",
        arguments: [
            "", "/", "version/index", "/version//v1", "version/..", "../version", "/etc/passwd", "version/.hidden",
            "version/%2e", "version/a\u{0}", "versions", "version/v1/ä", "version/v1/a b", "//version",
        ])
    func requests(path: String) {
        #expect(TreeKey(requested: path) == nil)
    }

    @Test(
        "indexes are JSON for five minutes, packages are archives for good, everything else archives for five minutes")
    func kinds() {
        let kinds = Self.keys.map(\.kind)
        #expect(
            kinds == [
                .index, .index, .index, .index, .package, .package, .index, .package, .archive, .package, .archive,
                .archive, .archive,
            ])
        #expect(Self.keys.allSatisfy { $0.contentType == ($0.kind == .index ? "application/json" : "application/zip") })
        #expect(Self.keys.allSatisfy { $0.cacheControl.contains("immutable") == ($0.kind == .package) })
    }
}
