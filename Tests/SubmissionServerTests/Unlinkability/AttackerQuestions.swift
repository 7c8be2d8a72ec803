import ExposureKeys
import TestSupport
import Venues

/// What an attacker wants to know of a seized server, as questions whose two answers look alike by content: nothing but
/// traces can tell them apart.
///
/// In each question the bytes of two keys (or reports) could be exchanged without changing anything that is decided by
/// content. All questions of one list are about different keys, so that each is decided by a coin of its own.
struct AttackerQuestions {
    private let seizure: Seizure
    private let day: SimulatedDay
    private let rows: [KeyData: Seizure.Row]
    /// Each from an upload or a filler, and about a venue that no other report of the hour is about: reports of one venue
    /// hang together by content.
    private let reports: [Seizure.Row]
    private let uploads: [KeyData: SimulatedDay.Upload]

    init(_ seizure: Seizure, _ day: SimulatedDay) {
        self.seizure = seizure
        self.day = day
        rows = Dictionary(
            uniqueKeysWithValues: (seizure.keys + seizure.reports + seizure.venueReports).map { ($0.id, $0) })
        reports = Dictionary(grouping: seizure.reports) { [$0.venue, [UInt8($0.hour.ofDay)]] }.values
            .compactMap { $0.count == 1 ? $0[0] : nil }
        uploads = Dictionary(
            uniqueKeysWithValues: day.uploads.flatMap { upload in
                (upload.keys.map(\.data) + upload.reports.map(\.id) + upload.visits.map(\.id)).map { ($0, upload) }
            })
    }

    // MARK: Which came together

    /// A key, and two others of equal metadata from two uploads of the hour: with which of them did it come?
    func together() -> [Question] {
        day.hours.flatMap { hourly in
            let uploads = hourly.uploads.map { byMetadata($0.keys) }.sorted { Self.kind($0) < Self.kind($1) }
            return Self.pairs(uploads).flatMap { one, other in
                let common = Set(one.keys).intersection(other.keys).sorted()
                guard let first = common.first, let key = one[first] else { return [Question]() }
                return common.dropFirst().compactMap { metadata in
                    guard let right = one[metadata], let wrong = other[metadata] else { return nil }
                    return Question(right: seizure.clues(key, right), wrong: seizure.clues(key, wrong))
                }
            }
        }
    }

    /// A report, and two others about visits to other venues from two uploads of the hour: with which did it come?
    func reportsTogether() -> [Question] {
        day.hours.flatMap { hourly in
            let uploads = hourly.uploads.map { Self.oneOfEachVenue($0.reports) }.filter { !$0.isEmpty }
                .sorted { $0.count > $1.count }
            // The one half has several reports, the other any.
            return zip(uploads.prefix(uploads.count / 2), uploads.reversed()).flatMap { one, other in
                zip(one.dropFirst(), other).map { right, wrong in
                    Question(right: seizure.clues(one[0], right), wrong: seizure.clues(one[0], wrong))
                }
            }
        }
    }

    /// A venue report, and two others from two uploads of the hour: with which did it come? Their bytes are clues as well.
    func venueReportsTogether() -> [Question] {
        day.hours.flatMap { hourly in
            let uploads = hourly.uploads.map { $0.visits.map(\.id) }.filter { !$0.isEmpty }.sorted {
                $0.count > $1.count
            }
            return zip(uploads.prefix(uploads.count / 2), uploads.reversed()).flatMap { one, other in
                zip(one.dropFirst(), other).map { right, wrong in
                    Question(right: allClues(one[0], right), wrong: allClues(one[0], wrong))
                }
            }
        }
    }

    // MARK: Which are repeated visits to one venue

    /// Of the Corona-Warn-App's reports: which of two is of the same person at the same venue?
    func repeatedVisits() -> [Question] {
        repeated { upload in upload.reports.map { (Array($0.locationIDHash), $0.id) } }
    }

    /// The same of reports in Apple's form.
    func repeatedVenueVisits() -> [Question] {
        repeated { upload in upload.visits.map { ($0.venue, $0.id) } }
    }

    private func repeated<Venue: Hashable>(_ visits: (SimulatedDay.Upload) -> [(venue: Venue, id: KeyData)])
        -> [Question]
    {
        day.hours.flatMap { hourly in
            let uploads = hourly.uploads.map(visits).filter { !$0.isEmpty }
            return uploads.indices.compactMap { position -> Question? in
                let own = uploads[position]
                guard let again = own.indices.dropFirst().first(where: { own[$0].venue == own[0].venue }),
                    let other = uploads[(position + 1) % uploads.count].first, other.venue != own[0].venue
                else { return nil }
                return Question(right: allClues(own[0].id, own[again].id), wrong: allClues(own[0].id, other.id))
            }
        }
    }

