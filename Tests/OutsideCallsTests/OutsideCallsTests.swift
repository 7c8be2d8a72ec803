import FoundationEssentials
import HTTPContract
import HTTPTypes
import Loop
import OutsideCalls
import Running
import Serving
import TLS
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct OutsideCallsTests {
    @Test("a request and its answer arrive whole, each call on a connection of its own")
    func plain() async throws {
        let server = try RawServer()
        let calls = try OutsideCalls()
        var request = OutsideRequest("http://127.0.0.1:\(server.port)/path?query", body: Array("body".utf8))
        request.fields[.contentType] = "text/plain"
        for _ in 0..<2 {
            let answer = try await calls.send(request, within: .seconds(20), limit: 2)
            #expect(answer.status == .ok)
            #expect(answer.fields[try #require(HTTPField.Name("x-own"))] == "value")
            #expect(answer.body == Array("ok".utf8))
        }
        #expect(server.requests.count == 2)
        let sent = server.requests[0].lowercased()
        #expect(sent.hasPrefix("post /path?query http/1.1\r\n"))
        #expect(sent.contains("content-type: text/plain\r\n") && sent.hasSuffix("\r\n\r\nbody"))
        #expect(!sent.contains("expect:") && !sent.contains("cookie") && !sent.contains("accept-encoding"))
    }

    @Test("without a body, another method than GET announces an empty one, and no type of it")
    func otherMethod() async throws {
        let server = try RawServer()
        let request = OutsideRequest("http://127.0.0.1:\(server.port)/a?b=c", method: .put)
        #expect(try await OutsideCalls().send(request, within: .seconds(20), limit: 2).status == .ok)
        let sent = try #require(server.requests.first).lowercased()
        #expect(sent.hasPrefix("put /a?b=c http/1.1\r\n"))
        #expect(sent.contains("content-length: 0\r\n") && !sent.contains("content-type"))
    }

    @Test("an answer that is too large, with a length or in chunks, is refused")
    func tooLarge() async throws {
        for head in ["Content-Length: 101\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n65\r\n", "\r\n"] {
            let server = try RawServer("HTTP/1.1 200 OK\r\n\(head)\(String(repeating: "a", count: 101))")
            #expect(await problem(try OutsideCalls(), "http://127.0.0.1:\(server.port)") == .tooLarge)
        }
        let server = try RawServer(
            "HTTP/1.1 200 OK\r\n" + String(repeating: "X: \(String(repeating: "y", count: 1000))\r\n", count: 100))
        #expect(await problem(try OutsideCalls(), "http://127.0.0.1:\(server.port)") == .tooLarge)
    }

    @Test("the deadline is for everything, also for an answer that has begun")
    func deadline() async throws {
        for answer in ["", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\na"] {
            let server = try RawServer(answer)
            let url = "http://127.0.0.1:\(server.port)"
            #expect(await problem(try OutsideCalls(), url, within: .milliseconds(100)) == .timedOut)
        }
    }

    @Test("a POST that the server has read isn't sent again when the connection ends")
    func notRepeated() async throws {
        let server = try RawServer(closes: true, "")
        let request = OutsideRequest("http://127.0.0.1:\(server.port)", body: Array("body".utf8))
        await #expect(throws: OutsideProblem.malformed) {
            try await OutsideCalls().send(request, within: .seconds(20), limit: 100)
        }
        #expect(server.requests.count == 1)
    }

    @Test("a redirect is an answer")
    func redirect() async throws {
        let target = try RawServer()
        let place = "http://127.0.0.1:\(target.port)/"
        let server = try RawServer("HTTP/1.1 302 Found\r\nLocation: \(place)\r\nContent-Length: 0\r\n\r\n")
        let answer = try await OutsideCalls().send(
            OutsideRequest("http://127.0.0.1:\(server.port)"), within: .seconds(20), limit: 0)
        #expect(answer.status == .found)
        #expect(answer.fields[.location] == place)
        #expect(target.connections == 0)
    }

    @Test(
        "what isn't a URL of HTTP is refused",
        arguments: [
            "file:///etc/passwd", "ftp://127.0.0.1/", "127.0.0.1", "http://user@127.0.0.1/", "http://127.0.0.1 /",
            "HTTP://127.0.0.1", "http://", "",
        ])
    func urls(_ url: String) async throws {
        #expect(await problem(try OutsideCalls(), url) == .url)
    }

    @Test("nobody there, and a name without an address, are no connection")
    func nobody() async throws {
        #expect(await problem(try OutsideCalls(), "http://127.0.0.1:1") == .noConnection)
        #expect(await problem(try OutsideCalls(), "http://vigil.invalid") == .noConnection)
    }

    @Test("a cancelled task gets an error")
    func cancelled() async throws {
        let server = try RawServer("")
        let url = "http://127.0.0.1:\(server.port)"
        let task = Task { await problem(try OutsideCalls(), url) }
        while server.requests.isEmpty { await Task.yield() }
        task.cancel()
        #expect(try await task.value == .cancelled)
    }

    // MARK: TLS

    @Test("a server's certificate is judged by the authorities that are given, and its name")
    func tls() async throws {
        let certificates = try TestCertificates()
        let other = try TestCertificates()
        let context = try certificates.files(role: nil).optionalServer(protocols: ["http/1.1"])
        let server = try RawServer(secure: context)
        let own = try OutsideCalls(authorities: certificates.directory + "/authority.pem")
        #expect(await problem(own, "https://localhost:\(server.port)") == nil)
        #expect(await problem(own, "https://127.0.0.1:\(server.port)") == nil)
        let foreign = try OutsideCalls(authorities: other.directory + "/authority.pem")
        #expect(await problem(foreign, "https://localhost:\(server.port)") == .tls)
        #expect(await problem(try OutsideCalls(), "https://localhost:\(server.port)") == .tls)

        let wrongName = try certificates.files(role: nil, dnsNames: ["elsewhere"], ipAddresses: []).optionalServer(
            protocols: [])
        let misnamed = try RawServer(secure: wrongName)
        #expect(await problem(own, "https://localhost:\(misnamed.port)") == .tls)
    }

    @Test("our certificate is shown to a server that asks for it")
    func identity() async throws {
        let certificates = try TestCertificates()
        let files = try certificates.files(role: .portal)
        let listener = Listener.greeting(.mutualTLS(try certificates.files(role: .verificationServer)))
        try await withService(listeners: [listener]) { _ in
            let calls = try OutsideCalls(files, peer: "greeter")
            #expect(calls.watchedTLS?.label.1 == "greeter")
            var request = OutsideRequest(
                "https://localhost:\(try await listener.boundPort)/greet", body: Array(#"{"name":"Ada"}"#.utf8))
            request.fields[.contentType] = "application/json"
            let answer = try await calls.send(request, within: .seconds(20), limit: 1000)
            #expect(answer.status == .ok)
            #expect(String(decoding: answer.body, as: UTF8.self).contains("Ada portal"))
        }
    }

    @Test("a file without authorities is refused at the start")
    func noAuthorities() {
        #expect(throws: (any Error).self) { try OutsideCalls(authorities: "/dev/null") }
    }

    // MARK: Documents

    @Test("a document is read, and a form posted")
    func document() async throws {
        let server = try RawServer()
        let document = try OutsideDocument(url: "http://127.0.0.1:\(server.port)/keys", authorities: nil)
        #expect(try await document.read() == Data("ok".utf8))
        var form = URLEncodedValues()
        form["grant_type"] = "code"
        let answer = try await document.post(form, authorization: "Basic eA==")
        #expect(answer.status == .ok && answer.body == Data("ok".utf8))
        let sent = server.requests.map { $0.lowercased() }
        #expect(sent[0].hasPrefix("get /keys ") && sent[0].contains("accept: application/json\r\n"))
        #expect(sent[1].contains("authorization: basic ea==\r\n"))
        #expect(sent[1].contains("content-type: application/x-www-form-urlencoded\r\n"))
        #expect(sent[1].hasSuffix("\r\n\r\ngrant_type=code"))
    }

    @Test("a document that isn't there, late or too large is an error of the call")
    func noDocument() async throws {
        let missing = try RawServer("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        let large = try RawServer()
        let late = try RawServer("")
        for (server, error, deadline) in [
            (missing, DocumentProblem.status(.notFound), Duration.seconds(20)),
            (large, .call(.tooLarge), .seconds(20)), (late, .call(.timedOut), .milliseconds(500)),
        ] {
            let document = try OutsideDocument(
                url: "http://127.0.0.1:\(server.port)", authorities: nil, limit: 1, deadline: deadline)
            await #expect(throws: error) { try await document.read() }
        }
    }
}
