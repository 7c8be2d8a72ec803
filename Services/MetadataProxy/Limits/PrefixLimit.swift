import Crypto
import FoundationEssentials
import NIOCore
package import ServiceKit
import Synchronization

/// How many requests one address prefix may make in five minutes: the first 24 bits of an IPv4 address, 48 of IPv6.
///
/// It must keep nothing that tells who called. Addresses go into a keyed hash whose key lives for one window; counted is
/// not by prefix but in a sketch of fixed size (count-min with two rows), which can't be read back even with the key at
/// hand without trying prefixes. At the end of a window key and counts are gone, so everything is forgotten within five
/// minutes. Two prefixes that share both cells, which nobody can arrange without the key, share a limit.
package final class PrefixLimit: Sendable {
    private struct Window {
        var end: Date
        var key: SymmetricKey
        var counts: [UInt32]
    }

    private static let rows = 2
    /// A power of two; both rows together take 512 KiB.
    private static let cells = 65_536
    private static let length: TimeInterval = 300

    private let limit: Int
    private let clock: WallClock
    private let window: Mutex<Window>

    /// - Parameter limit: requests of a prefix in five minutes.
    package init(_ limit: Int, clock: WallClock) {
        self.limit = limit
        self.clock = clock
        window = Mutex(Self.fresh(at: clock.now))
    }

    /// Counts a request, and says whether it is within the limit.
    func admits(_ address: SocketAddress?) -> Bool {
        let prefix = Self.prefix(of: address)
        let now = clock.now
        return window.withLock { window in
            if now >= window.end { window = Self.fresh(at: now) }
            let code = HMAC<SHA256>.authenticationCode(for: prefix, using: window.key)
            let hash = code.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
            let cells = [Int(hash) & (Self.cells - 1), Self.cells + Int(hash >> 16)]
            for cell in cells { window.counts[cell] += 1 }
            return cells.contains { window.counts[$0] <= limit }
        }
    }

    private static func fresh(at now: Date) -> Window {
        Window(
            end: now.addingTimeInterval(length), key: SymmetricKey(size: .bits128),
            counts: Array(repeating: 0, count: rows * cells))
    }

    /// Who has no address, such as a Unix socket's peer, shares one prefix.
    private static func prefix(of address: SocketAddress?) -> [UInt8] {
        let bytes = address?.ipAddress.flatMap(IPAddress.bytes) ?? []
        switch bytes.count {
        case 4: return Array(bytes.prefix(3))
        // An IPv4 address in IPv6 notation (::ffff:a.b.c.d) is one of IPv4.
        case 16 where bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]): return Array(bytes[12..<15])
        default: return Array(bytes.prefix(6))
        }
    }
}
