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
    /// Not those that are in ``matched``.
    private var attempted: [KeyData: AttemptedKey] = [:]

    /// A published key that the phone heard.
    private struct MatchedKey {
        var reportType: ReportType
        let daysSinceOnset: Int32?
        /// In order of time.
        let sightings: [KeySighting]
        var hasMoved = false
    }

    /// A published key of which the phone heard only what was sent outside the key's rolling period.
    private struct AttemptedKey {
        /// Of the period, in intervals.
        let length: UInt32
        /// When something of the key was heard last, in seconds since the epoch.
        let second: UInt32
    }

    /// A broadcast of a published key, with its valid sightings.
    private struct HeardBroadcast {
        /// By the sender's clock.
        let sent: IntervalNumber
        /// At least one.
        let sightings: [KeySighting]
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
            key.sightings.last.map { Int64($0.second) >= oldest.startSeconds } ?? false
        }
        attempted = attempted.filter { Int64($0.value.second) >= oldest.startSeconds }
    }

    // MARK: Published keys

    /// Looks through published keys; a download's files in one call or in several.
    ///
    /// The rules, in this order, are those of google/exposure-notifications-internals, `ExposureMatchingTracer`:
    ///
    /// 1. A key that was found before isn't looked for again. Its report may get more certain, or be revoked, once, whatever the rolling
    ///    period is.
    /// 2. A key of which anything was heard, also outside its rolling period, is ignored with another length of the period.
    /// 3. Android ignores recursive reports, and so finds the key when a later file says more.
    ///
    /// - Parameter mapping: says what a report without a type counts as. It holds for keys that are found now.
    /// - Returns: how many keys were newly found, or changed. Only the phone learns it.
    @discardableResult
    package mutating func provide(
        _ keys: [ExportedKey], by mapping: KeyMapping = .shipped, at now: Date
    ) throws -> Int {
        forget(at: now)
        let broadcasts = try broadcasts(of: keys.filter { matched[$0.data] == nil })
        return keys.count { key in
            let reportType = mapping.resolved(key.reportType)
            guard matched[key.data] == nil else { return move(key.data, to: reportType) }
            guard let heard = key.overAllIntervals.flatMap({ broadcasts[$0] }) else { return false }
            return find(key, among: heard, as: reportType)
        }
    }

    /// What was heard of each key, also outside its rolling period. A key that stands in several files is there once.
    private mutating func broadcasts(of keys: [ExportedKey]) throws -> [ExportedKey: [HeardBroadcast]] {
        let matcher = matcher ?? Matcher(heard: heard.values.joined().map(Encounter.init))
        self.matcher = matcher
        let matches = matcher.matches(among: Array(Set(keys.compactMap(\.overAllIntervals))))
        let wanted = Set(matches.map(\.identifier))
        let sightings = Dictionary(
            grouping: wanted.isEmpty
                ? [] : heard.values.joined().filter { wanted.contains($0.reception.advertisement.identifier) },
            by: \.reception.advertisement.identifier)
        var broadcasts: [ExportedKey: [HeardBroadcast]] = [:]
        for (key, matches) in Dictionary(grouping: matches, by: \.published) {
            let schedule = KeySchedule(key.data)
            for match in matches {
                let valid = try schedule.sightings(
                    sightings[match.identifier] ?? [], sentAt: match.interval, receiver)
                guard !valid.isEmpty else { continue }
                broadcasts[key, default: []].append(HeardBroadcast(sent: match.interval, sightings: valid))
            }
        }
        return broadcasts
    }

    /// Whether a key of which something was heard counts as found.
    private mutating func find(_ key: ExportedKey, among heard: [HeardBroadcast], as reportType: ReportType) -> Bool {
        let length = key.rollingPeriod.length
        if let known = attempted[key.data], known.length != length { return false }
        if receiver.platform == .android, key.reportType == .recursive { return false }
        let ofPeriod = heard.filter { key.rollingPeriod.contains($0.sent) }.flatMap(\.sightings)
        guard !ofPeriod.isEmpty else {
            let last = heard.flatMap(\.sightings).map(\.second).max() ?? 0
            attempted[key.data] = AttemptedKey(length: length, second: last)
            return false
        }
        attempted[key.data] = nil
        matched[key.data] = MatchedKey(
            reportType: reportType, daysSinceOnset: key.daysSinceOnsetOfSymptoms,
            sightings: ofPeriod.sorted { $0.second < $1.second })
        return true
    }

    /// Whether the report of a key that was found before changes.
    private mutating func move(_ key: KeyData, to reportType: ReportType) -> Bool {
        guard let known = matched[key], !known.hasMoved, known.reportType.mayBecome(reportType) else { return false }
        matched[key]?.reportType = reportType
        matched[key]?.hasMoved = true
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
            return ExposureWindow.windows(
                of: key.sightings, reportType: reportType, infectiousness: infectiousness, on: receiver.platform)
        }.filter { $0.day >= oldest }.shuffled(using: &random)
    }
}

extension ExportedKey {
    /// The key as if it had been in use for as long as a key can be: what was heard of it depends on its data and start alone. Nil where
    /// that is beyond the last interval.
    fileprivate var overAllIntervals: ExportedKey? {
        RollingPeriod(start: rollingPeriod.start, length: IntervalNumber.perDay).map {
            ExportedKey(
                data: data, rollingPeriod: $0, transmissionRiskLevel: .lowest, reportType: .unknown,
                daysSinceOnsetOfSymptoms: nil)
        }
    }
}

extension Encounter {
    fileprivate init(_ sighting: Sighting) {
        self.init(identifier: sighting.reception.advertisement.identifier, interval: sighting.interval)
    }
}
