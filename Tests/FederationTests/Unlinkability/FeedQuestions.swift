import ExposureFormat
import ExposureKeys
import FederationFormat
import TestSupport

/// What an attacker wants to know of both feeds.
///
/// In each question the two answers are exchangeable for who doesn't know the uploads. All questions of one list are about different keys,
/// so that each is decided by a coin of its own.
struct FeedQuestions {
    private let sightings: FeedSightings
    /// Which upload a key is from; none for a filler.
    private let owners: [KeyData: Int]
    /// The public keys of each hour and stream, in no order.
    private let hours: [BothFeeds.Folded: [KeyData]]

    init(_ feeds: BothFeeds) {
        sightings = FeedSightings(feeds)
        owners = feeds.owners
        var hours: [BothFeeds.Folded: [KeyData]] = [:]
        for (data, folded) in feeds.folded where sightings.home[data] != nil { hours[folded, default: []].append(data) }
        self.hours = hours
    }

    // MARK: Which came together

    /// A key of a stream, and two others of equal metadata from two uploads of the hour: with which of them did it come?
    func together(_ stream: KeyStream, seed: UInt64) -> Interrogation {
        let questions = hours.filter { $0.key.stream == stream }.values.flatMap { keys -> [Question] in
            let uploads = Dictionary(grouping: keys.filter { owners[$0] != nil }) { owners[$0] }.values.shuffled()
            var free = Dictionary(grouping: uploads.flatMap(\.self), by: metadata)
            func take(_ data: KeyData) -> Bool {
                guard let place = free[metadata(data)]?.firstIndex(of: data) else { return false }
                free[metadata(data)]?.remove(at: place)
                return true
            }
            return uploads.flatMap { own -> [Question] in
                guard let key = own.first(where: take) else { return [] }
                return own.compactMap { right in
                    guard take(right) else { return nil }
                    guard let wrong = free[metadata(right)]?.first(where: { owners[$0] != owners[right] }), take(wrong)
                    else { return nil }
                    return Question(right: sightings.clues(key, right), wrong: sightings.clues(key, wrong))
                }
            }
        }
        return Interrogation(FeedSightings.pairClues, questions, seed: seed)
    }

    /// What is public of a key but its bytes.
    private struct Metadata: Hashable {
        let period: RollingPeriod
        let level: TransmissionRiskLevel
    }

    private func metadata(_ data: KeyData) -> Metadata? {
        sightings.home[data].map { Metadata(period: $0.key.rollingPeriod, level: $0.key.transmissionRiskLevel) }
    }

    // MARK: Which are real

    /// A key that was uploaded and a filler, both of one hour and one stream: which is real?
    func real(_ stream: KeyStream, seed: UInt64) -> Interrogation {
        real(hours.filter { $0.key.stream == stream }.values.map(\.self), seed: seed)
    }

    /// The same of both streams: does it help to know which keys other countries have?
    func realOfAll(seed: UInt64) -> Interrogation {
        let all = Dictionary(grouping: hours) { $0.key.hour }.values.map { $0.flatMap(\.value) }
        return real(all, seed: seed)
    }

    private func real(_ hours: [[KeyData]], seed: UInt64) -> Interrogation {
        let questions = hours.flatMap { keys -> [Question] in
            // They may be in the order of a feed.
            let keys = keys.shuffled()
            return zip(keys.filter { owners[$0] != nil }, keys.filter { owners[$0] == nil }).map { right, wrong in
                Question(right: sightings.clues(right), wrong: sightings.clues(wrong))
            }
        }
        return Interrogation(FeedSightings.clues, questions, seed: seed)
    }
}
