import Credentials
import DonationFormat
import ExposureKeys
import HourKeys
import Running
import Schema

/// Stores donations for the fold, one sealed row each.
struct DonationInbox: Sendable {
    private let store: DonationStore
    private let current: CurrentHourKey
    private let clock: WallClock

    /// How often a donation may hit an hour that is just being closed. Twice would take two folds during one request.
    private static let attempts = 3

    init(_ store: DonationStore, databaseClock: DatabaseClock, clock: WallClock) {
        self.store = store
        self.clock = clock
        current = CurrentHourKey(clock: databaseClock, openKey: store.openKey)
    }

    /// Whether a donation waits under a tag.
    func holds(_ tag: Digest) async throws -> Bool { try await store.isWaiting(tag) }

    /// Seals a donation and stores it durably, together with what admitted its app. A donation whose tag is there already takes nothing.
    /// - Throws: ``Refusal`` if the evidence or the share is used; `NoOpenHour`.
    func take(_ data: AnalyticsData, tag: Digest, admittedBy admission: Admission) async throws {
        for _ in 0..<Self.attempts {
            let now = clock.now
            let key = try await current.key(for: Hour(containing: now))
            let sealed = try SealedDonation.seal(data, tag: tag, to: key)
            let row = DonationRow(tag: tag, hour: key.hour, sealed: sealed)
            if try await store.insert(row, sealedTo: key, admittedBy: admission, at: now) { return }
            current.forget()
        }
        throw NoOpenHour()
    }

    /// Takes such steps for a dummy request, up to the commit, and stores nothing. It looks up a tag in place of an app's key.
    /// - Parameter data: nil if the request has none that can be read.
    func pretend(_ data: AnalyticsData?, tag: Digest) async throws {
        _ = try await holds(tag)
        let key = try await current.key(for: Hour(containing: clock.now))
        let none = SemanticVersion(0, 0, 0)
        _ = try SealedDonation.seal(
            data ?? AnalyticsData(client: AppClient(version: none, system: .iOS(none))), tag: tag, to: key)
    }

    /// Ready if there is a key to seal donations to.
    var readiness: ReadinessCheck {
        ReadinessCheck("hour-key") { (try? await current.key(for: Hour(containing: clock.now))) != nil }
    }
}

/// A sealed donation that waits for the fold.
struct DonationRow: Sendable {
    let tag: Digest
    let hour: Hour
    let sealed: SealedDonation
}
