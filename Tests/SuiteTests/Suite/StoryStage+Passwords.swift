import Calling
import DevelopmentAttestationAPI
import DevelopmentSuite
import DonationFormat
import Foundation
import PlayIntegrity

extension StoryStage {
    /// What Google says of a genuine app on an Android phone, for a payload.
    func androidEvidence(for payload: [UInt8]) async throws -> AndroidEvidence {
        let salt = Array(UUID().uuidString.utf8.prefix(16))
        let digest = SimulatedAccount.androidSigner.replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
        let token = try await vouchers.call(
            DevelopmentAttestationAPI.integrityToken,
            IntegrityTokenQuery(
                nonce: PlayIntegrityPolicy.binding(salt: salt, payload: payload), packageName: SimulatedAccount.topic,
                certificateDigests: [digest])
        ).token
        return AndroidEvidence(salt: Data(salt).base64EncodedString(), playIntegrity: token)
    }
}
