package import CountryModel
package import ExposureFormat
package import ExposureKeys
package import Foundation
import Venues

/// Compares what services and phones did with what the simulation knows: who uploaded which keys, and which phones had heard them.
///
/// Services and phones can't know this; so each difference is a defect of theirs, or of the simulation.
package struct Oracle: Sendable {
    /// What must not happen.
    enum Fault: String, CaseIterable, Codable, Sendable {
        /// A phone heard a key, the key was published, and the phone didn't find it.
        case neverMatched = "published, but never matched"
        /// A phone counted a key a second time.
        case matchedTwice = "matched twice"
        /// A server acknowledged an upload, and a key of it wasn't published.
        case lostUpload = "lost uploads"
        /// A key was published less than two hours after its period.
        case earlyKey = "keys published early"
        /// A key was published in two hours.
        case publishedTwice = "published twice"
        /// A phone matched a key that nobody uploaded.
        case fillerMatched = "fillers matched"
        /// A phone matched a key whose owner it hadn't heard.
        case strangerMatched = "strangers matched"
        /// A phone was at a venue at the time of a report, and didn't find it.
        case visitNeverMatched = "visits shared, but never matched"
        /// A phone found a report about a visit at which nobody was who shared it.
        case visitOfNobody = "visits matched that nobody shared"
        /// A phone heard an id whose owner learned of a positive test, and the Further app didn't tell.
        case neverTold = "ids met and reported, but never told"
        /// The Further app told of an id a second time.
        case toldTwice = "ids told twice"
        /// The Further app told of an id that the phone hadn't heard, or whose owner had no positive test.
        case toldOfNobody = "ids told that nobody met or reported"
        /// An attacker finds more than chance where the suite promises that nothing is found.
        case attackSucceeds = "attacks that the suite promises to prevent"
        /// A server took an upload without a valid TAN.
        case unauthorisedUpload = "unauthorised uploads"
    }

    /// A key that a phone sent, and who had heard it by then.
    private struct SharedKey {
        let owner: PersonID
        let key: DiagnosisKey
        /// When the app had the answer; nil as long as it had none. Then the key may be published, and needn't.
        var acknowledged: Date?
        /// When each phone heard it last.
        let heard: [PersonID: Date]
        /// In which hour it appeared.
        var published: Hour?
    }

    private var keys: [KeyData: SharedKey] = [:]
    /// How often each phone found each key anew.
    private var matches: [PersonID: [KeyData: Int]] = [:]
    private var faults: [Fault: [String]] = [:]
    /// How many acknowledged keys were due to be published.
    private(set) var judgedKeys = 0
    /// How many pairs of a key and a phone that heard it were judged.
    private(set) var judgedPairs = 0
    /// The hours from the publication of keys to phones that found them.
    private(set) var hoursToDetection: [Double] = []

    /// What is known of venues.
    var visits = VisitOracle(.shipped)

    /// What is known of the Further app.
    var further = FurtherOracle()

    private let policy = PublicationPolicy()

    /// An oracle that has seen nothing.
    package init() {}

    /// The number of keys that servers acknowledged.
    package var sharedKeys: Int { keys.values.count { $0.acknowledged != nil } }

    /// What happened that must not, one line a case.
    func cases(of fault: Fault) -> [String] { faults[fault] ?? [] }

    /// Whether nothing happened that must not.
    var isContent: Bool { faults.values.allSatisfy(\.isEmpty) }

    /// Records a case.
    mutating func report(_ fault: Fault, _ line: String) { faults[fault, default: []].append(line) }

    // MARK: What people did

    /// A phone sent keys. Who heard them follows from the model's contacts, without the phones' help.
    /// - Parameters:
    ///   - acknowledged: when the app had the answer; nil if it had none.
    ///   - hasPhone: whether somebody's phone is real.
    package mutating func shared(
        _ uploaded: [DiagnosisKey], by owner: PersonID, acknowledged: Date?, in country: Country,
        hasPhone: (PersonID) -> Bool = { _ in true }
    ) {
        for key in uploaded {
            if let known = keys[key.data] {
                keys[key.data]?.acknowledged = known.acknowledged ?? acknowledged
                continue
            }
            let period = key.rollingPeriod
            let day = Day(containing: Date(timeIntervalSince1970: Double(period.start.startSeconds)))
            var heard: [PersonID: Date] = [:]
            // A contact may have begun on the day before.
            for contact in country.truth.contacts(of: owner, from: day.advanced(by: -1), through: day) {
                let other = contact.first == owner ? contact.second : contact.first
                guard hasPhone(other) else { continue }
                for packet in country.radio.packets(heardBy: other, during: contact) {
                    let second = Date(timeIntervalSince1970: Double(packet.second))
                    guard period.contains(IntervalNumber(containing: second)) else { continue }
                    heard[other] = max(heard[other] ?? .distantPast, second)
                }
            }
            keys[key.data] = SharedKey(owner: owner, key: key, acknowledged: acknowledged, heard: heard)
        }
    }

    /// A phone found a key that it hadn't found before.
    mutating func matched(_ key: KeyData, by person: PersonID, at instant: Date) {
        matches[person, default: [:]][key, default: 0] += 1
        if let hour = keys[key]?.published {
            hoursToDetection.append(instant.timeIntervalSince(hour.end) / 3600)
        }
    }

    // MARK: What was published

    /// An hour's package, as a phone downloads it.
    package mutating func published(_ exported: [ExportedKey], in hour: Hour) {
        for key in exported {
            guard let shared = keys[key.data] else { continue }
            if let first = shared.published {
                report(.publishedTwice, "a key of person \(shared.owner.rawValue) in hours \(first) and \(hour)")
            }
            keys[key.data]?.published = hour
            // A of an hour appears when the hour is over.
            if hour.end < key.rollingPeriod.endDate.addingTimeInterval(Double(policy.embargoMinutes) * 60) {
                report(.earlyKey, "a key of person \(shared.owner.rawValue) in hour \(hour)")
            }
        }
    }

    /// The end of the run.
    /// - Parameters:
    ///   - people: those with a phone.
    ///   - end: no phone did anything later.
    mutating func judge(_ people: [PersonID], at end: Date) {
        for shared in keys.values where shared.key.transmissionRiskLevel >= policy.lowestLevel {
            // It may still be waiting for its embargo, or for the hour to end.
            guard let sent = shared.acknowledged,
                end.timeIntervalSince(max(sent, shared.key.rollingPeriod.endDate)) > Self.publicationTime
            else { continue }
            judgedKeys += 1
            guard shared.published == nil else { continue }
            report(.lostUpload, "a key of person \(shared.owner.rawValue), acknowledged at \(sent)")
        }
        for (fault, line) in visits.judge(at: end) + further.judge(at: end) { report(fault, line) }
        for person in people {
            for (key, times) in matches[person] ?? [:] { judge(key, found: times, by: person) }
        }
        for (data, shared) in keys {
            guard let hour = shared.published, end.timeIntervalSince(hour.end) > Self.detectionTime else { continue }
            // Phones forget what they heard after 14 days.
            for (person, heard) in shared.heard where hour.end.timeIntervalSince(heard) < Self.memory {
                judgedPairs += 1
                guard matches[person]?[data] == nil else { continue }
                report(
                    .neverMatched,
                    "person \(person.rawValue) heard person \(shared.owner.rawValue) at \(heard), published in hour \(hour)"
                )
            }
        }
    }

    private mutating func judge(_ key: KeyData, found times: Int, by person: PersonID) {
        guard let shared = keys[key] else { return report(.fillerMatched, "by person \(person.rawValue)") }
        if shared.heard[person] == nil {
            report(.strangerMatched, "by person \(person.rawValue), of person \(shared.owner.rawValue)")
        }
        if times > 1 { report(.matchedTwice, "by person \(person.rawValue), \(times) times") }
    }

    /// Within this time after its upload and the end of its period a key is published: the embargo, the hour, the next publication.
    private static let publicationTime: TimeInterval = 5 * 3600
    /// Within this time after its publication each phone has downloaded a key: the day's package, and a day in which the phone slept.
    private static let detectionTime: TimeInterval = 54 * 3600
    private static let memory: TimeInterval = 11 * 86_400

    // MARK: For the report

    /// The number of phones' keys that were published.
    var publishedKeys: Int { keys.values.count { $0.published != nil } }

    /// The hours from the acknowledgement of keys to their publication.
    var hoursToPublication: [Double] {
        keys.values.compactMap { shared in
            guard let sent = shared.acknowledged, let hour = shared.published else { return nil }
            return hour.end.timeIntervalSince(max(sent, shared.key.rollingPeriod.endDate)) / 3600
        }
    }
}

extension RollingPeriod {
    fileprivate var endDate: Date { Date(timeIntervalSince1970: Double(end.startSeconds)) }
}
