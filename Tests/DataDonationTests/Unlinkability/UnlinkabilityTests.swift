import Foundation
import TestSupport
import Testing

@testable import DataDonation

/// An attacker who takes the whole database server after hours with a donation every nine seconds.
///
/// He never knows the answers to the questions that are counted. A million runs see less than one false alarm (``Chance``).
@Suite(
    "What a seized server tells of donations",
    .enabled(if: TestPostgres.isAvailable && PrivateServer.programs != nil, "needs PostgreSQL's programs"),
    .heavy, .timeLimit(.minutes(10)))
struct UnlinkabilityTests {
    private static let hours = SimulatedHours(4, seed: 5)

    @Test func `after the fold nobody can tell which group, which phone and which encounters came together, or when`()
        async throws
    {
        let seizure = try await Seizure.after(Self.hours, .folded)
        Self.checkAll(seizure)
        // The sealed rows lie in the log for good, and nothing opens them any more.
        #expect(seizure.waiting == [400, 400, 400, 400, 0])
        #expect(seizure.opened == (1600, 0))
        for (question, interrogation) in Self.interrogations(seizure) {
            #expect(interrogation.suspicious.isEmpty, "\(question)")
            #expect(interrogation.guesses > 300, "\(question)")
        }
    }

    @Test func `the same attacker is told nearly everything by parts that were written in the order of arrival`()
        async throws
    {
        let seizure = try await Seizure.after(Self.hours, .inOrderOfArrival)
        Self.checkAll(seizure)
        for (question, interrogation) in Self.interrogations(seizure) {
            #expect(interrogation.share > 0.95, "\(question)")
        }
    }

    /// Everything that was donated is there, and was found.
    private static func checkAll(_ seizure: Seizure) {
        #expect(Set(seizure.groups.keys) == Set(hours.donations.map(\.district)))
        #expect(Set(seizure.risks.keys) == Set(hours.donations.map(\.district)))
        #expect(Set(seizure.clients.keys) == Set(hours.donations.map(\.tag)))
        #expect(Set(seizure.windows.keys) == Set(hours.donations.flatMap(\.times)))
        #expect(seizure.found > 0.98)
    }

    private static func interrogations(_ seizure: Seizure) -> [(question: String, Interrogation)] {
        typealias Donation = SimulatedHours.Donation
        typealias Trace = Seizure.Trace
        /// A part of one donation, and another part of it and of another donation of the hour: which came with it?
        func together(_ one: (Donation) -> Trace?, _ other: (Donation) -> Trace?) -> [Question] {
            Dictionary(grouping: hours.donations, by: \.hour).values.flatMap { donations in
                let shuffled = donations.shuffled()
                return zip(shuffled, shuffled.dropFirst() + shuffled.prefix(1)).map { own, foreign in
                    Question(
                        right: Seizure.clues(one(own), other(own)), wrong: Seizure.clues(one(own), other(foreign)))
                }
            }
        }
        /// A part of a donation of the first half of an hour, and one of the second: which is from the first?
        func early(_ part: (Donation) -> Trace?) -> [Question] {
            Dictionary(grouping: hours.donations, by: \.hour).values.flatMap { donations in
                let shuffled = donations.shuffled()
                return zip(shuffled.filter(\.isEarly), shuffled.filter { !$0.isEarly }).map { early, late in
                    Question(right: Seizure.clues(part(early)), wrong: Seizure.clues(part(late)))
                }
            }
        }
        let group: (Donation) -> Trace? = { seizure.groups[$0.district] }
        let risk: (Donation) -> Trace? = { seizure.risks[$0.district] }
        let client: (Donation) -> Trace? = { seizure.clients[$0.tag] }
        let window: (Donation) -> Trace? = { seizure.windows[$0.times[0]] }
        let otherWindow: (Donation) -> Trace? = { seizure.windows[$0.times[1]] }
        return [
            ("group and client", Interrogation(Seizure.pairClues, together(group, client), seed: 1)),
            ("risk and client", Interrogation(Seizure.pairClues, together(risk, client), seed: 2)),
            ("risk and encounter", Interrogation(Seizure.pairClues, together(risk, window), seed: 3)),
            ("client and encounter", Interrogation(Seizure.pairClues, together(client, window), seed: 4)),
            ("two encounters", Interrogation(Seizure.pairClues, together(window, otherWindow), seed: 5)),
            ("early risks", Interrogation(Seizure.clues, early(risk), seed: 6)),
            ("early clients", Interrogation(Seizure.clues, early(client), seed: 7)),
            ("early encounters", Interrogation(Seizure.clues, early(window), seed: 8)),
        ]
    }
}
