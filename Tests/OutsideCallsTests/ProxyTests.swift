import Foundation
import TLS
import TestSupport
import Testing

@testable import OutsideCalls

/// Calls behind a proxy that others made: tinyproxy. Each case has a process of its own, since its environment names the proxy.
@Suite(.enabled(if: Tinyproxy.isAvailable, "needs tinyproxy"), .timeLimit(.minutes(5))) struct ProxyTests {
    /// A call in a process with an environment, and what is expected of it.
    struct Case: Codable, Sendable {
        let environment: [String: String]
        let url: String
        var reach = Reach.everywhere
        /// What the look-up of the host gives; nil for what the system knows.
        var address: [UInt8]?
        var milliseconds = 20_000
        /// The problem's name; nil if there is none.
        var failure: String?
        /// Whether the proxy is asked for a connection.
        var asks = true

        enum Reach: String, Codable { case everywhere, publicOnly, publicOrLoopback }

        /// Carries it out in this process, which ends afterwards.
        func check(authorities: String, log: String?) async throws {
            for (name, value) in environment { setenv(name, value, 1) }
            defer { for name in environment.keys { unsetenv(name) } }
            let reaches: [Reach: OutsideReach] = [
                .everywhere: .everywhere, .publicOnly: .publicOnly, .publicOrLoopback: .publicOrLoopback,
            ]
            var calls = try OutsideCalls(authorities: authorities, reach: #require(reaches[reach]))
            if let address { calls.lookUp = { _ in [OutsideAddress(bytes: address)].compactMap { $0 } } }
            let before = try Self.connects(in: log)
            let found = await problem(calls, url, within: .milliseconds(milliseconds))
            #expect(found.map { "\($0)" } == failure, "\(self)")
            if log != nil { #expect(try (Self.connects(in: log) > before) == asks, "\(self)") }
        }

        private static func connects(in log: String?) throws -> Int {
            guard let log else { return 0 }
            return try String(contentsOfFile: log, encoding: .utf8).components(separatedBy: "Request (file descriptor")
                .count
        }
    }

    /// A server over TLS, and a proxy that lets nobody through to another port.
    private func withServer(
        _ lines: [String] = [], _ body: (RawServer, _ authorities: String, Tinyproxy) async throws -> Void
    ) async throws {
        let certificates = try TestCertificates()
        let files = try certificates.files(role: nil, dnsNames: ["localhost", "app.localhost"])
        let server = try RawServer(secure: files.optionalServer(protocols: ["http/1.1"]))
        try await Tinyproxy.run(lines + ["ConnectPort \(server.port)"]) { proxy in
            try await body(server, "\(certificates.directory)/authority.pem", proxy)
        }
    }

    private func check(_ cases: [Case], authorities: String, log: String?) async {
        await #expect(processExitsWith: .success) { [cases, authorities, log] in
            for one in cases { try await one.check(authorities: authorities, log: log) }
        }
    }

    @Test("the environment names the proxy, and what isn't behind it, as libcurl-env(3) says")
    func environment() async throws {
        try await withServer { server, authorities, proxy in
            let (name, address) = ("https://localhost:\(server.port)/", "https://127.0.0.1:\(server.port)/")
            let (way, nobody) = ("http://127.0.0.1:\(proxy.port)", "http://127.0.0.1:1")
            func direct(_ exceptions: String, _ url: String, _ variable: String = "NO_PROXY") -> Case {
                Case(environment: ["HTTPS_PROXY": way, variable: exceptions], url: url, asks: false)
            }
            func proxied(_ exceptions: String, _ url: String) -> Case {
                Case(environment: ["HTTPS_PROXY": way, "NO_PROXY": exceptions], url: url)
            }
            let app = "https://app.localhost:\(server.port)/"
            await check(
                [
                    Case(environment: [:], url: name, asks: false),
                    Case(environment: ["HTTPS_PROXY": way], url: name),
                    Case(environment: ["https_proxy": way], url: address),
                    Case(environment: ["ALL_PROXY": way], url: name), Case(environment: ["all_proxy": way], url: name),
                    Case(environment: ["https_proxy": way, "HTTPS_PROXY": nobody], url: name),
                    Case(environment: ["HTTPS_PROXY": "127.0.0.1:\(proxy.port)"], url: name),
                    Case(environment: ["HTTPS_PROXY": ""], url: name, asks: false),
                    Case(environment: ["HTTP_PROXY": way, "http_proxy": way], url: name, asks: false),
                    direct("localhost", name), direct("localhost", name, "no_proxy"), direct("LOCALHOST", name),
                    direct("other.example, localhost", name), direct("other.example localhost", name),
                    direct("localhost", app), direct(".localhost", app), direct("*", name),
                    direct("127.0.0.1", address),
                    direct("127.0.0.0/8", address), direct("10.0.0.0/8,127.0.0.1/32", address),
                    proxied("ocalhost", name), proxied("other.example", name), proxied("128.0.0.0/8", address),
                    // Names aren't looked up, so ranges don't hold for them.
                    proxied("127.0.0.0/8", name),
                ], authorities: authorities, log: proxy.log)
            #expect(server.requests.count == server.connections)
        }
    }

    @Test("a proxy that refuses, isn't there, or is slow ends the call, which never goes around it")
    func failing() async throws {
        try await withServer { server, authorities, proxy in
            let url = "https://localhost:\(server.port)/"
            let way = ["HTTPS_PROXY": "http://127.0.0.1:\(proxy.port)"]
            let other = try RawServer()
            await check(
                [
                    Case(environment: way, url: "https://localhost:\(other.port)/", failure: "proxy"),
                    Case(
                        environment: ["HTTPS_PROXY": "http://127.0.0.1:1"], url: url, failure: "noConnection",
                        asks: false),
                    Case(
                        environment: ["HTTPS_PROXY": "http://vigil.invalid:1"], url: url, failure: "noConnection",
                        asks: false),
                ], authorities: authorities, log: proxy.log)
            #expect(server.connections == 0 && other.connections == 0)
            proxy.suspend()
            await check(
                [Case(environment: way, url: url, milliseconds: 300, failure: "timedOut", asks: false)],
                authorities: authorities, log: proxy.log)
            #expect(server.connections == 0)
            proxy.resume()
            await check([Case(environment: way, url: url)], authorities: authorities, log: nil)
            #expect(server.requests.count == 1)
        }
    }

    @Test("a proxy that wants a password gets the one of its URL")
    func password() async throws {
        try await withServer(["BasicAuth vigil secret"]) { server, authorities, proxy in
            let url = "https://localhost:\(server.port)/"
            let place = "127.0.0.1:\(proxy.port)"
            await check(
                [
                    Case(environment: ["HTTPS_PROXY": "http://\(place)"], url: url, failure: "proxy"),
                    Case(environment: ["HTTPS_PROXY": "http://vigil:wrong@\(place)"], url: url, failure: "proxy"),
                    Case(environment: ["HTTPS_PROXY": "http://vigil:secret@\(place)"], url: url),
                ], authorities: authorities, log: proxy.log)
            #expect(server.requests.count == 1)
        }
    }

    @Test("the server's certificate is judged behind a proxy, too")
    func certificate() async throws {
        try await withServer { server, _, proxy in
            let others = try TestCertificates()
            await check(
                [
                    Case(
                        environment: ["HTTPS_PROXY": "http://127.0.0.1:\(proxy.port)"],
                        url: "https://localhost:\(server.port)/", failure: "tls")
                ], authorities: "\(others.directory)/authority.pem", log: proxy.log)
        }
    }

    @Test("a stranger's URL is checked before a proxy is asked, which gets the address that was checked")
    func strangers() async throws {
        // It notes what it is asked, and refuses: nothing leaves this machine.
        let proxy = try RawServer("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        let way = "http://127.0.0.1:\(proxy.port)"
        let environment = ["HTTPS_PROXY": way, "http_proxy": way]
        let certificates = try TestCertificates()
        let authorities = "\(certificates.directory)/authority.pem"
        func urls(_ addresses: [String]) -> [String] {
            let hosts = addresses.filter { !$0.contains("%") }.map { $0.contains(":") ? "[\($0)]" : $0 }
            return hosts.flatMap { ["https://\($0)/", "http://\($0):80/"] }
        }
        await check(
            urls(AddressTests.inside + ["localhost"]).map {
                Case(environment: environment, url: $0, reach: .publicOnly, failure: "forbiddenAddress")
            }
                + urls(["name.example"]).map {
                    Case(
                        environment: environment, url: $0, reach: .publicOnly, address: [10, 0, 0, 1],
                        failure: "forbiddenAddress")
                }, authorities: authorities, log: nil)
        #expect(proxy.connections == 0)
        let outside = ["9.9.9.9", "0x9.9.9.9", "2620:fe::fe", "::ffff:9.9.9.9", "64:ff9b::909:909"]
        await check(
            urls(outside).map { Case(environment: environment, url: $0, reach: .publicOnly, failure: "proxy") }
                + urls(["name.example"]).map {
                    Case(
                        environment: environment, url: $0, reach: .publicOnly, address: [9, 9, 9, 9], failure: "proxy")
                },
            authorities: authorities, log: nil)
        let asked = proxy.requests.map { $0.prefix { $0 != "\r\n" } }
        #expect(
            asked.map { $0.components(separatedBy: " ")[1] } == [
                "9.9.9.9:443", "9.9.9.9:80", "9.9.9.9:443", "9.9.9.9:80", "[2620:fe::fe]:443", "[2620:fe::fe]:80",
                "9.9.9.9:443", "9.9.9.9:80", "[64:ff9b::909:909]:443", "[64:ff9b::909:909]:80",
                "9.9.9.9:443", "9.9.9.9:80",
            ])
        #expect(asked.allSatisfy { $0.hasPrefix("CONNECT ") })
    }

    @Test("this machine is called without the proxy where simulators may call it")
    func simulators() async throws {
        try await withServer { server, authorities, proxy in
            await check(
                [
                    Case(
                        environment: ["HTTPS_PROXY": "http://127.0.0.1:\(proxy.port)"],
                        url: "https://localhost:\(server.port)/", reach: .publicOrLoopback, asks: false)
                ], authorities: authorities, log: proxy.log)
            #expect(server.requests.count == 1)
        }
    }
}
