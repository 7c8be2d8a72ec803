import DonationAPI
import ExposureKeys
import FoundationEssentials
import HTTPContract
import Running
import Serving

/// `GET /version/v1/ios/challenge`: what assertions of App Attest have to cover, a keyed hash of the hour.
///
/// It is the same for everybody, so nothing is stored and nobody is known again by it. It dates an assertion; that an assertion isn't
/// shown twice is seen to by its counter, and a key's row lasts longer than any challenge (Apple, "Validating apps that connect to your
/// server", asks for a challenge of at least 16 bytes that can't be foreseen).
struct Challenges: Sendable {
    let hashes: DonationHashes
    let clock: WallClock

    func handle(_ request: NoContent, from caller: Caller) async throws -> ChallengeAnswer {
        ChallengeAnswer(challenge(at: clock.now))
    }

    /// Of the hour.
    func challenge(at now: Date) -> [UInt8] { hashes.challenge(of: Hour(containing: now).number) }

    /// Whether a challenge is this hour's or the last one's.
    func accept(_ challenge: [UInt8], at now: Date) -> Bool {
        let hour = Hour(containing: now).number
        return challenge == hashes.challenge(of: hour) || challenge == hashes.challenge(of: hour - 1)
    }
}
