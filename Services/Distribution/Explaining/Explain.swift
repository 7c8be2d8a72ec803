import ExposureKeys
import FoundationEssentials
import TraceKeyFormat

/// Explains where a diagnosis key, a trace key or an hour is, from what was folded, uploaded and published.
struct Explain: Sendable {
    let store: DistributionStore
    let policy: PublicationPolicy
    let regions: Regions
    /// What time it is.
    let now: Date

    func key(_ data: KeyData) async throws -> Explanation {
        if let (hour, key) = try await store.foldedKey(data) { return try await explain(key, foldedIn: hour) }
        if let found = try await store.foreignKey(data) {
            return .foreign(
                origin: found.origin, regions: regions.names(of: found.countries),
                try await explain(found))
        }
        return .unknown(lastFolded: try await store.foldedHours()?.upperBound)
    }

    private func explain(_ key: DiagnosisKey, foldedIn hour: Hour) async throws -> Explanation {
        guard let release = policy.releaseHour(of: key, submitted: hour) else {
            return .level(key.transmissionRiskLevel, lowest: policy.lowestLevel)
        }
        if key.rollingPeriod.hasExpired(at: now) { return .expired }
        let folded = try await store.foldedHours()
        let published = try await store.publishedHours()
        if let taken = published.first(where: { $0.hour >= release && $0.home != nil })?.hour {
            return .published(taken)
        }
        guard let last = published.last?.hour, release <= last else {
            return release > (folded?.upperBound ?? release)
                ? .embargo(until: release) : .undecided(release: release, lastPublished: published.last?.hour)
        }
        let waiting = try await store.keys(
            released: ReleaseRange(after: LastTaken(by: published).home, through: last), by: policy, at: now)
        return .threshold(waiting: waiting.keys.count, minimum: policy.minimumKeys, since: release)
    }

    private func explain(_ key: ForeignKey) async throws -> Explanation {
        guard let released = policy.releaseHour(of: key.rollingPeriod, key.level, submitted: key.imported) else {
            return .level(key.level, lowest: policy.lowestLevel)
        }
        if RollingPeriod.hasExpired(endingWith: key.rollingPeriod.keptEnd, at: now) { return .expired }
        let published = try await store.publishedHours()
        let release = Release(stored: key.imported, released: released)
        let taken = published.first { hour in
            hour.foreign.map { release.isWithin(Release(stored: $0.through, released: hour.hour)) } ?? false
        }
        if let taken { return .published(taken.hour) }
        let imported = try await store.lastImportedHour()
        guard let imported, key.imported <= imported else { return .importing(key.imported, lastComplete: imported) }
        guard let last = published.last?.hour, released <= last else {
            let folded = try await store.foldedHours()
            return released > max(key.imported, folded?.upperBound ?? key.imported)
                ? .embargo(until: released) : .undecided(release: released, lastPublished: published.last?.hour)
        }
        var waiting = 0
        if let range = LastTaken(by: published).foreignRange(through: last, imported: imported) {
            waiting = try await store.foreignKeys(released: range, in: regions, by: policy, at: now).keys.count
        }
        // Its hour of import was completed after the last published hour was decided.
        if waiting >= policy.minimumKeys { return .undecided(release: last.advanced(by: 1), lastPublished: last) }
        return .foreignThreshold(waiting: waiting, minimum: policy.minimumKeys, since: released)
    }

    func traceKey(_ identity: [UInt8]) async throws -> Explanation {
        guard let stored = try await store.traceKeys().last(where: { $0.key.identity == identity }) else {
            return .unknownTraceKey
        }
        if stored.key.hasExpired(at: now) { return .expiredTraceKey }
        return stored.since < TraceKeyFiles.newest(at: now)
            ? .publishedTraceKey(since: stored.since) : .waitingTraceKey(since: stored.since)
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

/// The subject of a question.
enum ExplainedSubject: Equatable, Sendable {
    case key(KeyData)
    /// A trace key's identity.
    case traceKey([UInt8])
    case hour(Hour)

    /// 16 bytes of a key or 32 of a trace key's identity in hexadecimal or Base64 (with either alphabet), or an ISO 8601 instant, which
    /// stands for its hour; nil for anything else.
    init?(_ text: String) {
        let bytes = Self.bytes(hexadecimal: text) ?? Self.bytes(base64: text)
        if let key = bytes.flatMap({ KeyData($0) }) {
            self = .key(key)
        } else if let bytes, bytes.count == TraceKey.identitySize {
            self = .traceKey(bytes)
        } else if let instant = try? Date(text, strategy: .iso8601) {
            self = .hour(Hour(containing: instant))
        } else {
            return nil
        }
    }

    private static func bytes(hexadecimal text: String) -> [UInt8]? {
        guard [KeyData.count, TraceKey.identitySize].contains(text.utf8.count / 2) else { return nil }
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    private static func bytes(base64 text: String) -> [UInt8]? {
        let plain = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
        return Data(base64Encoded: plain + padding).map { Array($0) }
    }
}
