import Credentials
import ExposureKeys
import ServiceKit
import Synchronization

/// Where an upload waits for the fold: one sealed row.
final class Inbox: Sendable {
    private let store: SubmissionStore
    private let hourKeys: HourKeys
    private let clock: WallClock
    /// The key that the last upload was sealed to; valid for its own hour or until the fold closes it.
    private let current = Mutex<HourPublicKey?>(nil)

    /// How often an upload may meet an hour that is just being closed. Twice would need two folds in one request.
    private static let attempts = 3

    init(store: SubmissionStore, hourKeys: HourKeys, clock: WallClock) {
        self.store = store
        self.hourKeys = hourKeys
        self.clock = clock
    }

    /// Seals and stores an upload durably. An upload whose tag is there already is stored already.
    func store(_ keys: [DiagnosisKey], tag: Digest) async throws {
        for _ in 0..<Self.attempts {
            let key = try await key(for: Hour(containing: clock.now))
            let sealed = try SealedUpload(sealing: keys, tag: tag, to: key)
            if try await store.insert(sealed, tag: tag, hour: key.hour) { return }
            current.withLock { $0 = nil }
        }
        throw HourKeyProblem.notMade
    }

    private func key(for hour: Hour) async throws -> HourPublicKey {
        if let key = current.withLock({ $0 }), key.hour >= hour { return key }
        let key = try await hourKeys.open(atOrAfter: hour)
        current.withLock { $0 = key }
        return key
    }
}
