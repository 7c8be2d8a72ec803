import ExposureFormat
package import ExposureKeys
package import FoundationEssentials
package import Venues

/// What a person shares of the diary after a positive test: nothing, until single visits are selected.
///
/// The app shows for each visit exactly what would be sent (``records(of:)``), says that it risks revealing who was where, and asks every
/// time (Apple, "Off-Device Venue Check-Ins", 2021, user interface 5 to 9).
package struct VisitSharing: Sendable {
    /// The reports of an upload, each kind in no order.
    package struct Reports: Sendable {
        /// Of venues with a seed.
        package let venueReports: [VenueReport]
        /// Of Corona-Warn-App's venues.
        package let checkInReports: [CheckInReport]
        /// The visits that they tell of. When the upload has succeeded, the diary marks them as shared.
        package let checkIns: Set<UInt32>
    }

    /// What can be shared: visits to venues that reports can be made of, long enough, not shared before; in the order of the diary.
    package let candidates: [CheckIn]
    /// The numbers of those that the person selected.
    package private(set) var selected: Set<UInt32> = []

    private let rules: VenueRules
    private let onset: OnsetOfSymptoms
    private let answer: Day
    private let now: Date

    /// The most random reports that are added of each kind; see ``reports(using:)``.
    package static let maximumPadding = 3
    /// The most visits that fit into an upload of venue reports, besides padding: 128 reports of the 8,192 bytes.
    private static let maximumVenueReports = 128 - maximumPadding
    /// The same for Corona-Warn-App's, of which an upload has 280.
    private static let maximumCheckInReports = 280 - maximumPadding

    /// Begins with nothing selected.
    /// - Parameters:
    ///   - onset: what the person says of symptoms.
    ///   - answer: the day on which the person said it; by default today.
    package init(
        _ diary: CheckInDiary, by rules: VenueRules, onset: OnsetOfSymptoms, answeredOn answer: Day? = nil,
        at now: Date
    ) {
        let answer = answer ?? Day(containing: now)
        self.rules = rules
        self.onset = onset
        self.answer = answer
        self.now = now
        candidates = diary.checkIns.filter { checkIn in
            !checkIn.isShared && checkIn.code?.venue.secret != nil
                && !Self.records(of: checkIn, by: rules, onset: onset, answeredOn: answer, at: now).isEmpty
        }
    }

    /// Selects a visit; numbers of others have no effect.
    package mutating func select(_ id: UInt32) {
        if candidates.contains(where: { $0.id == id }) { selected.insert(id) }
    }

    /// Takes a selection back.
    package mutating func deselect(_ id: UInt32) { selected.remove(id) }

    /// What would be sent of a visit: one record for each day that it touches.
    package func records(of checkIn: CheckIn) -> [VisitRecord] {
        Self.records(of: checkIn, by: rules, onset: onset, answeredOn: answer, at: now)
    }

    private static func records(
        of checkIn: CheckIn, by rules: VenueRules, onset: OnsetOfSymptoms, answeredOn answer: Day, at now: Date
    ) -> [VisitRecord] {
        let seconds = checkIn.seconds(until: now.wholeSeconds)
        guard let reported = rules.reported(from: seconds.lowerBound, to: seconds.upperBound) else { return [] }
        return reported.splitAtMidnight.compactMap { part in
            let day = Day(number: Int32(part.lowerBound.rawValue / IntervalNumber.perDay))
            let level = onset.level(of: day, today: answer)
            // What counts for nothing at the receivers needn't be sent.
            guard rules.value(of: level) > 0 else { return nil }
            return VisitRecord(start: part.lowerBound, end: part.upperBound, transmissionRiskLevel: level)
        }
    }

    /// The reports of the selected visits. If there are too many for an upload, the latest visits go first, and each earlier one that
    /// still fits follows; the others stay in the diary, not shared.
    ///
    /// Of each kind, up to three random reports are added, which nobody can read. The sizes of uploads are constant, so they are for the
    /// server: it opens uploads, and learns neither how many visits a person shared, nor whether there were any of a kind. The order is
    /// random, so that it doesn't tell that of the visits (Apple, "Off-Device Venue Check-Ins", reports 4 and 5).
    /// - Parameter inOneUpload: whether both kinds go into one upload of 8,192 bytes; else either goes into one of its own.
    package func reports(
        inOneUpload: Bool = false, using random: inout some RandomNumberGenerator
    ) throws -> Reports {
        var venueReports: [VenueReport] = []
        var checkInReports: [CheckInReport] = []
        var shared: Set<UInt32> = []
        for checkIn in candidates.reversed() where selected.contains(checkIn.id) {
            let records = records(of: checkIn)
            switch checkIn.code?.venue {
            case .seed(let seed):
                guard Self.fit(venueReports.count + records.count, checkInReports.count, inOneUpload) else { continue }
                let keys = seed.keys
                venueReports += try records.map { try keys.seal($0) }
            case .traceLocation(let location):
                guard Self.fit(venueReports.count, checkInReports.count + records.count, inOneUpload) else { continue }
                checkInReports += try records.map { try location.seal($0) }
            case .numbered, nil: continue
            }
            shared.insert(checkIn.id)
        }
        for _ in 0..<Int.random(in: 0...Self.maximumPadding, using: &random) {
            venueReports.append(VenueReport(using: &random))
        }
        for _ in 0..<Int.random(in: 0...Self.maximumPadding, using: &random) {
            if let report = CheckInReport(Self.bytes(CheckInReport.count, using: &random)) {
                checkInReports.append(report)
            }
        }
        return Reports(
            venueReports: venueReports.shuffled(using: &random),
            checkInReports: checkInReports.shuffled(using: &random),
            checkIns: shared)
    }

    /// Whether so many reports of either kind fit, with the most padding.
    private static func fit(_ venueReports: Int, _ checkInReports: Int, _ inOneUpload: Bool) -> Bool {
        guard venueReports <= maximumVenueReports, checkInReports <= maximumCheckInReports else { return false }
        let size = VenueUpload.size(
            venueReports: venueReports + maximumPadding, checkInReports: checkInReports + maximumPadding)
        return !inOneUpload || size <= VenueUpload.roomForReports
    }

    private static func bytes(_ count: Int, using random: inout some RandomNumberGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }
}
