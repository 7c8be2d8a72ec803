import Crypto
import FoundationEssentials
import HTTPTypes
import PublishedTree
import Running
import TestSupport
import Testing

@testable import ObjectStore

/// Runs against an S3 server that checks every signature and policy.
@Suite(.enabled(if: TestPython.isAvailable, "needs VIGIL_TEST_PYTHON"), .timeLimit(.minutes(5)))
struct S3BucketTests {
    private static let dates = TreeKey("version/v1/diagnosis-keys/country/DE/date")

    private static func md5(_ content: [UInt8]) -> String { Insecure.MD5.hash(data: content).hexadecimal }

    /// A bucket as the publisher sees it.
    private func place(
        _ bucket: TestBucket, as user: TestBucket.User = .publisher, changing: [String: String] = [:],
        pageSize: Int = 1000
    ) throws -> S3Bucket {
        let settings = bucket.settings(of: user).merging(changing) { $1 }
        return try S3Bucket(Settings(settings), clock: .system, retries: S3RetryPolicy(), pageSize: pageSize)
    }

    /// Calls `body` and returns the problem that it throws.
    private func problem(_ body: () async throws -> Void) async throws -> S3Problem {
        do {
            try await body()
        } catch let problem as S3Problem {
            return problem
        }
        throw NoProblem()
    }

    private struct NoProblem: Error {}

    // MARK: Operations

