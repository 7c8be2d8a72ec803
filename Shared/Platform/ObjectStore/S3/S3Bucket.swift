import Crypto
import FoundationEssentials
import HTTPTypes
import Loop
package import PublishedTree
package import Running

/// The published tree in a bucket of an S3 store: an object's key is its path.
package struct S3Bucket: TreeStore {
    private let endpoint: S3Endpoint
    private let client: S3Client
    private let pageSize: Int

    /// The bucket's name.
    var name: String { endpoint.bucket }

    /// The maximum size of an object in bytes. A package of 600,000 keys has a fifth of it.
    private static let objectLimit = 128 << 20
    /// How many objects one request may list or remove.
    private static let requestLimit = 1000
    /// A listing with more pages is taken for a store that never ends it.
    private static let maximumPages = 10_000

    /// - Parameter settings: the keys `s3.…` that the README of `distribution` lists; the files that they name are read now.
    package init(_ settings: Settings, clock: WallClock) throws(ConfigurationProblem) {
        try self.init(settings, clock: clock, retries: S3RetryPolicy(), pageSize: Self.requestLimit)
    }

    /// - Parameter pageSize: how many objects one request lists.
    init(
        _ settings: Settings, clock: WallClock, retries: S3RetryPolicy, pageSize: Int
    ) throws(ConfigurationProblem) {
        endpoint = try S3Endpoint(settings)
        client = try S3Client(
            endpoint, signature: S3Signature(credentials: try S3Credentials(settings), region: endpoint.region),
            retries: retries, clock: clock)
        self.pageSize = pageSize
    }

    // MARK: Listing

    /// Reads the whole listing, page by page.
    package func objects() async throws -> [TreeKey: StoredObject] {
        var objects: [TreeKey: StoredObject] = [:]
        var token: String?
        for _ in 0..<Self.maximumPages {
            let page = try await page(after: token)
            objects.merge(page.objects) { _, later in later }
            guard let next = page.next else { return objects }
            guard next != token else { break }
            token = next
        }
        throw client.problem(.malformedAnswer, task: "Listing the objects")
    }

    private func page(after token: String?) async throws -> S3Page {
        let task = "Listing the objects"
        var query = [
            S3Request.Parameter(name: "list-type", value: "2"),
            S3Request.Parameter(name: "max-keys", value: String(pageSize)),
            S3Request.Parameter(name: "prefix", value: "version"),
        ]
        if let token { query.append(S3Request.Parameter(name: "continuation-token", value: token)) }
        // A key has up to 1024 bytes, each of which may be escaped.
        let answer = try await client.send(request(.get, query: query), limit: 16 << 20, for: task)
        guard let element = S3Element(parsing: answer.body), let page = S3Page(element) else {
            throw client.problem(.malformedAnswer, task: task)
        }
        return page
    }

    // MARK: Reading and writing

    /// Nil if the store answers `NoSuchKey`; any other 404 is a problem.
    package func read(_ key: TreeKey) async throws -> [UInt8]? {
        do {
            return try await client.send(
                request(.get, key), limit: Self.objectLimit, for: "Reading \(key.path)"
            ).body
        } catch let problem as S3Problem where problem.cause == .refused(status: 404, code: "NoSuchKey") {
            return nil
        }
    }

    /// Sends two digests with the content, and the store refuses content that doesn't match: SHA-256, which is signed,
    /// and MD5 for stores that don't check the other. The store answers with the MD5 of what it stored, which is compared
    /// as well. Without an MD5 in the answer the object is read again.
    package func write(_ content: [UInt8], to key: TreeKey) async throws {
        let task = "Writing \(key.path)"
        let body = await Body(content)
        let request = request(
            .put, key,
            fields: [
                S3Request.Field(name: "content-type", value: key.contentType),
                S3Request.Field(name: "cache-control", value: key.cacheControl),
                S3Request.Field(name: "content-md5", value: body.md5.base64EncodedString()),
            ], bodySHA256: body.sha256)
        let answer = try await client.send(request, body: body.bytes, for: task)
        if let stored = answer.entityTag.flatMap(StoredObject.md5(entityTag:)) {
            guard stored == body.md5.hexadecimal else { throw client.problem(.differs, task: task) }
        } else {
            guard let stored = try await read(key) else { throw client.problem(.notStored, task: task) }
            guard stored == content else { throw client.problem(.differs, task: task) }
        }
    }

    // MARK: Removing

    /// Removes all it can, then throws if the store kept any.
    package func remove(_ keys: [TreeKey]) async throws {
        var kept: [(key: String, code: String)] = []
        for start in stride(from: 0, to: keys.count, by: Self.requestLimit) {
            kept += try await removeTogether(keys[start..<min(start + Self.requestLimit, keys.count)])
        }
        if let first = kept.first {
            throw client.problem(
                .notRemoved(key: first.key, code: first.code, count: kept.count), task: "Removing objects")
        }
    }

    /// - Returns: the objects that the store kept, each with the store's error code.
    private func removeTogether(_ keys: ArraySlice<TreeKey>) async throws -> [(key: String, code: String)] {
        let task = "Removing objects"
        let document =
            #"<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Quiet>true</Quiet>"#
            + keys.map { "<Object><Key>\(Self.escaped($0.path))</Key></Object>" }.joined() + "</Delete>"
        let body = await Body(Array(document.utf8))
        let request = request(
            .post, query: [S3Request.Parameter(name: "delete", value: "")],
            fields: [
                S3Request.Field(name: "content-type", value: "application/xml"),
                S3Request.Field(name: "content-md5", value: body.md5.base64EncodedString()),
            ], bodySHA256: body.sha256)
        // Each error quotes a key.
        let answer = try await client.send(request, body: body.bytes, limit: 16 << 20, for: task)
        guard let result = S3Element(parsing: answer.body), result.name == "DeleteResult" else {
            throw client.problem(.malformedAnswer, task: task)
        }
        let known = Set(keys.map(\.path))
        return try result.children.filter { $0.name == "Error" }.map { error in
            guard let key = error["Key"], known.contains(key), let code = error["Code"].flatMap(S3Problem.code) else {
                throw client.problem(.malformedAnswer, task: task)
            }
            return (key, code)
        }
    }

    private static func escaped(_ key: String) -> String {
        key.reduce(into: "") { text, character in
            switch character {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            default: text.append(character)
            }
        }
    }

    // MARK: Requests

    /// A request body with its digests.
    private struct Body: Sendable {
        let bytes: [UInt8]
        let sha256: String
        let md5: Data

        /// Hashing a large package takes a while, so it runs on a thread that may block.
        init(_ content: [UInt8]) async {
            bytes = content
            (sha256, md5) = await Blocking.run {
                (SHA256.hash(data: content).hexadecimal, Data(Insecure.MD5.hash(data: content)))
            }
        }
    }

    private static let emptySHA256 = SHA256.hash(data: Data()).hexadecimal

    /// A request to the bucket itself, or to an object in it.
    private func request(
        _ method: HTTPRequest.Method, _ key: TreeKey? = nil, query: [S3Request.Parameter] = [],
        fields: [S3Request.Field] = [], bodySHA256: String = S3Bucket.emptySHA256
    ) -> S3Request {
        S3Request(
            method: method, path: "/\(endpoint.bucket)" + (key.map { "/\($0.path)" } ?? ""), query: query,
            fields: fields + [S3Request.Field(name: "host", value: endpoint.host)], bodySHA256: bodySHA256)
    }
}
