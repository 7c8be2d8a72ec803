import DonationFormat
import HTTPTypes
import Schema

/// Admits apps of both systems.
struct AdmitApp: Sendable {
    let iPhone: AdmitIPhone
    let android: AdmitAndroid
    let databaseClock: DatabaseClock

    /// Verifies a request's evidence, and stores nothing of the request.
    ///
    /// Evidence is too old, or from the future, by this service's clock. If that is wrong, no app is refused for good: it comes again, and
    /// may reach another replica.
    /// - Throws: ``Refusal``; `DonationFlaw` for evidence that can't be read.
    func callAsFunction(
        _ request: DonationRequest, on platform: AppClient.Platform, for purpose: Purpose, androidID: AndroidID? = nil
    ) async throws -> Admission {
        do {
            return try await admission(request, on: platform, for: purpose, androidID)
        } catch let refusal as Refusal where [.unauthorized, .forbidden].contains(refusal.status) {
            try await databaseClock.requireAgreement()
            throw refusal
        }
    }

    private func admission(
        _ request: DonationRequest, on platform: AppClient.Platform, for purpose: Purpose, _ androidID: AndroidID?
    ) async throws -> Admission {
        switch platform {
        case .iOS:
            try await iPhone.admit(IOSEvidence(decoding: request.authentication), request.payload, for: purpose)
        case .android:
            try android.admit(
                AndroidEvidence(decoding: request.authentication), request.payload, for: purpose, androidID: androidID)
        }
    }
}
