import DonationFormat

/// Admits apps of both systems.
struct AdmitApp: Sendable {
    let iPhone: AdmitIPhone
    let android: AdmitAndroid

    /// Verifies a request's evidence, and stores nothing of the request.
    /// - Throws: ``Refusal``; `DonationFlaw` for evidence that can't be read.
    func callAsFunction(
        _ request: DonationRequest, on platform: AppClient.Platform, for purpose: Purpose, androidID: AndroidID? = nil
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
