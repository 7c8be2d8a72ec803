import ExposureKeys
import HTTPContract
import Schema
import Synchronization

/// The public key that uploads are sealed to now: the running hour's, or the next one's if the running hour is closed already.
/// It is valid until its hour ends or the fold closes it.
final class CurrentHourKey: Sendable {
    private let store: InboxStore
    /// No upload is sealed to an hour that hasn't begun by this clock: it would wait for that hour's fold.
    private let clock: DatabaseClock
    private let last = Mutex<HourPublicKey?>(nil)

    init(store: InboxStore, clock: DatabaseClock) {
        self.store = store
        self.clock = clock
    }

    /// - Throws: ``NoOpenHour``; ``ClockAhead`` when the hour is still far away.
    func key(for hour: Hour) async throws -> HourPublicKey {
        if let key = last.withLock({ $0 }), key.hour >= hour { return key }
        try await clock.require(hour.start)
        guard let key = try await store.openKey(atOrAfter: hour) else { throw NoOpenHour() }
        last.withLock { $0 = key }
        return key
    }

    /// For an hour that turned out to be closed.
    func forget() { last.withLock { $0 = nil } }
}

/// There is no key to seal an upload to: the fold has not run for longer than it makes keys ahead, or was never started.
struct NoOpenHour: Error, ProblemConvertible {
    /// A phone tries again, and the fold may run by then.
    var problem: Problem { .unavailable }
}
