import Crypto
import Foundation
import PublishedTree
import Serving
import TestSupport
import Testing

@testable import ObjectStore

/// A bucket of a failing store.
@Suite(.timeLimit(.minutes(5))) struct S3TroubleTests {
    private static let key = TreeKey("version/v1")
    private static let content = Array("content".utf8)
    private static let tag = "\"\(Insecure.MD5.hash(data: content).hexadecimal)\""
    private static let lastPage = "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>"

    private static func error(_ code: String) -> String {
        "<?xml version=\"1.0\"?><Error><Code>\(code)</Code><Message>hush</Message></Error>"
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

    // MARK: Transient errors

    @Test(
        "transient errors are retried until the request succeeds",
        arguments: [
            ScriptedStore.Line.answer(500, error("InternalError")), .answer(503, error("SlowDown")),
            .answer(502, "<html>"),
            .answer(429), .answer(400, error("RequestTimeout")), .answer(409, error("OperationAborted")),
            .answer(503, String(repeating: "x", count: 1 << 20)), .answer(200, error("InternalError")),
        ])
    func passing(line: ScriptedStore.Line) async throws {
        try await ScriptedStore.run([line, line, .answer(200, entityTag: Self.tag)]) { store, bucket in
            try await bucket.write(Self.content, to: Self.key)
            #expect(store.requests == Array(repeating: "PUT /published/version/v1", count: 3))
            #expect(store.pauses == [.milliseconds(200), .milliseconds(400)])
        }
    }

    @Test("a timeout is retried")
    func silence() async throws {
        try await ScriptedStore.run([.silence, .answer(200, "late")], deadline: .seconds(5)) { store, bucket in
            let content = try await bucket.read(Self.key)
            #expect(content == Array("late".utf8))
            #expect(store.requests.count == 2)
        }
    }

    @Test("a failed connection is retried and then reported")
    func noConnection() async throws {
        let nowhere = ["s3.endpoint": "http://127.0.0.1:\(TestPort.free())"]
        try await ScriptedStore.run([.silence], settings: nowhere) { store, bucket in
            let problem = try await problem { _ = try await bucket.objects() }
            #expect(problem.cause == .noConnection)
            #expect(
                problem.description
                    == "Listing the objects in the bucket published failed after 5 attempts: there was no connection; "
                    + "check s3.endpoint, the network, and that the server's certificate is valid and trusted.")
            #expect(store.pauses.count == 4)
        }
    }

    @Test("retries end after five attempts, with growing pauses")
    func end() async throws {
        try await ScriptedStore.run([.answer(503, Self.error("SlowDown"))]) { store, bucket in
            let problem = try await problem { try await bucket.write(Self.content, to: Self.key) }
            #expect(
                problem.description
                    == "Writing version/v1 in the bucket published failed after 5 attempts: the store answered 503 "
                    + "SlowDown; check the store's health; the next run tries again.")
            #expect(store.requests.count == 5)
            #expect(store.pauses == [200, 400, 800, 1600].map { .milliseconds($0) })
        }
    }

    @Test("pauses have jitter and a maximum", arguments: [0, 0.5, 1])
    func pauses(jitter: Double) {
        let policy = S3RetryPolicy(jitter: { jitter })
        #expect(policy.pause(after: 1) == .milliseconds(200) * (0.5 + jitter / 2))
        #expect(policy.pause(after: 50) == .milliseconds(6400) * (0.5 + jitter / 2))
    }

    @Test("a cancelled request ends at once")
    func cancelled() async throws {
        try await ScriptedStore.run([.silence]) { _, bucket in
            _ = await #expect(throws: CancellationError.self) {
                try await withThrowingTaskGroup { group in
                    group.addTask { try await bucket.read(Self.key) }
                    group.cancelAll()
                    for try await _ in group {}
                }
            }
        }
    }

    // MARK: Permanent errors

    @Test(
        "permanent errors are reported at once, with what to check",
        arguments: [
            (ScriptedStore.Line.answer(403, error("RequestTimeTooSkewed")), "clock"),
            (.answer(400, error("ExpiredToken")), "s3.sessionToken"), (.answer(400, error("BadDigest")), "network"),
            (.answer(301, error("PermanentRedirect")), "s3.region"),
            (.answer(400, error("AuthorizationHeaderMalformed")), "s3.region"), (.answer(403), "s3:PutObject"),
            (.answer(404, "<html>"), "404"), (.answer(418, error("<x>hush</x>")), "418"),
            (.answer(400, error("hush hush")), "400"), (.answer(204), "204"),
        ])
    func staying(line: ScriptedStore.Line, advice: String) async throws {
        try await ScriptedStore.run([line]) { store, bucket in
            let problem = try await problem { try await bucket.write(Self.content, to: Self.key) }
            #expect(problem.description.contains(advice))
            #expect(!problem.description.contains("hush"))
            #expect(store.requests.count == 1)
        }
    }

    @Test("a redirect is not followed")
    func redirect() async throws {
        try await ScriptedStore.run([.redirect(to: "/elsewhere"), .answer(200, "stolen")]) { store, bucket in
            let problem = try await problem { _ = try await bucket.read(Self.key) }
            #expect(problem.cause == .refused(status: 307, code: nil))
            #expect(store.requests.count == 1)
        }
    }

    @Test("404 means that an object is missing only with the store's code for it")
    func missing() async throws {
        try await ScriptedStore.run([.answer(404, Self.error("NoSuchKey")), .answer(404)]) { _, bucket in
            let content = try await bucket.read(Self.key)
            #expect(content == nil)
            let problem = try await problem { _ = try await bucket.read(Self.key) }
            #expect(problem.cause == .refused(status: 404, code: nil))
        }
    }

    @Test("an error that comes with 200 is a failure of every operation", arguments: ["AccessDenied", "InternalError"])
    func errorInSuccess(code: String) async throws {
        try await ScriptedStore.run([.answer(200, Self.error(code), entityTag: Self.tag)]) { store, bucket in
            let operations: [() async throws -> Void] = [
                { _ = try await bucket.objects() }, { try await bucket.write(Self.content, to: Self.key) },
                { try await bucket.remove([Self.key]) },
            ]
            for operation in operations {
                let problem = try await problem(operation)
                #expect(problem.cause == .refused(status: 200, code: code))
                #expect(problem.attempts == (code == "InternalError" ? 5 : 1))
            }
            // The body of an object may be anything.
            #expect(try await bucket.read(Self.key) == Array(Self.error(code).utf8))
        }
    }

    @Test("an object whose MD5 the store doesn't tell is read, and has to be there and the same")
    func readBack() async throws {
        let confirmed = ScriptedStore.Line.answer(200)
        let answers: [(ScriptedStore.Line, S3Problem.Cause)] = [
            (.answer(404, Self.error("NoSuchKey")), .notStored), (.answer(200, "other"), .differs),
        ]
        for (answer, cause) in answers {
            try await ScriptedStore.run([confirmed, answer]) { store, bucket in
                let problem = try await problem { try await bucket.write(Self.content, to: Self.key) }
                #expect(problem.cause == cause)
                #expect(store.requests == ["PUT /published/version/v1", "GET /published/version/v1"])
            }
        }
    }

    @Test(
        "a store that keeps no object below another one is named as such",
        arguments: ["ExistingObjectIsDirectory", "ObjectParentIsFile"])
    func nesting(code: String) async throws {
        try await ScriptedStore.run([.answer(409, Self.error(code))]) { _, bucket in
            let problem = try await problem { try await bucket.write(Self.content, to: Self.key) }
            #expect(problem.description.hasSuffix("the store keeps no object below another one: use another store."))
        }
    }

    @Test("another MD5 in the answer is an error; with an entity tag that is no MD5 the object is read")
    func different() async throws {
        let other = "\"\(Insecure.MD5.hash(data: Array("other".utf8)).hexadecimal)\""
        try await ScriptedStore.run([.answer(200, entityTag: other)]) { _, bucket in
            let problem = try await problem { try await bucket.write(Self.content, to: Self.key) }
            #expect(problem.cause == .differs)
            #expect(problem.description.contains("SSE-S3"))
        }
        let same = ScriptedStore.Line.answer(200, "content")
        try await ScriptedStore.run([.answer(200, entityTag: "\"v-7\""), same, .answer(200), same]) { store, bucket in
            try await bucket.write(Self.content, to: Self.key)
            try await bucket.write(Self.content, to: Self.key)
            #expect(store.requests.filter { $0.hasPrefix("GET") }.count == 2)
        }
    }

    // MARK: Malformed answers

    @Test(
        "a malformed or endless listing is an error, not an empty bucket",
        arguments: [
            "", "[]", "<html></html>", "<ListBucketResult></ListBucketResult>",
            "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken>"
                + "</ListBucketResult>",
        ])
    func listing(body: String) async throws {
        try await ScriptedStore.run([.answer(200, body)]) { store, bucket in
            let problem = try await problem { _ = try await bucket.objects() }
            #expect(problem.cause == .malformedAnswer)
            #expect(store.requests.count <= 2)
        }
    }

    @Test("an answer beyond the limit is refused")
    func tooLong() async throws {
        let body = String(repeating: " ", count: 17 << 20) + Self.lastPage
        try await ScriptedStore.run([.answer(200, body)]) { store, bucket in
            let problem = try await problem { _ = try await bucket.objects() }
            #expect(problem.cause == .tooLarge)
            #expect(store.requests.count == 1)
        }
    }

    @Test("objects that the store keeps are reported, and the others are removed")
    func kept() async throws {
        let keys = (0..<1001).map { TreeKey("version/\($0)") }
        let first = """
            <DeleteResult><Error><Key>version/7</Key><Code>AccessDenied</Code><Message>hush</Message></Error>\
            <Error><Key>version/8</Key><Code>InternalError</Code></Error></DeleteResult>
            """
        try await ScriptedStore.run([.answer(200, first), .answer(200, "<DeleteResult/>")]) { store, bucket in
            let problem = try await problem { try await bucket.remove(keys) }
            #expect(problem.cause == .notRemoved(key: "version/7", code: "AccessDenied", count: 2))
            #expect(
                problem.description.hasPrefix(
                    "Removing objects in the bucket published failed: the store kept 2 objects, such as version/7 "
                        + "(AccessDenied); the access key needs"))
            #expect(store.requests == ["POST /published", "POST /published"])
        }
    }

    @Test("keys are escaped in XML")
    func escaped() async throws {
        try await ScriptedStore.run([.answer(200, "<DeleteResult/>")]) { store, bucket in
            try await bucket.remove([TreeKey("version/a&b<c>"), TreeKey("version/\"d\"")])
            #expect(
                store.bodies == [
                    #"<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Quiet>true</Quiet>"#
                        + "<Object><Key>version/a&amp;b&lt;c&gt;</Key></Object>"
                        + #"<Object><Key>version/"d"</Key></Object></Delete>"#
                ])
        }
    }

    @Test(
        "a malformed answer to a removal is an error",
        arguments: [
            "", "<Other/>", "<DeleteResult><Error/></DeleteResult>",
            "<DeleteResult><Error><Key>version/v1</Key></Error></DeleteResult>",
            "<DeleteResult><Error><Key>elsewhere</Key><Code>AccessDenied</Code></Error></DeleteResult>",
        ])
    func removal(body: String) async throws {
        try await ScriptedStore.run([.answer(200, body)]) { _, bucket in
            let problem = try await problem { try await bucket.remove([Self.key]) }
            #expect(problem.cause == .malformedAnswer)
        }
    }

    // MARK: TLS

    @Test("a private authority is trusted only if it is configured")
    func authorities() async throws {
        let certificates = try TestCertificates()
        let security = Listener.Security.publicTLS(try certificates.files(role: nil))
        let trusting = ["s3.authorities": certificates.directory + "/authority.pem"]
        try await ScriptedStore.run([.answer(200, Self.lastPage)], security: security, settings: trusting) {
            _, bucket in
            let objects = try await bucket.objects()
            #expect(objects.isEmpty)
        }
        try await ScriptedStore.run([.answer(200, Self.lastPage)], security: security) { store, bucket in
            let problem = try await problem { _ = try await bucket.objects() }
            #expect(problem.cause == .noConnection)
            #expect(store.requests.isEmpty)
        }
    }
}
