import Glibc
import Synchronization
import TestSupport
import Testing

@testable import OutsideCalls

/// Where the URL of a stranger may lead.
@Suite(.timeLimit(.minutes(5))) struct AddressTests {
    /// Every form in which the system reads an address of our own, or of nobody.
    static let inside = [
        "0.0.0.0", "0", "10.0.0.1", "10.255.255.255", "012.0.0.1", "0x0a000001", "167772161", "100.64.0.1",
        "100.127.255.255", "127.0.0.1", "127.1", "127.0.1", "127.255.255.254", "0177.0.0.1", "0x7f.1", "0x7f000001",
        "2130706433", "017700000001", "169.254.169.254", "0xa9fea9fe", "172.16.0.1", "172.31.255.255", "192.0.0.8",
        "192.0.2.1", "192.88.99.1", "192.168.0.1", "192.168.1", "198.18.0.1", "198.19.255.255", "198.51.100.1",
        "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1", "::127.0.0.1",
        "::7f00:1", "::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
        "::ffff:0:127.0.0.1", "::ffff:0:0a00:1", "64:ff9b::10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::169.254.169.254",
        "64:ff9b::1:9.9.9.9", "64:ff9b:1::9.9.9.9", "100::1", "2001::1", "2001:0:909:909::1", "2001:2::1", "2001:10::1",
        "2001:20::1", "2001:db8::1", "2002:a00:1::1", "2002:7f00:1::", "2002:909:909::1", "3fff::1", "4000::1",
        "5f00::1", "fc00::1", "fd00::1", "fd12:3456:789a::1", "fe80::1", "fe80::1%lo", "fec0::1", "ff02::1", "ff05::2",
        "ff0e::1",
    ]
    static let outside = [
        "1.1.1.1", "9.9.9.9", "0x9.9.9.9", "151587081", "11.0.0.1", "100.63.255.255", "100.128.0.1", "126.255.255.255",
        "128.0.0.1", "169.253.255.255", "172.15.255.255", "172.32.0.1", "192.0.1.1", "192.167.255.255", "192.169.0.1",
        "198.17.255.255", "198.20.0.1", "223.255.255.255", "::ffff:9.9.9.9", "64:ff9b::9.9.9.9", "2000::1",
        "2001:200::1",
        "2001:db7::1", "2001:db9::1", "2003::1", "2620:fe::fe", "2a00::1", "3fff:1000::1",
    ]

    @Test(
        "an address of ours is told from one of the internet",
        arguments: inside.map { ($0, false) } + outside.map { ($0, true) })
    func address(_ text: String, _ isOutside: Bool) throws {
        let addresses = OutsideAddress.of(text)
        #expect(addresses.count == 1)
        let address = try #require(addresses.first)
        #expect(address.isAllowed(.publicOnly) == isOutside)
        #expect(address.isAllowed(.publicOrLoopback) == (isOutside || address.isLoopback))
    }

    /// Hosts that lead to 127.0.0.1.
    private static let own = [
        "127.0.0.1", "127.1", "127.0.1", "0x7f.1", "0x7F000001", "0177.0.0.1", "017700000001", "2130706433", "0",
        "0.0.0.0",
        "%31%32%37.0.0.1", "127.0.0%2e1", "[::ffff:127.0.0.1]", "[::FFFF:7f00:1]", "localhost", "LocalHost",
        "/127.0.0.1",
        "%6cocalhost",
    ]

    @Test("a stranger's URL reaches nothing on this machine in any form that the operator's does", arguments: own)
    func reached(_ host: String) async throws {
        let server = try RawServer()
        let url = "http://\(host):\(server.port)/"
        #expect(try await problem(OutsideCalls(reach: .publicOnly), url) == .forbiddenAddress)
        #expect(server.connections == 0)
        #expect(try await problem(OutsideCalls(), url) == nil)
        #expect(server.connections == 1)
    }

    @Test(
        "what hides a host is refused",
        arguments: [
            "http://9.9.9.9@127.0.0.1", "http://9.9.9.9:80@127.0.0.1", "http://9.9.9.9%00.127.0.0.1",
            "http://127.0.0.1\\@9.9.9.9",
            "http://[127.0.0.1]", "http://[::1", "//127.0.0.1", "http://9.9.9.9 @127.0.0.1",
            "http://\t127.0.0.1",
        ])
    func hidden(_ url: String) async throws {
        #expect(try await problem(OutsideCalls(reach: .publicOnly), url) == .url)
    }

    @Test("a dot behind an address, other digits, and names of nobody lead nowhere")
    func nowhere() async throws {
        let server = try RawServer()
        for host in [
            "127.0.0.1.", "localhost.", "１２７.０.０.１", "127。0。0。1", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "vigil.invalid", "127.0.0.0.1",
            "256.0.0.1",
        ] {
            #expect(
                try await problem(OutsideCalls(reach: .publicOnly), "http://\(host):\(server.port)") != nil, "\(host)")
        }
        #expect(server.connections == 0)
    }

    @Test("simulators may call this machine, but no private network")
    func loopback() async throws {
        let server = try RawServer()
        let calls = try OutsideCalls(reach: .publicOrLoopback)
        #expect(await problem(calls, "http://127.0.0.1:\(server.port)") == nil)
        for host in ["10.0.0.1", "169.254.169.254", "0.0.0.0", "[::ffff:10.0.0.1]", "[fe80::1]", "[fd00::1]"] {
            #expect(await problem(calls, "http://\(host):\(server.port)") == .forbiddenAddress)
        }
        #expect(server.connections == 1)
    }

    // MARK: Names that change

    private static func address(_ bytes: [UInt8]) -> OutsideAddress? { OutsideAddress(bytes: bytes) }

    @Test("the address that was checked is called, whatever the name has by then")
    func changes() async throws {
        // For the system, localhost is 127.0.0.1.
        // One port at two addresses: one that the system gives for the first may be taken at the second.
        let port = TestPort.free()
        let checked = try RawServer(host: "127.0.0.2", port: port)
        let other = try RawServer(port: port)
        let lookUps = Mutex<[String]>([])
        var calls = try OutsideCalls(reach: .publicOrLoopback)
        calls.lookUp = { host in
            lookUps.withLock { $0.append(host) }
            return [Self.address([127, 0, 0, 2])].compactMap { $0 }
        }
        #expect(await problem(calls, "http://localhost:\(checked.port)/") == nil)
        #expect(lookUps.withLock { $0 } == ["localhost"])
        #expect(checked.requests.count == 1 && checked.requests[0].contains("Host: localhost:\(checked.port)\r\n"))
        #expect(other.connections == 0)
        // The control: a call that looks up by itself.
        #expect(try await problem(OutsideCalls(), "http://localhost:\(checked.port)/") == nil)
        #expect(other.connections == 1)
    }

    @Test("of a name's addresses those that are allowed are tried, one after the other")
    func several() async throws {
        let server = try RawServer(host: "127.0.0.2")
        var calls = try OutsideCalls(reach: .publicOrLoopback)
        calls.lookUp = { _ in
            [[10, 0, 0, 1], [127, 0, 0, 3], [127, 0, 0, 2]].compactMap { Self.address($0) }
        }
        #expect(await problem(calls, "http://several.example:\(server.port)/") == nil)
        #expect(server.connections == 1)
        calls.lookUp = { _ in [Self.address([10, 0, 0, 1])].compactMap { $0 } }
        #expect(await problem(calls, "http://several.example:\(server.port)/") == .forbiddenAddress)
        calls.lookUp = { _ in [] }
        #expect(await problem(calls, "http://several.example:\(server.port)/") == .noConnection)
        #expect(server.connections == 1)
    }

    @Test("a resolver that hangs delays nobody beyond the deadline, nor who is cancelled")
    func hangs() async throws {
        let over = ThreadGate()
        defer { over.open() }
        var calls = try OutsideCalls(reach: .publicOnly)
        calls.lookUp = { _ in
            over.wait()
            return []
        }
        #expect(await problem(calls, "http://hangs.example/", within: .milliseconds(50)) == .timedOut)
        let task = Task { [calls] in await problem(calls, "http://hangs.example/", within: .seconds(600)) }
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    /// Holds threads until it is open.
    private final class ThreadGate: Sendable {
        private let isOpen = Atomic(false)

        func open() { isOpen.store(true, ordering: .releasing) }
        func wait() {
            while !isOpen.load(ordering: .acquiring) { usleep(1000) }
        }
    }
}
