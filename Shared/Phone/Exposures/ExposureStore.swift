package import ExposureFormat
package import ExposureKeys
package import Exposures
package import FoundationEssentials

/// What a phone heard, and which published keys it recognised: what the operating systems keep for an app.
///
/// A pure value: it is as large as what it holds, and gives nothing away but ``windows(by:at:using:)``. Both sightings and matched keys are
/// forgotten after 14 days.
package struct ExposureStore: Sendable {
    private let receiver: Receiver
    /// By the UTC day of the scan.
    private var heard: [Day: [Sighting]] = [:]
    /// In seconds since the epoch.
    private var lastScan: UInt32?
    /// Of what was heard; made when it is needed.
    private var matcher: Matcher?
    private var matched: [KeyData: MatchedKey] = [:]

    /// A published key that the phone heard.
    private struct MatchedKey {
        let rollingPeriod: RollingPeriod
        var reportType: ReportType
        let daysSinceOnset: Int32?
        /// In order of time.
        let sightings: [KeySighting]
        var hasMoved = false
    }

    /// How many sightings are kept of a day; further ones are dropped.
    ///
    /// In a crowd of 50 for eight hours a phone hears some 35,000. Whoever floods it with made-up broadcasts blinds it for the rest of the
    /// day, as a jammer would, but takes no memory of other days. They take 32 bytes each.
    package static let maximumPerDay = 100_000
    /// How many days are kept, besides today.
    package static let daysKept = 14

    /// A phone that has heard nothing.
    /// - Parameter correction: what is added to a signal's strength to correct for the phone's model, in dB.
    package init(platform: Platform, correction: Int = 0) {
        receiver = Receiver(platform: platform, correction: correction)
    }

    // MARK: Hearing

    /// One scan, with all that it received, also if it is nothing: the next scan's time counts from it.
    package mutating func hear(_ received: [Reception], at now: Date) {
        forget(at: now)
        let second = UInt32(clamping: now.wholeSeconds)
        let previous = lastScan
        lastScan = second
        let room = Self.maximumPerDay - (heard[Day(containing: now)]?.count ?? 0)
        guard !received.isEmpty, room > 0 else { return }
        matcher = nil
        heard[Day(containing: now), default: []] += received.prefix(room).map {
            Sighting($0, second: second, previousScan: previous)
        }
    }

    /// Forgets what is older than 14 days. Hearing and looking through keys do it, too.
    package mutating func forget(at now: Date) {
        let oldest = Day(containing: now).advanced(by: -Self.daysKept)
        if heard.keys.contains(where: { $0 < oldest }) {
            heard = heard.filter { $0.key >= oldest }
            matcher = nil
        }
        matched = matched.filter { _, key in
            key.sightings.last.map { Double($0.second) >= Double(oldest.startSeconds) } ?? false
        }
    }

    // MARK: Published keys

    /// Looks through published keys; a download's files in one call or in several.
    ///
    /// A key that was found before isn't looked for again. Its report may get more certain, or be revoked, once; with another rolling period
    /// it is ignored (google/exposure-notifications-internals, `ExposureMatchingTracer`).
    /// - Returns: how many keys were newly found, or changed. Only the phone learns it.
    @discardableResult
    package mutating func provide(_ keys: [ExportedKey], at now: Date) throws -> Int {
        forget(at: now)
        // The same key may stand in several files; the first counts.
        var known = Set(matched.keys)
        let new = keys.filter { known.insert($0.data).inserted }
        let matcher = matcher ?? Matcher(heard: heard.values.joined().map(Encounter.init))
        self.matcher = matcher
        let matches = matcher.matches(among: new)
        let wanted = Set(matches.map(\.identifier))
        let sightings = Dictionary(
            grouping: wanted.isEmpty
                ? [] : heard.values.joined().filter { wanted.contains($0.reception.advertisement.identifier) },
            by: \.reception.advertisement.identifier)
        var found = 0
        for (published, matches) in Dictionary(grouping: matches, by: \.published) {
            let schedule = KeySchedule(published.data)
            let ofKey = try matches.flatMap { match in
                try schedule.sightings(sightings[match.identifier] ?? [], sentAt: match.interval, receiver)
            }
            guard !ofKey.isEmpty else { continue }
            matched[published.data] = MatchedKey(
                rollingPeriod: published.rollingPeriod, reportType: published.reportType,
                daysSinceOnset: published.daysSinceOnsetOfSymptoms, sightings: ofKey.sorted { $0.second < $1.second })
            found += 1
        }
        return found + keys.count { move($0) }
    }

    /// Whether the report of a key that was found before changed.
    private mutating func move(_ key: ExportedKey) -> Bool {
        guard let known = matched[key.data], known.rollingPeriod == key.rollingPeriod, !known.hasMoved,
            known.reportType.mayBecome(key.reportType)
        else { return false }
        matched[key.data]?.reportType = key.reportType
        matched[key.data]?.hasMoved = true
        return true
    }

    /// The keys that were found. No system tells them to an app; a simulation compares them with what it knows.
    package var recognisedKeys: Set<KeyData> { Set(matched.keys) }

    // MARK: What an app is told

    /// The windows of all keys that were found, shuffled, so that an app can't tell which are of one person.
    package func windows(
        by mapping: KeyMapping, at now: Date, using random: inout some RandomNumberGenerator
    ) -> [ExposureWindow] {
        let oldest = Day(containing: now).advanced(by: -Self.daysKept)
        return matched.sorted { $0.key < $1.key }.flatMap { _, key -> [ExposureWindow] in
            guard let reportType = mapping.reportType(of: key.reportType, on: receiver.platform),
                let infectiousness = mapping.infectiousness(of: key.daysSinceOnset)
            else { return [] }
            return ExposureWindow.windows(of: key.sightings, reportType: reportType, infectiousness: infectiousness)
        }.filter { $0.day >= oldest }.shuffled(using: &random)
    }
}

extension Encounter {
    fileprivate init(_ sighting: Sighting) {
        self.init(identifier: sighting.reception.advertisement.identifier, interval: sighting.interval)
    }
}
