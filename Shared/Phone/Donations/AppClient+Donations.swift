import Calling
import DonationAPI
package import DonationFormat
import FoundationEssentials
import HTTPContract

/// What an app shows to be admitted: Apple's and Google's frameworks make it, over the payload of the request.
package enum AppEvidence: Sendable {
    /// An iPhone's.
    case iOS(IOSEvidence)
    /// An Android phone's.
    case android(AndroidEvidence)

    fileprivate func encoded() throws(DonationFlaw) -> [UInt8] {
        switch self {
        case .iOS(let evidence): try evidence.encoded()
        case .android(let evidence): try evidence.encoded()
        }
    }

    /// Whose routes take it.
    package var platform: AppClient.DonationPlatform {
        switch self {
        case .iOS: .iOS
        case .android: .android
        }
    }
}

extension AppClient {
    /// Each has routes of its own.
    package typealias DonationPlatform = DonationFormat.AppClient.Platform

    /// What a one-time password is for.
    package enum PasswordPurpose: Sendable, CaseIterable {
        /// To take part in a survey.
        case survey
        /// To send an error log.
        case log
        /// To warn others without a registered test.
        case selfReport

        fileprivate func operation(
            on platform: DonationPlatform
        ) -> Endpoint<DonationBody, ExpirationAnswer> {
            switch (self, platform) {
            case (.survey, .iOS): DonationAPI.surveyOnIOS
            case (.survey, .android): DonationAPI.surveyOnAndroid
            case (.log, .iOS): DonationAPI.logOnIOS
            case (.log, .android): DonationAPI.logOnAndroid
            case (.selfReport, .iOS): DonationAPI.reportOnIOS
            case (.selfReport, .android): DonationAPI.reportOnAndroid
            }
        }
    }

    /// Bytes of a request's body: attestations of App Attest have 6,000, device tokens 3,500. Donated data with many encounters need the
    /// larger size.
    private static let donationSizes = (common: 16_384, large: 196_608)

    /// What assertions of App Attest cover, before the payload.
    private func challenge() async throws -> [UInt8] {
        let answer = try await proxy.call(DonationAPI.challenge, NoContent())
        return Data(base64Encoded: answer.challenge).map(Array.init) ?? []
    }

    /// Makes a request with evidence of App Attest: asks for the challenge, has the app's key attested if the server doesn't know it, and
    /// signs.
    ///
    /// A repeat after a lost answer has evidence of its own. A password is given again nevertheless. A donation that was stored is refused
    /// as a second one, unless the first evidence is sent again.
    /// - Parameters:
    ///   - payload: that of the request.
    ///   - attestation: what the app keeps; it has to be kept even if the request fails.
    ///   - deviceToken: DeviceCheck's, for a self-report.
    ///   - request: ``requestPassword(for:_:with:)`` or ``donate(_:with:)``.
    package func prove<Answer>(
        _ payload: [UInt8], by attestation: inout AppAttestation, of service: some AppAttestService,
        deviceToken: String = "", in request: (AppEvidence) async throws -> Answer
    ) async throws -> Answer {
        let evidence = try await attestation.evidence(
            for: payload, challenge: try await challenge(), deviceToken: deviceToken, by: service)
        do {
            let answer = try await request(evidence)
            attestation.succeed()
            return answer
        } catch CallError.refused(let status) {
            attestation.fail(with: status)
            throw CallError.refused(status)
        }
    }

    /// Asks for a password that the app chose. A repeat with the same password succeeds again.
    /// - Parameters:
    ///   - payload: `PasswordRequest.encoded()`, which the evidence covers.
    ///   - evidence: made for the payload.
    /// - Returns: until when the password is good, as the server says it.
    /// - Throws: `CallError.refused` if the app isn't admitted.
    package func requestPassword(
        for purpose: PasswordPurpose, _ payload: [UInt8], with evidence: AppEvidence
    ) async throws -> String {
        try await call(purpose.operation(on: evidence.platform), payload, evidence).expirationDate
    }

    /// Donates data for analysis.
    /// - Parameters:
    ///   - payload: `AnalyticsData.encoded()`, which the evidence covers.
    ///   - evidence: made for the payload.
    /// - Throws: `CallError.refused` if the app isn't admitted, or the phone has donated today.
    package func donate(_ payload: [UInt8], with evidence: AppEvidence) async throws {
        let operation =
            evidence.platform == .iOS ? DonationAPI.analyticsOnIOS : DonationAPI.analyticsOnAndroid
        _ = try await call(operation, payload, evidence)
    }

    /// Asks for nothing, in a request that looks like one for a password.
    package func pretendToRequestPassword(for purpose: PasswordPurpose, on platform: DonationPlatform) async throws {
        let body = try DonationRequest(authentication: [], payload: []).encoded(length: Self.donationSizes.common)
        _ = try await proxy.call(purpose.operation(on: platform), DonationBody(Data(body), isFake: true))
    }

    private func call(
        _ operation: Endpoint<DonationBody, ExpirationAnswer>, _ payload: [UInt8], _ evidence: AppEvidence
    ) async throws -> ExpirationAnswer {
        let request = DonationRequest(authentication: try evidence.encoded(), payload: payload)
        let isLarge = request.authentication.count + request.payload.count > Self.donationSizes.common - 64
        let size = isLarge ? Self.donationSizes.large : Self.donationSizes.common
        return try await proxy.call(operation, DonationBody(Data(try request.encoded(length: size))))
    }
}