    /// The names of ``allClues(_:_:)``.
    static let allClues = Seizure.pairClues + Seizure.contentClues

    /// Traces and bytes of two reports.
    private func allClues(_ one: KeyData, _ other: KeyData) -> [Double] {
        seizure.clues(one, other)
            + Seizure.contentClues(rows[one]?.content ?? [], rows[other]?.content ?? [])
    }

    // MARK: Which are real

    /// A key that was uploaded and a filler of equal metadata and hour: which is real?
    func realKeys() -> [Question] { real(seizure.keys) }

    /// A report that was uploaded and a filler of the hour: which is real?
    func realReports() -> [Question] { real(reports) }

    /// A venue report that was uploaded and a filler of the hour: which is real?
    func realVenueReports() -> [Question] { real(seizure.venueReports) }

    private func real(_ rows: [Seizure.Row]) -> [Question] {
        alike(rows, { uploads[$0.id] != nil }) { seizure.clues($0.id) }
    }

    // MARK: When within the hour

    /// A key from the first half of an hour and one of equal metadata from the second: which is from the first?
    func earlyKeys() -> [Question] {
        alike(seizure.keys.filter { uploads[$0.id] != nil }, isEarly) { seizure.clues($0.id) }
    }

    /// The same of reports.
    func earlyReports() -> [Question] {
        alike(reports.filter { uploads[$0.id] != nil }, isEarly) { seizure.clues($0.id) }
    }

    /// The same of venue reports.
    func earlyVenueReports() -> [Question] {
        alike(seizure.venueReports.filter { uploads[$0.id] != nil }, isEarly) { seizure.clues($0.id) }
    }

    /// The same of keys of the day itself, whatever their metadata: the one clue is for how long they were in use.
    func earlyByPeriod() -> [Question] {
        let ofTheDay = seizure.keys.filter { row in
            uploads[row.id] != nil && row.metadata?.rollingPeriod.start == row.hour.day.firstInterval
        }
        return alike(ofTheDay, byMetadata: false, isEarly) { [Double($0.length)] }
    }

    private func isEarly(_ row: Seizure.Row) -> Bool { uploads[row.id]?.isEarly == true }

    // MARK: Forming questions

    /// Of rows of the same hour and metadata, one that is asked for and one that isn't, as often as there are both.
    private func alike(
        _ rows: [Seizure.Row], byMetadata: Bool = true, _ isAskedFor: (Seizure.Row) -> Bool,
        clues: (Seizure.Row) -> [Double]
    ) -> [Question] {
        struct Kind: Hashable {
            let hour: Hour
            let metadata: DiagnosisKey?
        }
        let kinds = Dictionary(grouping: rows) { Kind(hour: $0.hour, metadata: byMetadata ? $0.metadata : nil) }
        return kinds.values.flatMap { rows in
            // Rows come in the order of their content: whoever takes the first of many takes small ones.
            let rows = rows.shuffled()
            return zip(rows.filter(isAskedFor), rows.filter { !isAskedFor($0) }).map { right, wrong in
                Question(right: clues(right), wrong: clues(wrong))
            }
        }
    }

    private func byMetadata(_ keys: [DiagnosisKey]) -> [DiagnosisKey: KeyData] {
        Dictionary(
            keys.compactMap { key in rows[key.data]?.metadata.map { ($0, key.data) } },
            uniquingKeysWith: { key, _ in key })
    }

    /// Uploads of one kind follow each other when they are sorted by it: they have most metadata in common.
    private static func kind(_ keys: [DiagnosisKey: KeyData]) -> Int {
        guard let key = keys.keys.max() else { return 0 }
        let day = Int(key.rollingPeriod.start.rawValue / IntervalNumber.perDay)
        return (Int(key.daysSinceOnsetOfSymptoms.rawValue) - day) * 20 + keys.count
    }

    private static func pairs<Element>(_ elements: [Element]) -> [(Element, Element)] {
        stride(from: 0, to: elements.count - 1, by: 2).map { (elements[$0], elements[$0 + 1]) }
    }

    /// Reports whose venue the upload names no second time.
    private static func oneOfEachVenue(_ reports: [CheckInReport]) -> [KeyData] {
        reports.filter { report in
            reports.count { $0.locationIDHash == report.locationIDHash } == 1
        }.map(\.id)
    }
}

extension CheckInReport {
    /// Sixteen random bytes that no other report has.
    fileprivate var id: KeyData {
        guard let id = KeyData(initializationVector) else { preconditionFailure("a vector has 16 bytes") }
        return id
    }
}

extension SimulatedVisits.Visit {
    /// Sixteen random bytes that no other report has.
    fileprivate var id: KeyData {
        guard let id = KeyData(report.initializationVector) else { preconditionFailure("a vector has 16 bytes") }
        return id
    }
}
