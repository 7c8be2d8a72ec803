import ExposureKeys
import FoundationEssentials

/// Explains where a key or an hour is, from what was folded and published.
struct Explain: Sendable {
    let store: DistributionStore
    let policy: PublicationPolicy
    /// What time it is.
    let now: Date

    func key(_ data: KeyData) async throws -> Explanation {
        let folded = try await store.foldedHours()
        let published = try await store.publishedHours()
        guard let (hour, key) = try await store.foldedKey(data) else { return .unknown(lastFolded: folded?.upperBound) }
        guard let release = policy.releaseHour(of: key, submitted: hour) else {
            return .level(key.transmissionRiskLevel, lowest: policy.lowestLevel)
        }
        if key.rollingPeriod.hasExpired(at: now) { return .expired }
        if let taken = published.first(where: { $0.hour >= release && $0.tookKeys })?.hour { return .published(taken) }
        guard let last = published.last?.hour, release <= last else {
            return release > (folded?.upperBound ?? release)
                ? .embargo(until: release) : .undecided(release: release, lastPublished: published.last?.hour)
        }
        let waiting = try await store.keys(
            released: ReleaseRange(after: published.last { $0.tookKeys }?.hour, through: last), by: policy, at: now)
        return .threshold(waiting: waiting.keys.count, minimum: policy.minimumKeys, since: release)
    }

    func hour(_ hour: Hour) async throws -> Explanation {
        let published = try await store.publishedHours()
        if let found = published.first(where: { $0.hour == hour }) {
            return .hour(found, try await store.publishedVenueBundles().first { $0.hours.contains(hour) })
        }
        let folded = try await store.foldedHours()
        guard let folded, hour <= folded.upperBound else { return .unfolded(lastFolded: folded?.upperBound) }
        return published.first.map { hour < $0.hour } ?? (hour < folded.lowerBound)
            ? .forgotten : .unpublished(lastPublished: published.last?.hour)
    }
}

/// The subject of a question: a key or an hour.
enum ExplainedSubject: Equatable, Sendable {
    case key(KeyData)
    case hour(Hour)

    /// A key in hexadecimal or Base64, or an ISO 8601 instant, which stands for its hour; nil for anything else.
    init?(_ text: String) {
        if let bytes = Self.bytes(hexadecimal: text) ?? Data(base64Encoded: text).map({ Array($0) }),
            let key = KeyData(bytes)
        {
            self = .key(key)
        } else if let instant = try? Date(text, strategy: .iso8601) {
            self = .hour(Hour(containing: instant))
        } else {
            return nil
        }
    }

    private static func bytes(hexadecimal text: String) -> [UInt8]? {
        guard text.utf8.count == 32 else { return nil }
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == 32 else { return nil }
        return stride(from: 0, to: 32, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
