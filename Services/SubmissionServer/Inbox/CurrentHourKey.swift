import ExposureKeys
import HTTPContract
import Schema
import Synchronization

/// The public key that uploads are sealed to now.
///
/// It is the key of the current hour, or of the next one if the current hour is already closed. It is valid until its hour ends
/// or the fold closes it.
final class CurrentHourKey: Sendable {
    private let store: InboxStore
    /// An upload is sealed only to an hour that has begun by this clock; otherwise it would wait for a later fold.
    private let clock: DatabaseClock
    private let last = Mutex<HourPublicKey?>(nil)

    init(store: InboxStore, clock: DatabaseClock) {
        self.store = store
        self.clock = clock
    }

    /// - Throws: ``NoOpenHour``; ``ClockAhead`` if the hour starts too far ahead of the database's clock.
    func key(for hour: Hour) async throws -> HourPublicKey {
        if let key = last.withLock({ $0 }), key.hour >= hour { return key }
        try await clock.require(hour.start)
        guard let key = try await store.openKey(atOrAfter: hour) else { throw NoOpenHour() }
        last.withLock { $0 = key }
        return key
    }

    /// Drops the cached key, because its hour turned out to be closed.
    func forget() { last.withLock { $0 = nil } }
}

/// No key to seal an upload to: the fold has been down for longer than it creates keys ahead, or was never started.
struct NoOpenHour: Error, ProblemConvertible {
    /// The phone retries, and the fold may be running by then.
    var problem: Problem { .unavailable }
}
