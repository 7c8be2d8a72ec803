import CountryModel
import Foundation

/// Compares of whom the Further app told its users with the contacts and positive tests of the model.
struct FurtherOracle: Sendable {
    /// Whose id a phone heard, and when first.
    struct Met: Sendable {
        let owner: PersonID
        /// Whether the owner has another id each day.
        let isOfDay: Bool
        let at: Date
    }

    private var met: [PersonID: [UUID: Met]] = [:]
    /// When each person learned of a positive test, and so reported it.
    private var positive: [PersonID: Date] = [:]
    private var told: [PersonID: [UUID: Date]] = [:]
    private var toldAgain: [String] = []
    /// How many pairs of a reported id and a phone that had heard it were judged.
    private(set) var judgedPairs = 0

    /// How many people had a positive test to report.
    var positivePeople: Int { positive.count }
    /// How many people were told that they had met one of them.
    var toldPeople: Int { told.count }

    /// A phone heard an id.
    mutating func heard(_ id: UUID, _ new: Met, by person: PersonID) {
        if met[person]?[id] == nil { met[person, default: [:]][id] = new }
    }

    /// Somebody learned of a positive test.
    mutating func learnedPositive(_ person: PersonID, at instant: Date) {
        positive[person] = min(positive[person] ?? instant, instant)
    }

    /// An app told its owner.
    mutating func told(_ news: [FurtherUser.News], to person: PersonID) {
        for news in news {
            for id in news.ids where told[person, default: [:]].updateValue(news.at, forKey: id) != nil {
                toldAgain.append("person \(person.rawValue) at \(news.at)")
            }
            if news.count != news.ids.count {
                toldAgain.append("person \(person.rawValue) at \(news.at): \(news.count), not \(news.ids.count)")
            }
        }
    }

    /// The end of the run.
    mutating func judge(at end: Date) -> [(fault: Oracle.Fault, line: String)] {
        var cases = toldAgain.map { (fault: Oracle.Fault.toldTwice, line: $0) }
        for (person, ids) in met {
            for (id, met) in ids {
                guard let due = due(met), due < end else { continue }
                judgedPairs += 1
                if let told = told[person]?[id], told <= due { continue }
                cases.append(
                    (
                        .neverTold,
                        "person \(person.rawValue) met person \(met.owner.rawValue) at \(met.at), due at \(due)"
                    ))
            }
        }
        for (person, news) in told {
            for (id, at) in news {
                if let met = met[person]?[id], met.at <= at, let positive = positive[met.owner], positive <= at {
                    continue
                }
                cases.append((.toldOfNobody, "person \(person.rawValue) at \(at)"))
            }
        }
        return cases
    }

    /// By when somebody must have been told; nil for never.
    private func due(_ met: Met) -> Date? {
        guard let positive = positive[met.owner] else { return nil }
        let begin = max(positive, met.at)
        guard begin.timeIntervalSince(positive) < Self.memory else { return nil }
        let dayTime = met.isOfDay ? Self.spreadTime + (met.at > positive ? Self.dayTime : 0) : 0
        return begin + Self.reportTime + dayTime + Self.queryTime
    }

    /// Within this time a positive test is reported: apps wake each hour, and a service may have failed three times.
    private static let reportTime: TimeInterval = 4 * 3600
    /// An id of a day that was broadcast after the report is reported on the next day.
    private static let dayTime: TimeInterval = 24 * 3600
    /// A day's id comes within this time (`batch.spreadHours`).
    private static let spreadTime: TimeInterval = 6 * 3600
    /// Within this time each phone has read a list with a report: the lists of the hour, or of the next one after a fault, a day, and the
    /// five hours of an evening in which a failed query is repeated.
    private static let queryTime: TimeInterval = 31 * 3600
    /// A report counts for so long (14 days from the beginning of its day, less the times above).
    private static let memory: TimeInterval = 10 * 86_400
}
