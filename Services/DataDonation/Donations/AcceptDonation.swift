import DonationAPI
import DonationFormat
import FoundationEssentials
import Running
import Serving

/// `POST /version/v1/{ios,android}/dat`: stores what the user of a genuine app donates, sealed for the fold.
///
/// Data that break a rule are refused before the evidence is looked at, so that they take no share. A repeat of a request succeeds while the
/// donation waits; after the fold it is refused like a second donation. A dummy request is read, sealed, and waits for a commit like a real
/// one.
struct AcceptDonation: Sendable {
    let platform: AppClient.Platform
    let bodyLimit: Int
    let admit: AdmitApp
    let hashes: DonationHashes
    let admissions: AdmissionStore
    let inbox: DonationInbox
    let clock: WallClock

    func handle(_ body: DonationBody, from caller: Caller) async throws -> ExpirationAnswer {
        do {
            return ExpirationAnswer(try await take(body))
        } catch is DonationFlaw {
            throw Refusal.syntax
        }
    }

    private func take(_ body: DonationBody) async throws -> Date {
        let now = clock.now
        let request = try DonationRequest(decoding: Array(body.payload), limit: bodyLimit)
        let data = try? AnalyticsData(decoding: request.payload, from: platform)
        let tag = hashes.donation(request)
        if body.isFake {
            try await inbox.pretend(data, tag: tag)
            try await admissions.changeNothing()
            return now
        }
        guard let data else { throw Refusal.data }
        do {
            let admission = try await admit(request, on: platform, for: .analytics)
            try await inbox.take(data, tag: tag, admittedBy: admission)
        } catch let refusal as Refusal {
            // A repeat, perhaps, whose evidence and share the first one took.
            guard try await inbox.holds(tag) else { throw refusal }
        }
        return now
    }
}
