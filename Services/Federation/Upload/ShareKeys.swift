import ExposureKeys
import FederationFormat
import FoundationEssentials

/// Decides what a slot takes: everything of the stream for other countries that has been published at home and waits, or nothing if that
/// is too little.
///
/// Everything that leaves is in packages that anybody can download, fillers included, and it leaves at fixed times, so a gateway and the
/// other countries learn neither who uploaded nor how much (efgs-federation-gateway, issue 197, has the price of fillers).
struct ShareKeys: Sendable {
    let store: OutgoingStore
    let plan: UploadPlan

    /// - Parameter last: the slot's last hour.
    /// - Returns: how many keys it took; nil if the slot was decided before, or if home hasn't published its last hour yet.
    func decide(_ last: Hour, at now: Date) async throws -> Int? {
        let plan = plan
        return try await store.decide(last, at: now) { progress in
            guard let through = progress.lastFilledHour.map({ min($0, last) }),
                progress.sharedThrough.map({ $0 < through }) ?? true
            else { return nil }
            return ReleasedHours(after: progress.sharedThrough, through: through)
        } batches: { keys, carried in
            let all = keys.compactMap(plan.shared) + carried
            guard all.count >= plan.smallestBatch else { return [] }
            return KeyBatch.divide(all, largest: plan.largestBatch)
        }
    }
}

/// The hours of release after one (nil: from the beginning), up to and including another.
struct ReleasedHours: Sendable, Equatable {
    let after: Hour?
    let through: Hour
}

/// How far home has published, and this country has shared.
struct SharingProgress: Sendable {
    /// The last hour that distribution decided; nil before the first.
    let publishedHour: Hour?
    /// The last of them that took keys.
    let lastFilledHour: Hour?
    /// Keys up to this hour of release were shared.
    let sharedThrough: Hour?
}
