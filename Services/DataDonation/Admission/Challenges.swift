import DonationAPI
import ExposureKeys
import FoundationEssentials
import HTTPContract
import Running
import Schema
import Serving
import Synchronization

/// `GET /version/v1/ios/challenge`: what assertions of App Attest have to cover, a keyed hash of the hour.
///
/// It is the same for everybody, so nothing is stored and nobody is known again by it. It dates an assertion; that an assertion isn't
/// shown twice is seen to by its counter, and a key's row lasts longer than any challenge (Apple, "Validating apps that connect to your
/// server", asks for a challenge of at least 16 bytes that can't be foreseen).
final class Challenges: Sendable {
    private let hashes: DonationHashes
    private let clock: WallClock
    private let databaseClock: DatabaseClock
    /// The hour in which the clock was last found to be right.
    private let confirmed = Mutex<Hour?>(nil)

    init(hashes: DonationHashes, clock: WallClock, databaseClock: DatabaseClock) {
        self.hashes = hashes
        self.clock = clock
        self.databaseClock = databaseClock
    }

    /// Asks the database for its time once an hour: a challenge by a wrong clock would be refused by a replica whose clock is right.
    /// - Throws: `WrongClock`; `PostgresError` if the database doesn't answer.
    func handle(_ request: NoContent, from caller: Caller) async throws -> ChallengeAnswer {
        let hour = Hour(containing: clock.now)
        if confirmed.withLock({ $0 }) != hour {
            try await databaseClock.requireAgreement()
            confirmed.withLock { $0 = hour }
        }
        return ChallengeAnswer(hashes.challenge(of: hour.number))
    }

    /// Whether a challenge is of this hour, the last one or the next one. The next one's comes from a replica whose clock is a little
    /// ahead.
    func accept(_ challenge: [UInt8], at now: Date) -> Bool {
        let hour = Hour(containing: now).number
        return (hour - 1...hour + 1).contains { challenge == hashes.challenge(of: $0) }
    }
}
