import Foundation
import ObjectStore
import PublishedTree
import Running
import TLS
import TestSupport
import Testing

@testable import DownloadServer

@Suite(.timeLimit(.minutes(5))) struct DownloadTests {
    private struct Answer: Sendable {
        let status: Int
        /// By lower-case name.
        let fields: [String: String]
        let body: String
    }

    private static let archive = "PK\u{3}\u{4} an archive!"
    private static let date = "version/v1/diagnosis-keys/country/DE/date"

    /// Serves a small tree, with a secret in the folder above it.
    private func serving<Result: Sendable>(
        settings: [String: String] = [:],
        _ body: (_ get: (_ method: String, _ target: String, _ field: String?) async throws -> Answer) async throws
            -> Result
    ) async throws -> Result {
        let directory = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let root = directory.appending(path: "published")
        let tree = DirectoryStore(root: root)
        try await tree.write(Array(#"["v1"]"#.utf8), to: TreeKey("version"))
        try await tree.write(Array(#"["2026-05-27"]"#.utf8), to: TreeKey(Self.date))
        try await tree.write(Array(Self.archive.utf8), to: TreeKey("\(Self.date)/2026-05-27"))
        try await tree.write(Array(Self.archive.utf8), to: TreeKey("\(Self.date)/2026-05-27/hour/13"))
        try await tree.write(Array("hidden".utf8), to: TreeKey("version/.hidden"))
        try await tree.write(Array("hidden".utf8), to: TreeKey("version/.folder/file"))
        try Data("secret".utf8).write(to: directory.appending(path: "secret"))
        let port = TestPort.free()
        let settings = settings.merging(["directory": root.path, "listen.port": "\(port)"]) { own, _ in own }
        let before = try Self.snapshot(of: directory)
        return try await withRunningService("download-server", settings: settings, serve: DownloadServer.serve) { _ in
            let result = try await body { try await Self.request($0, $1, $2, port: port) }
            // Whatever a test requests, it changes nothing.
            #expect(try Self.snapshot(of: directory) == before)
            return result
        }
    }

    /// Every file and folder with its content and modification time.
    private static func snapshot(of directory: URL) throws -> [String: String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
        return try Dictionary(
            uniqueKeysWithValues: names.map { name in
                let url = directory.appending(path: name)
                let modified = try FileManager.default.attributesOfItem(atPath: url.path)[.modificationDate]
                let content = (try? Data(contentsOf: url)) ?? Data()
                return (name, "\(modified ?? "") \(content.base64EncodedString())")
            })
    }

    /// The server closed the connection instead.
    private struct NoAnswer: Error {}

    /// Sends a request without the normalisation of an HTTP client.
    private static func request(
        _ method: String, _ target: String, _ field: String?, port: Int
    ) async throws -> Answer {
        let text = try await RawConnection.open(port: port) { connection in
            let field = field.map { "\($0)\r\n" } ?? ""
            try await connection.write(
                "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(field)\r\n")
            return await connection.readToEnd()
        }
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        let lines = parts[0].split(separator: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw NoAnswer()
        }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let field = line.split(separator: ":", maxSplits: 1)
            fields[field[0].lowercased()] = field[1].trimmingCharacters(in: .whitespaces)
        }
        return Answer(status: status, fields: fields, body: parts.count > 1 ? String(parts[1]) : "")
    }

    @Test("an index is JSON that caches keep for five minutes, a package is a ZIP archive that they keep for an hour")
    func types() async throws {
        try await serving { get in
            for path in ["/version", "/version/", "/\(Self.date)"] {
                let index = try await get("GET", path, nil)
                #expect(index.status == 200)
                #expect(index.fields["content-type"] == "application/json")
                #expect(index.fields["cache-control"] == "public, max-age=300")
                #expect(index.body.hasPrefix("[\""))
            }
            for path in ["/\(Self.date)/2026-05-27", "/\(Self.date)/2026-05-27/hour/13"] {
                let archive = try await get("GET", path, nil)
                #expect(archive.status == 200)
                #expect(archive.fields["content-type"] == "application/zip")
                #expect(archive.fields["cache-control"] == "public, max-age=3600")
                #expect(archive.body == Self.archive)
            }
        }
    }

    @Test("an entity tag depends on the content alone: the same bytes have the same tag on every server")
    func entityTags() async throws {
        let path = "/\(Self.date)/2026-05-27"
        let tags = try await [1, 2].asyncMap { _ in
            try await serving { get in
                let tags = try await [path, path, "\(path)/hour/13", "/version"].asyncMap {
                    try await get("GET", $0, nil).fields["etag"]
                }
                #expect(Set(tags.dropLast()).count == 1)
                #expect(tags.last != tags.first)
                return tags[0]
            }
        }
        #expect(tags[0] == tags[1])
        #expect(tags[0]?.wholeMatch(of: /"[0-9a-f]{8}-[0-9a-f]+"/) != nil)
    }

    @Test("a caller whose copy is current gets 304")
    func conditional() async throws {
        try await serving { get in
            let first = try await get("GET", "/version", nil)
            let tag = try #require(first.fields["etag"])
            for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
                for method in ["GET", "HEAD"] {
                    let answer = try await get(method, "/version", "If-None-Match: \(known)")
                    #expect(answer.status == 304)
                    #expect(answer.body.isEmpty)
                    #expect(answer.fields["etag"] == tag)
                }
            }
            for other in ["\"other\"", "", tag.replacing("\"", with: "")] {
                let answer = try await get("GET", "/version", "If-None-Match: \(other)")
                #expect(answer.status == 200)
            }
        }
    }

    /// The value of `Range`, the status, the range of bytes in the answer.
    static let requestedRanges: [(String, Int, Range<Int>?)] = [
        ("bytes=0-3", 206, 0..<4), ("bytes=2-", 206, 2..<16), ("bytes=-4", 206, 12..<16), ("bytes=3-999", 206, 3..<16),
        ("bytes=-999", 206, 0..<16), ("bytes=15-15", 206, 15..<16), ("bytes=16-", 416, nil), ("bytes=99-100", 416, nil),
        ("bytes=-0", 416, nil), ("bytes=4-2", 200, 0..<16), ("bytes=0-1,3-4", 200, 0..<16), ("bytes=", 200, 0..<16),
        ("bytes=-", 200, 0..<16), ("bytes=a-b", 200, 0..<16), ("lines=0-1", 200, 0..<16), ("bytes=0-+1", 200, 0..<16),
        ("bytes=99999999999999999999-", 200, 0..<16), ("bytes=2-9223372036854775807", 206, 2..<16),
        ("bytes=-9223372036854775807", 206, 0..<16), ("bytes=9223372036854775807-", 416, nil),
    ]

    @Test("a caller can request one range of bytes, to resume a download", arguments: requestedRanges)
    func ranges(field: String, status: Int, range: Range<Int>?) async throws {
        try await serving { get in
            let path = "/\(Self.date)/2026-05-27/hour/13"
            let all = Array(Self.archive.utf8)
            #expect(all.count == 16)
            let answer = try await get("GET", path, "Range: \(field)")
            #expect(answer.status == status)
            #expect(Array(answer.body.utf8) == range.map { Array(all[$0]) } ?? [])
            #expect(answer.fields["accept-ranges"] == "bytes")
            switch (status, range) {
            case (206, let range?):
                #expect(answer.fields["content-range"] == "bytes \(range.lowerBound)-\(range.upperBound - 1)/16")
            case (416, _): #expect(answer.fields["content-range"] == "bytes */16")
            default: #expect(answer.fields["content-range"] == nil)
            }
        }
    }

    @Test("a download is resumed only if the file hasn't changed")
    func ifRange() async throws {
        try await serving { get in
            let path = "/\(Self.date)/2026-05-27/hour/13"
            let tag = try #require(try await get("GET", path, nil).fields["etag"])
            let same = try await get("GET", path, "Range: bytes=2-3\r\nIf-Range: \(tag)")
            #expect(same.status == 206)
            for other in ["\"other\"", "W/\(tag)", "Wed, 21 Oct 2015 07:28:00 GMT"] {
                let answer = try await get("GET", path, "Range: bytes=2-3\r\nIf-Range: \(other)")
                #expect(answer.status == 200)
                #expect(answer.body == Self.archive)
            }
        }
    }

    @Test("HEAD is answered as GET, without the body")
    func head() async throws {
        try await serving { get in
            for path in ["/version", "/\(Self.date)/2026-05-27/hour/13"] {
                let whole = try await get("GET", path, nil)
                let head = try await get("HEAD", path, nil)
                #expect(head.status == 200)
                #expect(head.body.isEmpty)
                for field in ["content-type", "content-length", "etag", "cache-control"] {
                    #expect(head.fields[field] == whole.fields[field])
                }
                #expect(head.fields["content-length"] == "\(whole.body.utf8.count)")
            }
            let nothing = try await get("HEAD", "/nothing", nil)
            #expect(nothing.status == 404)
        }
    }

    @Test("other methods are refused", arguments: ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
    func methods(method: String) async throws {
        try await serving { get in
            let answer = try await get(method, "/version", "Content-Length: 0")
            #expect(answer.status == 405)
            #expect(answer.fields["allow"] == "GET, HEAD")
        }
    }

    @Test("a query is ignored")
    func query() async throws {
        try await serving { get in
            for target in ["/version?a=b&c=../d", "/version?"] {
                let answer = try await get("GET", target, nil)
                #expect(answer.status == 200)
            }
        }
    }

    @Test("with a certificate the same files are served over TLS, and a caller without TLS gets nothing")
    func tls() async throws {
        let certificates = try TestCertificates()
        let server = try certificates.files(role: nil)
        let port = TestPort.free()
        let settings = [
            "public.certificate": server.certificate, "public.key": server.key, "listen.port": "\(port)",
        ]
        try await serving(settings: settings) { _ in
            let caller = try certificates.files(role: nil, name: "caller")
            try await RawClient.with("https://localhost:\(port)", tls: caller) { client in
                let answer = try await client.send("GET", "/\(Self.date)/2026-05-27")
                #expect(answer.status == 200)
                #expect(answer.body == Self.archive)
            }
            let plain = try? await Self.request("GET", "/version", nil, port: port)
            #expect(plain == nil)
        }
    }

    @Test("a certificate without its key is refused at start", arguments: ["public.certificate", "public.key"])
    func incompleteTLS(key: String) async throws {
        let files = try TestCertificates().files(role: nil)
        let settings = [key: key == "public.key" ? files.key : files.certificate]
        await #expect(throws: ConfigurationProblem.self) {
            try await serving(settings: settings) { _ in }
        }
    }

    static let outside = [
        "/", "//", "/nothing", "/version/v1", "/version/nothing", "/version/index", "/\(date)/index",
        "/\(date)/2026-05-27/index", "/\(date)/2026-05-27/hour/13/index", "/\(date)/2026-05-27/hour",
        "/../secret", "/version/../../secret", "/version/..", "/./version", "/version/.", "/%2e%2e/secret",
        "/version/%2e%2e/%2e%2e/secret", "/..%2fsecret", "/version%00", "/version\u{0}", "/version/\u{0}/../secret",
        "/version/.hidden", "/version/.folder/file", "/version%2fv1", "/\\..\\secret", "..", "../secret",
        "/..;/secret", "/version/..%5c..%5csecret", "//../secret",
    ]

    @Test("no request leads out of the tree, or to a file under another name than its own", arguments: outside)
    func traversal(target: String) async throws {
        try await serving { get in
            let answer = try await get("GET", target, nil)
            #expect([400, 404].contains(answer.status), "\(answer.status)")
            #expect(!answer.body.contains("secret") && !answer.body.contains("hidden"))
        }
    }
}

extension Array {
    fileprivate func asyncMap<Result>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