    @Test("written objects are read and listed with their bytes", arguments: [TestBucket.User.publisher, .lent])
    func roundTrip(user: TestBucket.User) async throws {
        try await TestBucket.with { bucket in
            let place = try place(bucket, as: user)
            let contents: [TreeKey: [UInt8]] = [
                TreeKey("version"): Array(#"["v1"]"#.utf8), Self.dates / "2026-11-20": Array(0...255),
                Self.dates / "2026-11-20/hour": [],
                Self.dates / "2026-11-20/hour/13": Array(repeating: 7, count: 3 << 20),
            ]
            #expect(try await place.objects().isEmpty)
            for (key, content) in contents { try await place.write(content, to: key) }
            for (key, content) in contents { #expect(try await place.read(key) == content) }
            let expected = contents.mapValues { StoredObject(size: $0.count, md5: Self.md5($0)) }
            #expect(try await place.objects() == expected)
        }
    }

    @Test("a missing object reads as nil, and removing it is no error")
    func missing() async throws {
        try await TestBucket.with { bucket in
            let place = try place(bucket)
            #expect(try await place.read(TreeKey("version/v1")) == nil)
            try await place.remove([TreeKey("version/v1")])
            try await place.remove([])
        }
    }

    @Test("a second write replaces the first")
    func overwrite() async throws {
        try await TestBucket.with { bucket in
            let place = try place(bucket)
            let key = TreeKey("version/v1")
            for content in [Array("first".utf8), Array("second one".utf8)] {
                try await place.write(content, to: key)
                #expect(try await place.read(key) == content)
                #expect(try await place.objects() == [key: StoredObject(size: content.count, md5: Self.md5(content))])
            }
        }
    }

    @Test("a listing has all pages, and only objects of the tree", arguments: [1, 3, 4, 1000])
    func pages(size: Int) async throws {
        try await TestBucket.with { bucket in
            let place = try place(bucket, pageSize: size)
            for foreign in ["versions/readme", "aside", "version/.hidden", "version/v1/a b"] {
                try await place.write(Array("x".utf8), to: TreeKey(foreign))
            }
            let keys = (0..<12).map { Self.dates / "2026-11-20/hour/\($0)" }
            for key in keys { try await place.write(Array(key.path.utf8), to: key) }
            let listed = try await place.objects()
            #expect(listed.keys.sorted() == keys.sorted())
        }
    }

    @Test(
        "an object is served with its content type and cache lifetime",
        arguments: [
            ("version", "application/json", "public, max-age=300"),
            ("version/v1/diagnosis-keys/country/DE/date/2026-11-20/hour", "application/json", "public, max-age=300"),
            ("version/v1/diagnosis-keys/country/DE/date/2026-11-20/hour/13", "application/zip", "public, max-age=3600"),
            ("version/v1/app_config_ios", "application/zip", "public, max-age=300"),
        ])
    func fields(path: String, type: String, caching: String) async throws {
        try await TestBucket.with { bucket in
            // Also of an object that is written again.
            for content in ["earlier content", "content"] {
                try await place(bucket).write(Array(content.utf8), to: TreeKey(path))
            }
            let answer = try await send(.GET, path, to: bucket)
            #expect(answer.status == 200)
            #expect(answer.body == "content")
            #expect(answer["content-type"] == type)
            #expect(answer["cache-control"] == caching)
            #expect(answer["etag"] == "\"\(Self.md5(Array("content".utf8)))\"")
        }
    }

    @Test("more objects than fit in one request are removed, and no others")
    func removal() async throws {
        try await TestBucket.with { bucket in
            let place = try place(bucket)
            let keys = (0..<1003).map { Self.dates / "2026-11-20/hour/\($0)" }
            try await withThrowingTaskGroup { group in
                for part in 0..<4 {
                    group.addTask {
                        for number in stride(from: part, to: keys.count, by: 4) {
                            try await place.write([1], to: keys[number])
                        }
                    }
                }
                try await group.waitForAll()
            }
            let before = try await place.objects().count
            #expect(before == 1003)
            try await place.remove(Array(keys.dropLast(2)))
            let after = try await place.objects()
            #expect(Set(after.keys) == Set(keys.suffix(2)))
        }
    }

    /// The test server encodes other characters differently before it checks the signature; AWS's client fails on them, too.
    @Test("a path is encoded as S3 decodes it", arguments: ["a b", "a?b", "a#b", "a~b", "a//b", "a/./../b"])
    func strangeKeys(name: String) async throws {
        try await TestBucket.with { bucket in
            let place = try place(bucket)
            let key = TreeKey("version/\(name)")
            try await place.write(Array(name.utf8), to: key)
            #expect(try await place.read(key) == Array(name.utf8))
            try await place.remove([key])
            #expect(try await place.read(key) == nil)
        }
    }

    // MARK: Refusals

    @Test("a wrong secret is refused, and the error says what to check")
    func wrongSecret() async throws {
        try await TestBucket.with { bucket in
            let other = bucket.settings(of: .reader)["s3.secretAccessKey"]
            let place = try place(bucket, changing: ["s3.secretAccessKey": other ?? ""])
            let problem = try await problem { try await place.write([1], to: TreeKey("version/v1")) }
            #expect(problem.cause == .refused(status: 403, code: "SignatureDoesNotMatch"))
            #expect(
                problem.description
                    == "Writing version/v1 in the bucket \(bucket.name) failed: the store answered 403 "
                    + "SignatureDoesNotMatch; check that s3.secretAccessKey belongs to s3.accessKeyID.")
            for user in [TestBucket.User.publisher, .reader] {
                #expect(!problem.description.contains(try bucket.key(of: user).secret))
            }
            let objects = try await self.place(bucket).objects()
            #expect(objects.isEmpty)
        }
    }

    @Test("every operation's error names the task and the store's answer")
    func refusals() async throws {
        try await TestBucket.with { bucket in
            let unknown = try place(bucket, changing: ["s3.accessKeyID": "AKIAUNKNOWN"])
            let key = TreeKey("version/v1")
            let operations: [(String, () async throws -> Void)] = [
                ("Listing the objects", { _ = try await unknown.objects() }),
                ("Reading version/v1", { _ = try await unknown.read(key) }),
                ("Writing version/v1", { try await unknown.write([1], to: key) }),
                ("Removing objects", { try await unknown.remove([key]) }),
            ]
            for (task, operation) in operations {
                let problem = try await problem(operation)
                #expect(problem.task == task)
                #expect(problem.cause == .refused(status: 403, code: "InvalidAccessKeyId"))
                #expect(problem.description.hasSuffix("check s3.accessKeyID."))
            }
        }
    }

    @Test("an error for missing rights names the rights")
    func policy() async throws {
        try await TestBucket.with { bucket in
            let publisher = try place(bucket)
            let reader = try place(bucket, as: .reader)
            let key = TreeKey("version/v1")
            try await publisher.write([1], to: key)
            #expect(try await reader.read(key) == [1])
            #expect(try await reader.objects().count == 1)
            let writing = try await problem { try await reader.write([2], to: key) }
            #expect(writing.cause == .refused(status: 403, code: "AccessDenied"))
            #expect(writing.description.contains("s3:PutObject"))
            #expect(try await publisher.read(key) == [1])
        }
    }

    @Test("a missing bucket is an error for every operation, and not an empty bucket")
    func missingBucket() async throws {
        try await TestBucket.with { bucket in
            let place = try place(bucket, changing: ["s3.bucket": "published-elsewhere"])
            let key = TreeKey("version/v1")
            let operations: [() async throws -> Void] = [
                { _ = try await place.objects() }, { _ = try await place.read(key) },
                { try await place.write([1], to: key) }, { try await place.remove([key]) },
            ]
            for operation in operations {
                let problem = try await problem(operation)
                #expect(problem.cause == .refused(status: 404, code: "NoSuchBucket"))
                #expect(problem.description.hasSuffix("check s3.bucket, or create it."))
            }
        }
    }

    // MARK: The control: the server checks signatures

    @Test(
        "a request that was changed after signing is refused",
        arguments: [
            "content-type", "cache-control", "content-md5", "x-amz-content-sha256", "x-amz-date", "authorization",
        ])
    func tampered(field: String) async throws {
        try await TestBucket.with { bucket in
            let signed = [
                "content-type": "application/zip", "cache-control": "public", "content-md5": "xMpCOKC5I4INzFCab3WEmw==",
            ]
            let honest = try await send(.PUT, "version/v1", to: bucket, fields: signed, body: "a")
            #expect(honest.status == 200)
            let answer = try await send(.PUT, "version/v1", to: bucket, fields: signed, body: "a") { fields in
                // Change the signature, not the key's name before it.
                let changed = fields[field].map { $0.replacing("2", with: "3").replacing("p", with: "q") + "0" }
                fields[field] = field == "authorization" ? fields[field].map { $0 + "0" } : changed
            }
            #expect(answer.status == 403)
            #expect(answer.body.contains("SignatureDoesNotMatch"))
        }
    }

    @Test("temporary credentials need their session token")
    func missingToken() async throws {
        try await TestBucket.with { bucket in
            let place = try place(bucket, as: .lent, changing: ["s3.sessionToken": ""])
            let problem = try await problem { _ = try await place.objects() }
            guard case .refused(403, _) = problem.cause else {
                Issue.record("\(problem)")
                return
            }
        }
    }

    /// Sends a signed request, optionally changed after signing.
    private func send(
        _ method: HTTPMethod, _ path: String, to bucket: TestBucket, fields: [String: String] = [:], body: String = "",
        changing change: (inout [String: String]) -> Void = { _ in }
    ) async throws -> RawAnswer {
        let endpoint = try S3Endpoint(Settings(bucket.settings))
        let request = S3Request(
            method: method, path: "/\(bucket.name)/\(path)", query: [],
            fields: fields.map { S3Request.Field(name: $0.key, value: $0.value) }
                + [S3Request.Field(name: "host", value: endpoint.host)],
            bodySHA256: SHA256.hash(data: Data(body.utf8)).hexadecimal)
        let signature = S3Signature(credentials: try S3Credentials(Settings(bucket.settings)), region: endpoint.region)
        var signed = Dictionary(
            uniqueKeysWithValues: signature.fields(of: request, at: WallClock.system.now).map { ($0.name, $0.value) })
        change(&signed)
        let fields = signed
        return try await RawClient.with(endpoint.base, tls: nil) { client in
            try await client.send(method.rawValue, request.target, fields: fields, body.isEmpty ? .none : .text(body))
        }
    }
}
