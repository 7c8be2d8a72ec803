import CountryModel
import ExposureKeys
import Foundation
import Venues

/// Compares what phones found about visits with the check-ins of the model: who was where at the same time.
struct VisitOracle: Sendable {
    /// A visit whose reports a phone sent.
    private struct Shared {
        let visit: PhoneVisit
        /// What the report says, in seconds since 1970.
        let reported: Range<Int64>
        /// When the app had the answer; nil if it had none.
        let acknowledged: Date?
    }

    private let rules: VenueRules
    private var checkIns: [VenueID: Set<PhoneVisit>] = [:]
    private var shared: [Shared] = []
    private var found: Set<PhoneVisit> = []
    /// How many pairs of a reported visit and another one were judged.
    private(set) var judgedPairs = 0

    init(_ rules: VenueRules) { self.rules = rules }

    /// How many visits have been shared.
    var sharedVisits: Int { shared.count { $0.acknowledged != nil } }
    /// How many phones found a report about a visit of theirs.
    var warnedPeople: Int { Set(found.map(\.person)).count }

    /// A phone checked in.
    mutating func checkedIn(_ visit: PhoneVisit) { checkIns[visit.venue, default: []].insert(visit) }

    /// A phone sent a visit's reports.
    /// - Parameter acknowledged: when the app had the answer; nil if it had none.
    mutating func shared(_ visit: PhoneVisit, acknowledged: Date?) {
        let (start, end) = (visit.seconds.lowerBound, visit.seconds.upperBound)
        guard let intervals = rules.reported(from: start, to: end) else { return }
        let reported = intervals.lowerBound.startSeconds..<intervals.upperBound.startSeconds
        shared.append(Shared(visit: visit, reported: reported, acknowledged: acknowledged))
    }

    /// A phone found reports about a visit.
    mutating func found(_ visits: Set<PhoneVisit>) { found.formUnion(visits) }

    /// The end of the run.
    mutating func judge(at end: Date) -> [(fault: Oracle.Fault, line: String)] {
        var cases: [(fault: Oracle.Fault, line: String)] = []
        var explained: Set<PhoneVisit> = []
        // Whoever has shared isn't warned any more.
        let sharers = Set(shared.map(\.visit.person))
        for report in shared {
            for other in checkIns[report.visit.venue] ?? []
            where other.person != report.visit.person && other.seconds.overlaps(report.reported) {
                explained.insert(other)
                let left = Date(timeIntervalSince1970: Double(other.seconds.upperBound))
                guard !sharers.contains(other.person), let sent = report.acknowledged,
                    end.timeIntervalSince(sent) > Self.detectionTime, sent.timeIntervalSince(left) < Self.memory
                else { continue }
                judgedPairs += 1
                if !found.contains(other) {
                    cases.append(
                        (
                            .visitNeverMatched,
                            "person \(other.person.rawValue) was at venue \(other.venue.rawValue) with person "
                                + "\(report.visit.person.rawValue), who shared at \(sent)"
                        ))
                }
            }
        }
        for visit in found.subtracting(explained) {
            cases.append((.visitOfNobody, "by person \(visit.person.rawValue) at venue \(visit.venue.rawValue)"))
        }
        return cases
    }

    /// Within this time after its upload each phone has downloaded a report: the fold, two hours of a bundle, a day in which it slept.
    private static let detectionTime: TimeInterval = 60 * 3600
    /// Check-ins count for so long (the rules' days, less a day of publication).
    private static let memory: TimeInterval = 7 * 86_400
}
