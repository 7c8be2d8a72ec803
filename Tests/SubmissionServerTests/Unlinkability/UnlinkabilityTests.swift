import ExposureKeys
import Foundation
import TestSupport
import Testing

@testable import SubmissionServer

/// An attacker who takes the whole database server and its standby after a day of one upload every 40 seconds, and a backup of its
/// middle.
///
/// He never knows the answers to the questions that are counted. As many as there are of them, the share of right answers
/// may differ from 1/2 by 0.04 (about 5,000 keys that came together or early), 0.08 (1,700 fillers), 0.15 to 0.21 (200 to
/// 400 reports) and 0.31 (90 keys of the day itself); an attacker who is twice as far off is found practically always. A
/// million runs see less than one false alarm (``Chance``).
@Suite(
    "What a seized server tells",
    .enabled(if: TestPostgres.isAvailable && PrivateServer.programs != nil, "needs PostgreSQL's programs"),
    .heavy, .timeLimit(.minutes(15)))
struct UnlinkabilityTests {
    private static let day = SimulatedDay(Samples.day, seed: 5)
    private static let backupHour = Samples.day.firstHour.advanced(by: 13)

    @Test("after the fold nobody can tell which keys came together, which are real, and when within the hour they came")
    func folded() async throws {
        let seizure = try await Seizure.after(Self.day, .folded, backupIn: Self.backupHour)
        // The day's last hour is folded on the next day, when its oldest keys have expired.
        let uploaded = Self.day.hours.flatMap { hourly in
            hourly.uploads.flatMap(\.keys).filter { !$0.rollingPeriod.hasExpired(at: hourly.hour.end + 2) }
        }
        #expect(Set(uploaded.map(\.data)).isSubset(of: seizure.traces.keys))
        #expect(seizure.found > 0.995)

        // What waited when the backup was taken isn't in it, though its sealed rows are.
        let backedUp = seizure.inEarlyBackup
        let hours = Dictionary(grouping: seizure.keys + seizure.reports + seizure.venueReports) {
            $0.hour < Self.backupHour
        }
        #expect(hours[true]?.allSatisfy { backedUp.contains($0.id) } == true)
        #expect(hours[false]?.contains { backedUp.contains($0.id) } == false)

        for (question, interrogation) in Self.interrogations(seizure) {
            #expect(interrogation.suspicious.isEmpty, "\(question)")
            #expect(interrogation.guesses > 60, "\(question)")
        }
        // What no order hides: the Corona-Warn-App's reports name their venue by a constant hash. It is the control of the clues that
        // are taken from the bytes: they find nothing in Apple's reports.
        let visits = Interrogation(
            AttackerQuestions.allClues, AttackerQuestions(seizure, Self.day).repeatedVisits(), seed: 11)
        #expect(visits.share > 0.95 && visits.guesses > 60)
        #expect(visits.suspicious.map(\.clue).contains("common beginning"))
    }

    @Test("the same attacker is told nearly everything by uploads that were written as they came")
    func control() async throws {
        let seizure = try await Seizure.after(Self.day, .asTheyCome, backupIn: Self.backupHour)
        #expect(seizure.found > 0.995)
        for (question, interrogation) in Self.interrogations(seizure) {
            #expect(interrogation.share > 0.95, "\(question)")
        }
    }

    private static func interrogations(_ seizure: Seizure) -> [(question: String, Interrogation)] {
        let questions = AttackerQuestions(seizure, day)
        return [
            ("keys that came together", Interrogation(Seizure.pairClues, questions.together(), seed: 1)),
            ("reports that came together", Interrogation(Seizure.pairClues, questions.reportsTogether(), seed: 2)),
            ("real keys", Interrogation(Seizure.clues, questions.realKeys(), seed: 3)),
            ("real reports", Interrogation(Seizure.clues, questions.realReports(), seed: 4)),
            ("early keys", Interrogation(Seizure.clues, questions.earlyKeys(), seed: 5)),
            ("early reports", Interrogation(Seizure.clues, questions.earlyReports(), seed: 6)),
            (
                "venue reports that came together",
                Interrogation(AttackerQuestions.allClues, questions.venueReportsTogether(), seed: 8)
            ),
            (
                "repeated visits to one venue",
                Interrogation(AttackerQuestions.allClues, questions.repeatedVenueVisits(), seed: 9)
            ),
            ("real venue reports", Interrogation(Seizure.clues, questions.realVenueReports(), seed: 10)),
            ("early venue reports", Interrogation(Seizure.clues, questions.earlyVenueReports(), seed: 12)),
            ("keys of the day", Interrogation(["period"], questions.earlyByPeriod(), seed: 7)),
        ]
    }
}
