import ExposureKeys
import TestSupport
import Testing

/// An attacker who has all packages of this country, and all batches as another country downloads them, of two days with quiet and busy
/// hours.
///
/// Uploads follow from a seed; fillers are drawn as in production. The share of right answers may differ from 1/2 by 0.07 (2,000 fillers
/// of both streams), 0.1 (1,000 of one) and 0.18 (300 keys that came together); a million runs see less than one false alarm
/// (``Chance``). Of 126 correlations with how many people uploaded or agreed, which may be 0.84 in the 44 hours of a stream and 0.59 in
/// those of both, they see one beyond that less than five times. Sizes don't vary at all.
@Suite(
    "What the feeds of this country and of others tell together",
    .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .heavy, .timeLimit(.minutes(5)))
struct FeedAttackTests {
    @Test("nobody can tell which keys came together, which are real, and how many people uploaded or agreed")
    func feeds() async throws {
        let feeds = try await BothFeeds.recorded(seed: 21)
        for question in Question.allCases {
            let interrogation = question.ask(feeds)
            #expect(interrogation.suspicious.isEmpty, "\(question): \(interrogation.scores)")
            #expect(interrogation.guesses > 200, "\(question)")
        }
        let counts = FeedCounts(feeds)
        #expect(counts.sizes == [[.home: HomeFold.size, .federated: HomeFold.size]])
        #expect(counts.telling == [])
        #expect(feeds.isDividedEvenly && feeds.isPublicBefore)
        #expect(Set(feeds.looksAbroad.values) == [1])
        Self.expectFindings(in: feeds)
    }

    /// The same attacker and the same uploads, in countries that do one thing wrong.
    private static func expectFindings(in feeds: BothFeeds) {
        for question in Question.allCases { #expect(question.ask(feeds.inOrderOfUploads).share > 0.85, "\(question)") }

        let withoutFillers = feeds.withoutFillersAbroad
        #expect(Question.realAbroad.ask(withoutFillers).share > 0.95)
        #expect(Question.real.ask(withoutFillers).share > 0.65)
        #expect(FeedCounts(withoutFillers).sizes.count > 10)
        #expect(FeedCounts(withoutFillers).telling.contains("keys at once, federated, federated"))
        // The difference of the feeds has their fillers, so that it shrinks with the people who agreed.
        #expect(FeedCounts(withoutFillers).telling.contains("keys at once, home, federated"))

        #expect(
            FeedCounts(feeds.withoutWaitingFillers).telling.contains("keys that wait, both, own"))

        let ownCountries = feeds.withOwnCountries
        #expect(Question.togetherAbroad.ask(ownCountries).share > 0.95)
        #expect(Question.realAbroad.ask(ownCountries).share > 0.95)
        #expect(ownCountries.looksAbroad.values.contains { $0 > 1 })

        #expect(Question.realAbroad.ask(feeds.withUploadedOnset).share > 0.65)
        #expect(feeds.withUploadedOnset.looksAbroad.values.contains { $0 > 1 })
    }

    private enum Question: UInt64, CaseIterable {
        case togetherAbroad = 1
        case togetherInTheDifference, realAbroad, realInTheDifference, real

        func ask(_ feeds: BothFeeds) -> Interrogation {
            let questions = FeedQuestions(feeds)
            return switch self {
            case .togetherAbroad: questions.together(.federated, seed: rawValue)
            case .togetherInTheDifference: questions.together(.home, seed: rawValue)
            case .realAbroad: questions.real(.federated, seed: rawValue)
            case .realInTheDifference: questions.real(.home, seed: rawValue)
            case .real: questions.realOfAll(seed: rawValue)
            }
        }
    }
}
