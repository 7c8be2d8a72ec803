/// What the first bytes of a balancer's connection say: version 2 of the PROXY protocol (haproxy, proxy-protocol.txt, 2.2).
///
/// Version 1 is refused. Its header is a line of text without a length, and ends wherever a line ends; one form is enough, and
/// what isn't read can't be misread. So are connections that the balancer forwards without an address (UNSPEC), or with one that
/// isn't TCP's, which a receiver is free to do: all their callers would share the balancer's address. What else a header says
/// (TLVs) is skipped.
package enum ProxyHeader: Equatable, Sendable {
    /// So many bytes must follow before more is known. At least one.
    case incomplete(missing: Int)
    /// The balancer forwards the connection of this caller.
    case caller(SocketAddress)
    /// The balancer has opened the connection for itself (LOCAL), such as for a health check.
    case balancer
    /// It is no header, or none that is accepted.
    case invalid

    /// The longest header. A sender keeps to what the smallest segment of TCP holds (section 2), and sends it at once.
    package static let mostBytes = 536

    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]
    /// Up to the length of what follows.
    private static let start = signature.count + 4

    /// Reads a header or its first bytes. What comes after the header isn't looked at.
    ///
    /// A byte that no header can have at its place is invalid at once, whatever is missing.
    package init(_ bytes: some RandomAccessCollection<UInt8>) {
        let bytes = Array(bytes.prefix(Self.mostBytes))
        self = .invalid
        guard bytes.prefix(Self.signature.count).elementsEqual(Self.signature.prefix(bytes.count)) else { return }
        let rest = bytes.dropFirst(Self.signature.count)
        // Version and command: 2 and LOCAL, or 2 and PROXY.
        if let first = rest.first, first != 0x20, first != 0x21 { return }
        let isLocal = rest.first == 0x20
        // Family and transport.
        let addressBytes: Int
        switch rest.dropFirst().first {
        case nil: addressBytes = 0
        case _ where isLocal: addressBytes = 0
        case 0x11: addressBytes = 4
        case 0x21: addressBytes = 16
        default: return
        }
        guard bytes.count >= Self.start else {
            self = .incomplete(missing: Self.start - bytes.count)
            return
        }
        // Two addresses and two ports; of each the caller's comes first.
        let length = Int(bytes[Self.start - 2]) << 8 | Int(bytes[Self.start - 1])
        guard length >= (isLocal ? 0 : 2 * addressBytes + 4), Self.start + length <= Self.mostBytes else { return }
        guard bytes.count >= Self.start + length else {
            self = .incomplete(missing: Self.start + length - bytes.count)
            return
        }
        if isLocal {
            self = .balancer
            return
        }
        let address = bytes[Self.start..<Self.start + addressBytes]
        let port = Self.start + 2 * addressBytes
        guard let caller = SocketAddress(address, port: Int(bytes[port]) << 8 | Int(bytes[port + 1])) else { return }
        self = .caller(caller)
    }
}
