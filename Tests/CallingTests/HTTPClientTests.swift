import HTTPMessage
import HTTPTypes
import Loop
import Synchronization
import Testing

@testable import Calling

@Suite(.timeLimit(.minutes(5))) struct HTTPClientTests {
    private static let good = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// A server and a client of it, on a core of their own.
    private func stage<R: Sendable>(
        peer change: (inout ClientPeer) -> Void,
        _ respond: @escaping @Sendable (ScriptedServer.Request, String) -> ScriptedServer.Action,
        then body: (ScriptedServer, HTTPClient) async throws -> R
    ) async throws -> R {
        let cores = Cores(count: 1)
        let server = try ScriptedServer(on: cores.all, respond)
        let client = try HTTPClient(base: "http://127.0.0.1:\(server.port)", authorities: nil, on: cores, change)
        let result = try await body(server, client)
        await client.close()
        await server.stop()
        return result
    }

    private func stage<R: Sendable>(
        _ respond: @escaping @Sendable (ScriptedServer.Request, String) -> ScriptedServer.Action,
        then body: (ScriptedServer, HTTPClient) async throws -> R
    ) async throws -> R {
        try await stage(peer: { _ in }, respond, then: body)
    }

    private func get(
        _ client: HTTPClient, _ path: String = "/", within time: Duration = .seconds(20), limit: Int = 1000,
        mayRepeat: Bool = true
    ) async -> Result<String, CallFailure> {
        do throws(CallFailure) {
            let answer = try await client.send(
                ClientRequest(.get, path, mayRepeat: mayRepeat), within: time, limit: limit)
            return .success(String(decoding: answer.body, as: UTF8.self))
        } catch {
            return .failure(error)
        }
    }

    private func word(_ result: Result<String, CallFailure>) -> String {
        switch result {
        case .success(let body): body
        case .failure(.noConnection): "no connection"
        case .failure(let failure): "\(failure)"
        }
    }

    @Test("a connection that ends at the next request is replaced, and the request sent once more")
    func repeated() async throws {
        // How many requests each of the connections answers before it is closed.
        let answers = [1, 2, 0, 0]
        try await stage { request, _ in
            request.number <= answers[request.connection] ? .say(Self.good) : .close
        } then: { server, client in
            for _ in 0..<3 { #expect(word(await get(client)) == "ok") }
            // The third connection isn't one that was kept.
            #expect(word(await get(client)) == "ended")
            #expect(server.requests.map(\.connection) == [0, 0, 1, 1, 1, 2])
        }
    }

    @Test("a request that may not be repeated isn't")
    func once() async throws {
        try await stage { request, _ in
            request.number == 1 ? .say(Self.good) : .close
        } then: { server, client in
            #expect(word(await get(client)) == "ok")
            #expect(word(await get(client, mayRepeat: false)) == "ended")
            #expect(server.requests.count == 2)
        }
    }

    @Test("a request whose answer has begun isn't repeated")
    func begun() async throws {
        try await stage { request, _ in
            request.number == 1 ? .say(Self.good) : .sayAndClose(Array("HTTP/1.1 200".utf8))
        } then: { server, client in
            #expect(word(await get(client)) == "ok")
            #expect(word(await get(client)) == "ended")
            #expect(server.requests.count == 2)
        }
    }

    @Test("requests at a time share the connections that there may be, each with its own answer")
    func shared() async throws {
        try await stage(peer: { $0.connections = 4 }) { _, path in
            .say("HTTP/1.1 200 OK\r\nContent-Length: \(path.utf8.count)\r\n\r\n\(path)")
        } then: { server, client in
            await withTaskGroup(of: Bool.self) { group in
                for number in 0..<200 {
                    group.addTask { word(await get(client, "/\(number)")) == "/\(number)" }
                }
                #expect(await group.allSatisfy { $0 })
            }
            #expect(server.connections <= 4)
            #expect(server.requests.count == 200)
        }
    }

    @Test("the connection that was used last is used first")
    func lastFirst() async throws {
        try await stage(peer: { $0.connections = 4 }) { _, _ in
            .say(Self.good)
        } then: { server, client in
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<20 { group.addTask { _ = await get(client) } }
            }
            let before = server.requests.count
            for _ in 0..<5 { #expect(word(await get(client)) == "ok") }
            #expect(Set(server.requests[before...].map(\.connection)).count == 1)
        }
    }

    @Test("more requests than may wait are refused at once")
    func busy() async throws {
        try await stage(
            peer: {
                $0.connections = 1
                $0.waiting = 3
            }
        ) { _, _ in
            .wait
        } then: { _, client in
            let words = await withTaskGroup(of: String.self) { group in
                for _ in 0..<10 { group.addTask { word(await get(client, within: .milliseconds(300))) } }
                return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(words["late", default: 0] >= 3)
            #expect(words["busy", default: 0] >= 6)
            #expect(words.values.reduce(0, +) == 10)
        }
    }

    @Test("no answer in time is late, and the connection isn't used again")
    func late() async throws {
        try await stage { _, path in
            path == "/wait" ? .wait : .say(Self.good)
        } then: { server, client in
            #expect(word(await get(client, "/wait", within: .milliseconds(50))) == "late")
            #expect(word(await get(client)) == "ok")
            // On a busy machine the first may have been too late for a connection.
            if server.requests.count == 2 { #expect(server.requests.map(\.connection) == [0, 1]) }
        }
    }

    @Test("a cancelled task gets an error at once, and the connection isn't used again")
    func cancelled() async throws {
        try await stage { request, _ in
            request.connection == 0 ? .wait : .say(Self.good)
        } then: { server, client in
            let task = Task { word(await get(client)) }
            while server.requests.isEmpty { await Task.yield() }
            task.cancel()
            #expect(await task.value == "cancelled")
            #expect(word(await get(client)) == "ok")
            #expect(server.connections == 2)
        }
    }

    @Test("a body over its limit is an error, with a length, in chunks, and until the end")
    func tooLarge() async throws {
        let heads = [
            "/length": "HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n",
            "/chunks": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n",
            "/end": "HTTP/1.1 200 OK\r\n\r\n",
        ]
        try await stage { _, path in
            .say((heads[path] ?? "") + String(repeating: "a", count: 1001))
        } then: { _, client in
            for path in heads.keys { #expect(word(await get(client, path)) == "tooLarge") }
        }
    }

    @Test("a large body arrives whole")
    func large() async throws {
        let body = String(repeating: "0123456789", count: 1_000_000)
        try await stage { _, _ in
            .say("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        } then: { _, client in
            #expect(word(await get(client, limit: 10_000_000)) == body)
        }
    }

    @Test("who isn't there is tried until the deadline, or not, as the peer has it", arguments: [true, false])
    func nobody(_ reconnects: Bool) async throws {
        let cores = Cores(count: 1)
        let server = try ScriptedServer(on: cores.all) { _, _ in .say(Self.good) }
        let before = try HTTPClient(base: "http://127.0.0.1:\(server.port)", authorities: nil, on: cores)
        #expect(word(await get(before)) == "ok")
        await before.close()
        await server.stop()
        let client = try HTTPClient(base: "http://127.0.0.1:\(server.port)", authorities: nil, on: cores) {
            $0.reconnects = reconnects
        }
        let result = word(await get(client, within: .milliseconds(300)))
        #expect(result == (reconnects ? "late" : "no connection"))
        await client.close()
    }

    @Test("a client that is closed sends nothing more, and its connections end")
    func closed() async throws {
        try await stage { _, _ in
            .say(Self.good)
        } then: { server, client in
            #expect(word(await get(client)) == "ok")
            await client.close()
            #expect(word(await get(client)) == "closed")
            while server.openConnections > 0 { await Task.yield() }
        }
    }

    @Test("an unused connection is closed after a while")
    func idle() async throws {
        try await stage(peer: { $0.idleTime = .milliseconds(50) }) { _, _ in
            .say(Self.good)
        } then: { server, client in
            #expect(word(await get(client)) == "ok")
            while server.openConnections > 0 { await Task.yield() }
            #expect(word(await get(client)) == "ok")
            #expect(server.connections == 2)
        }
    }

    @Test("a request that can't be written isn't sent", arguments: ["/a b", "/a\r\nX: y", "", "a"])
    func invalid(_ target: String) async throws {
        try await stage { _, _ in
            .say(Self.good)
        } then: { server, client in
            #expect(word(await get(client, target)) == "invalid")
            #expect(server.requests.isEmpty)
        }
    }

    @Test("a request in pieces is answered on the core that sent it")
    func onCore() async throws {
        let cores = Cores(count: 1)
        let server = try ScriptedServer(on: cores.all) { _, _ in .say(Self.good) }
        let client = try HTTPClient(base: "http://127.0.0.1:\(server.port)", authorities: nil, on: cores)
        let core = cores.all[0]
        let body: [UInt8] = await withUnsafeContinuation { continuation in
            core.execute {
                let pieces = ["POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\n", "body"].map {
                    Array($0.utf8)[...]
                }
                client.pool(on: core)?.exchange(
                    EncodedRequest(method: .post, pieces: pieces), limit: 100, startBy: core.now + .seconds(5),
                    endBy: core.now + .seconds(5)
                ) { result in
                    #expect(core.isCurrent)
                    continuation.resume(returning: (try? result.get().body) ?? [])
                }
            }
        }
        #expect(body == Array("ok".utf8))
        await client.close()
        await server.stop()
    }
}

@Suite struct OriginTests {
    @Test(
        "a base is read",
        arguments: [
            ("https://localhost:8010", "localhost", 8010, "localhost:8010", ""),
            ("https://localhost", "localhost", 443, "localhost", ""),
            ("http://127.0.0.1:80/", "127.0.0.1", 80, "127.0.0.1:80", ""),
            ("http://[::1]:8080/a/b/", "::1", 8080, "[::1]:8080", "/a/b"),
        ])
    func good(_ url: String, _ host: String, _ port: Int, _ authority: String, _ path: String) throws {
        let origin = try #require(Origin(url))
        #expect(origin.host == host && origin.port == port && origin.authority == authority && origin.path == path)
        #expect(origin.isSecure == url.hasPrefix("https"))
    }

    @Test(
        "a base that isn't one is refused",
        arguments: [
            "", "localhost", "ftp://localhost", "https://", "https://:1", "https://a:", "https://a:0",
            "https://a:65536",
            "https://a:+1", "https://a b", "https://u@a", "https://a?b", "https://a#b", "https://[::1", "https://a\r\n",
        ])
    func bad(_ url: String) { #expect(Origin(url) == nil) }
}
