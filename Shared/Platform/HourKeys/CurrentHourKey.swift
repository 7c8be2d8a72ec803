package import ExposureKeys
package import HTTPContract
package import Schema
import Synchronization

/// The public key that rows are sealed to now.
///
/// It is the key of the current hour, or of the next one if the current hour is already closed. It is valid until its hour ends
/// or the fold closes it.
package final class CurrentHourKey: Sendable {
    /// A row is sealed only to an hour that has begun by this clock; otherwise it would wait for a later fold.
    private let clock: DatabaseClock
    private let openKey: @Sendable (Hour) async throws -> HourPublicKey?
    private let last = Mutex<HourPublicKey?>(nil)

    /// Nothing is read until a key is asked for.
    /// - Parameter openKey: reads the first open key at or after an hour; nil if the fold hasn't created one.
    package init(clock: DatabaseClock, openKey: @escaping @Sendable (Hour) async throws -> HourPublicKey?) {
        self.clock = clock
        self.openKey = openKey
    }

    /// The key for what arrives in an hour.
    /// - Throws: ``NoOpenHour``; ``ClockAhead`` if the hour starts too far ahead of the database's clock.
    package func key(for hour: Hour) async throws -> HourPublicKey {
        if let key = last.withLock({ $0 }), key.hour >= hour { return key }
        try await clock.require(hour.start)
        guard let key = try await openKey(hour) else { throw NoOpenHour() }
        last.withLock { $0 = key }
        return key
    }

    /// Drops the cached key, because its hour turned out to be closed.
    package func forget() { last.withLock { $0 = nil } }
}

/// No key to seal anything to: the fold has been down for longer than it creates keys ahead, or was never started.
package struct NoOpenHour: Error, ProblemConvertible {
    /// Whoever finds no open hour.
    package init() {}

    /// The phone retries, and the fold may be running by then.
    package var problem: Problem { .unavailable }
}
