import Foundation
import ObjectStore
import PublishedTree
import Running
import TestSupport
import Testing

@testable import DownloadServer

/// `GET /data`, `/responses` and `/features`, as the Further app and browsers ask.
@Suite(.timeLimit(.minutes(5))) struct FurtherListTests {
    /// Serves the three lists, each with a compressed form that says so; `features` lacks it.
    private func serving(
        with setting: Bool = true,
        _ body: (_ get: (HTTPMethod, String, [(String, String)]) async throws -> Answer) async throws -> Void
    ) async throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let (tree, lists) = (root.appending(path: "tree"), root.appending(path: "lists"))
        for folder in [tree, lists] {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        let store = DirectoryStore(root: lists)
        for list in FurtherList.allCases {
            try await store.write(Array(list.rawValue.utf8), to: list.key)
            if list != .features { try await store.write(Array("\(list.rawValue) gzip".utf8), to: list.compressedKey) }
        }
        let port = TestPort.free()
        var settings = ["directory": tree.path, "listen.port": "\(port)"]
        if setting { settings["further.directory"] = lists.path }
        try await withRunningService("download-server", settings: settings, serve: DownloadServer.serve) { _ in
            try await body { try await send($0, "http://127.0.0.1:\(port)\($1)", headers: $2) }
        }
    }

    @Test(arguments: FurtherList.allCases)
    func `a list comes in the form that the caller takes, and only pages' lists may be read by pages`(
        _ list: FurtherList
    ) async throws {
        try await serving { get in
            for (accepted, isCompressed) in [
                (nil, false), ("gzip", true), ("br, gzip;q=0.5", true), ("gzip;q=0", false), ("identity", false),
            ] {
                let headers = accepted.map { [("accept-encoding", $0)] } ?? []
                let answer = try await get(.GET, "/\(list.rawValue)?x=1", headers)
                let expected = isCompressed && list != .features
                #expect(answer.status == 200)
                #expect(answer.body == (expected ? "\(list.rawValue) gzip" : list.rawValue))
                #expect(answer.fields["content-encoding"] == (expected ? ["gzip"] : []))
                #expect(answer.fields["content-type"] == ["application/json"])
                #expect(answer.fields["cache-control"] == ["public, max-age=60"])
                #expect(answer.fields["vary"] == ["Accept-Encoding"])
                #expect(answer.fields["access-control-allow-origin"] == (list == .data ? [] : ["*"]))
                let unchanged = try await get(
                    .GET, "/\(list.rawValue)", headers + [("if-none-match", answer.fields["etag"].first ?? "")])
                #expect(unchanged.status == 304 && unchanged.body.isEmpty)
            }
            let head = try await get(.HEAD, "/\(list.rawValue)", [])
            #expect(head.status == 200 && head.body.isEmpty)
            let posted = try await get(.POST, "/\(list.rawValue)", [])
            #expect(posted.status == 405 && posted.fields["allow"] == ["GET, HEAD"])
        }
    }

    @Test func `the forms of a list have different entity tags`() async throws {
        try await serving { get in
            let plain = try await get(.GET, "/data", [])
            let compressed = try await get(.GET, "/data", [("accept-encoding", "gzip")])
            #expect(plain.fields["etag"] != compressed.fields["etag"])
        }
    }

    @Test func `lists have no other path, and without the setting none`() async throws {
        try await serving { get in
            for path in ["/data/", "/data.gz", "/Data", "/version/v1/further/data", "/other", "//data"] {
                #expect(try await get(.GET, path, []).status == 404, "\(path)")
            }
            let answer = try await get(.GET, "/data", [])
            #expect(answer.status == 200)
        }
        try await serving(with: false) { get in
            let answer = try await get(.GET, "/data", [])
            #expect(answer.status == 404)
        }
    }
}
