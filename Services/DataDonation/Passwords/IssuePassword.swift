import DonationAPI
import DonationFormat
import FoundationEssentials
import HTTPContract
import Running
import Serving

/// `POST /version/v1/{ios,android}/{otp,els,srs}`: gives a genuine app a password that it chose.
///
/// A repeat with the same password is answered alike, whatever evidence comes with it: nobody else knows the password. A dummy request
/// is read and waits for a commit like a real one.
struct IssuePassword: Sendable {
    let purpose: Purpose
    let platform: AppClient.Platform
    let bodyLimit: Int
    let admit: AdmitApp
    let hashes: DonationHashes
    let admissions: AdmissionStore
    let passwords: PasswordStore
    let clock: WallClock

    func handle(_ body: DonationBody, from caller: Caller) async throws -> ExpirationAnswer {
        do {
            return ExpirationAnswer(try await expiry(body))
        } catch let flaw as DonationFlaw {
            throw flaw == .androidID ? Refusal.missing(on: platform) : .syntax
        }
    }

    private func expiry(_ body: DonationBody) async throws -> Date {
        let now = clock.now
        let request = try DonationRequest(decoding: Array(body.payload), limit: bodyLimit)
        if body.isFake {
            try await admissions.changeNothing()
            return now.addingTimeInterval(purpose.validity)
        }
        let wish = try PasswordRequest(decoding: request.payload)
        let hash = hashes.password(wish.password, for: purpose)
        if let known = try await passwords.expiry(of: hash, for: purpose) { return known }
        do {
            let admission = try await admit(request, on: platform, for: purpose, androidID: wish.androidID)
            return try await passwords.insert(hash, for: purpose, admittedBy: admission, at: now)
        } catch let refusal as Refusal {
            // A repeat, perhaps, of a request that was stored meanwhile and took the share.
            guard let known = try await passwords.expiry(of: hash, for: purpose) else { throw refusal }
            return known
        }
    }
}
