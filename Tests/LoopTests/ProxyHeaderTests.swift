import Loop
import Testing

/// A header of the PROXY protocol, version 2.
func proxyHeader(_ command: UInt8, _ family: UInt8, _ rest: [UInt8]) -> [UInt8] {
    [0x0D, 0x0A, 0x0D, 0x0A, 0, 0x0D, 0x0A] + bytes("QUIT\n") + [command, family]
        + [UInt8(rest.count >> 8), UInt8(rest.count & 0xFF)] + rest
}

/// The same, of a connection that is forwarded for a caller with IPv4.
func proxyHeader(_ rest: [UInt8]) -> [UInt8] { proxyHeader(0x21, 0x11, rest) }

/// From 203.0.113.7, port 50123, to 198.51.100.1, port 443.
let tcp4: [UInt8] = [203, 0, 113, 7, 198, 51, 100, 1, 0xC3, 0xCB, 0x01, 0xBB]
/// From 2001:db8::7, port 50123, to 2001:db8::1, port 443.
private let tcp6 = address6(7) + address6(1) + tcp4.suffix(4)
/// As `tcp4`, in the form of IPv6.
private let mapped = mapping + tcp4[0..<4] + mapping + tcp4[4..<8] + tcp4.suffix(4)
private let mapping = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

private func address6(_ last: UInt8) -> [UInt8] {
    [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [last]
}

@Suite struct ProxyHeaderTests {
    private func caller(_ header: [UInt8]) -> (bytes: [UInt8], port: Int)? {
        guard case .caller(let address) = ProxyHeader(header) else { return nil }
        return (address.bytes, address.port)
    }

    @Test("a header names the caller's address and port, whatever follows it and however it is written")
    func callers() throws {
        let fields: [UInt8] = [0x02, 0, 3] + bytes("abc") + [0x04, 0, 0]
        for header in [proxyHeader(tcp4), proxyHeader(0x21, 0x21, mapped), proxyHeader(tcp4 + fields)] {
            let (address, port) = try #require(caller(header))
            #expect(address == [203, 0, 113, 7] && port == 50123)
            #expect(ProxyHeader(header + [0x16, 3, 1]) == ProxyHeader(header))
        }
        let (address, port) = try #require(caller(proxyHeader(0x21, 0x21, tcp6)))
        #expect(address == address6(7) && port == 50123)
    }

    @Test("a balancer's own connection has no caller, whatever else its header says")
    func local() {
        for header in [proxyHeader(0x20, 0, []), proxyHeader(0x20, 0x11, tcp4), proxyHeader(0x20, 0xFF, [1])] {
            #expect(ProxyHeader(header) == .balancer)
        }
    }

    @Test("cut at any byte a header is incomplete, and what is missing is never more than its rest")
    func cuts() {
        let headers = [
            proxyHeader(tcp4), proxyHeader(0x21, 0x21, tcp6 + [4, 0, 2, 0, 0]), proxyHeader(0x20, 0, []),
            proxyHeader(tcp4 + [UInt8](repeating: 0, count: ProxyHeader.mostBytes - 28)),
        ]
        for header in headers {
            for end in header.indices {
                guard case .incomplete(let missing) = ProxyHeader(header[..<end]) else {
                    Issue.record("cut at \(end) it isn't incomplete")
                    continue
                }
                #expect((1...header.count - end).contains(missing))
            }
        }
    }

    @Test("a byte that no header can have at its place is refused at once")
    func atOnce() {
        let header = proxyHeader(tcp4)
        for place in 0..<14 {
            for value in UInt8.min ... .max where value != header[place] {
                // LOCAL, and TCP over IPv6, of which the rest is too short then.
                let isOther = (place == 12 && value == 0x20) || (place == 13 && value == 0x21)
                let changed = header[..<place] + [value]
                #expect((ProxyHeader(changed) == .invalid) != isOther, "\(place) \(value)")
            }
        }
    }

    @Test("a version, command, family or length that isn't accepted is refused")
    func refused() {
        let unspecified = proxyHeader(0x21, 0x00, [])
        let unix = proxyHeader(0x21, 0x31, [UInt8](repeating: 0, count: 216))
        let datagram = proxyHeader(0x21, 0x12, tcp4)
        let short = proxyHeader(Array(tcp4.dropLast()))
        let shortIPv6 = proxyHeader(0x21, 0x21, Array(tcp6.dropLast()))
        let long = proxyHeader(tcp4 + [UInt8](repeating: 0, count: ProxyHeader.mostBytes - 27))
        let longLocal = proxyHeader(0x20, 0, [UInt8](repeating: 0, count: ProxyHeader.mostBytes - 15))
        let longest = Array(proxyHeader(tcp4).prefix(14)) + [0xFF, 0xFF]
        for header in [unspecified, unix, datagram, short, shortIPv6, long, longLocal, longest] {
            #expect(ProxyHeader(header) == .invalid)
        }
        #expect(ProxyHeader(bytes("PROXY TCP4 203.0.113.7 198.51.100.1 50123 443\r\n")) == .invalid)
        #expect(ProxyHeader([0x16, 3, 1, 2, 0]) == .invalid)
    }
}
