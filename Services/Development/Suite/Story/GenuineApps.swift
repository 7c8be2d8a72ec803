package import Calling
import DevelopmentAttestationAPI
import DonationFormat
import Foundation
package import Phone
import PlayIntegrity

/// Made-up phones with the app, for which simulated Apple and Google vouch.
package struct GenuineApps: AppAttestService {
    private let vouchers: ServiceClient

    /// - Parameter vouchers: the control port of `development-attestation`.
    package init(_ vouchers: ServiceClient) { self.vouchers = vouchers }

    /// What Google says of an Android phone for a payload.
    package func android(for payload: [UInt8]) async throws -> AppEvidence {
        let salt = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        let digest = SimulatedAccount.androidSigner.replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
        let token = try await vouchers.call(
            DevelopmentAttestationAPI.integrityToken,
            IntegrityTokenQuery(
                nonce: PlayIntegrityPolicy.binding(salt: salt, payload: payload),
                packageName: SimulatedAccount.topic, certificateDigests: [digest])
        ).token
        return .android(AndroidEvidence(salt: Data(salt).base64EncodedString(), playIntegrity: token))
    }

    /// DeviceCheck's token of an iPhone.
    /// - Parameter device: any name.
    package func deviceToken(of device: String) async throws -> String {
        try await vouchers.call(DevelopmentAttestationAPI.deviceToken, DeviceTokenQuery(device: device)).token
    }

    // MARK: App Attest

    /// A reply has no bytes in Base64.
    private struct Unreadable: Error {}

    private static func bytes(_ text: String) throws -> [UInt8] {
        guard let data = Data(base64Encoded: text) else { throw Unreadable() }
        return Array(data)
    }

    /// Makes a key in the hardware of a new iPhone.
    package func generateKey() async throws -> [UInt8] {
        let query = AppAttestKeyQuery(appID: "\(SimulatedAccount.team).\(SimulatedAccount.topic)")
        return try Self.bytes(try await vouchers.call(DevelopmentAttestationAPI.appAttestKey, query).keyID)
    }

    /// Has Apple attest a key, once.
    package func attestKey(_ key: [UInt8], clientDataHash: [UInt8]) async throws -> [UInt8] {
        let query = AttestationQuery(
            keyID: Data(key).base64EncodedString(), clientDataHash: Data(clientDataHash).base64EncodedString(),
            environment: .production)
        return try Self.bytes(try await vouchers.call(DevelopmentAttestationAPI.attestation, query).attestation)
    }

    /// Signs with an attested key.
    package func generateAssertion(_ key: [UInt8], clientDataHash: [UInt8]) async throws -> [UInt8] {
        let query = AssertionQuery(
            keyID: Data(key).base64EncodedString(), clientDataHash: Data(clientDataHash).base64EncodedString())
        return try Self.bytes(try await vouchers.call(DevelopmentAttestationAPI.assertion, query).assertion)
    }
}
