import FoundationEssentials
import Loop
import Running
import Serving
import Synchronization

/// Limits the attempts to sign in from one network in a minute.
///
/// It forgets every network at the end of the minute.
final class AttemptLimit: Sendable {
    private struct Minute {
        var number: Int64
        var attempts: [AddressPrefix: Int] = [:]
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
            let network = AddressPrefix(address)
            guard minute.attempts[network] != nil || minute.attempts.count < Self.networks else { return false }
            minute.attempts[network, default: 0] += 1
            return minute.attempts[network, default: 0] <= limit
        }
        guard isAdmitted else { throw .tooMany(until: Date(timeIntervalSince1970: Double(number + 1) * 60)) }
    }
}
