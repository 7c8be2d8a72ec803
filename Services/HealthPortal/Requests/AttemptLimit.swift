import FoundationEssentials
import NIOCore
import Running
import Synchronization
import TLS

/// Limits the attempts to sign in from one network in a minute: the first 24 bits of an IPv4 address, 48 of an IPv6 address.
///
/// It forgets every network at the end of the minute.
final class AttemptLimit: Sendable {
    private struct Minute {
        var number: Int64
        var attempts: [[UInt8]: Int] = [:]
    }

    /// More networks than this in a minute are no officers'.
    private static let networks = 10_000

    private let limit: Int
    private let clock: WallClock
    private let minute = Mutex(Minute(number: 0))

    /// From `signIn.attemptsPerMinute`. A sign-in takes two: one to begin and one to return from the provider.
    init(_ settings: Settings, clock: WallClock) throws(ConfigurationProblem) {
        limit = try settings.int("signIn.attemptsPerMinute", default: 240, in: 2...1_000_000)
        self.clock = clock
    }

    /// Counts an attempt.
    ///
    /// - Throws: ``Refusal/tooMany(until:)``.
    func admit(_ address: SocketAddress?) throws(Refusal) {
        let number = Int64(clock.now.timeIntervalSince1970 / 60)
        let isAdmitted = minute.withLock { minute in
            if minute.number != number { minute = Minute(number: number) }
            let network = Self.network(of: address)
            guard minute.attempts[network] != nil || minute.attempts.count < Self.networks else { return false }
            minute.attempts[network, default: 0] += 1
            return minute.attempts[network, default: 0] <= limit
        }
        guard isAdmitted else { throw .tooMany(until: Date(timeIntervalSince1970: Double(number + 1) * 60)) }
    }

    private static func network(of address: SocketAddress?) -> [UInt8] {
        let bytes = address?.ipAddress.flatMap(IPAddress.bytes) ?? []
        // An IPv4-mapped IPv6 address (::ffff:a.b.c.d) counts as IPv4.
        let mapped = bytes.count == 16 && bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff])
        let own = mapped ? Array(bytes.dropFirst(12)) : bytes
        return Array(own.prefix(own.count == 4 ? 3 : 6))
    }
}
