import TestSupport
import Testing

@Suite(
    .serialized, .enabled(if: PrivateServer.programs != nil, "needs PostgreSQL's programs"), .heavy,
    .timeLimit(.minutes(15)))
struct SeizedRegistrationsTests {
    private static let phones = 400

    @Test("an attacker with databases, logs and keys, but no phone, can't tell whose test authorised an upload")
    func unlinked() async throws {
        let seized = try await SeizedRegistrations.after(Self.phones, .asBuilt, seed: 1)
        #expect(seized.found == 1)
        let interrogation = Interrogation(SeizedRegistrations.clues, seized.questions, seed: 1)
        #expect(interrogation.suspicious.isEmpty)
        #expect(interrogation.guesses == Self.phones / 4)
        // The two rows of one upload share nothing but their time.
        #expect(!seized.sharesBytesWithInbox)
    }

    @Test("one note in the session lets the same attacker link every upload, by each of his clues")
    func control() async throws {
        let seized = try await SeizedRegistrations.after(Self.phones, .noted, seed: 2)
        let interrogation = Interrogation(SeizedRegistrations.clues, seized.questions, seed: 2)
        let shares = Dictionary(uniqueKeysWithValues: interrogation.scores.map { ($0.clue, $0.share) })
        for clue in SeizedRegistrations.clues where clue.hasPrefix("TAN: ") {
            #expect(shares[clue] ?? 0 > 0.95, "\(clue)")
        }
        #expect(interrogation.share > 0.95)
    }
}
