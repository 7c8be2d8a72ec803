import FoundationEssentials
import SwiftProtobuf

/// What an iPhone shows, each part as it was sent and not verified (cwa-ppa-server, `PPACIOS`; fields from 16 on are Vigil's).
package struct IOSEvidence: Hashable, Sendable {
    /// DeviceCheck's token, in Base64; empty if there is none.
    package var deviceToken: String
    /// A UUID of the app's, new each month; empty if there is none.
    package var apiToken: String
    /// App Attest's part; nil without a challenge.
    package var appAttest: AppAttest?

    /// An assertion of a key in the phone's hardware over the payload, and what Apple attests of the key.
    package struct AppAttest: Hashable, Sendable {
        /// That of the server, which the assertion covers.
        package let challenge: [UInt8]
        /// SHA-256 of the public key.
        package let keyID: [UInt8]
        /// Over the challenge and the payload.
        package let assertion: [UInt8]
        /// The attestation object, when the server doesn't know the key yet; empty otherwise.
        package let attestation: [UInt8]

        /// The parts as they were sent.
        package init(challenge: [UInt8], keyID: [UInt8], assertion: [UInt8], attestation: [UInt8] = []) {
            self.challenge = challenge
            self.keyID = keyID
            self.assertion = assertion
            self.attestation = attestation
        }
    }

    /// The longest text, in bytes: device tokens have 2,500 to 3,500 characters.
    private static let longestText = 4096
    /// The largest attestation object, in bytes. Today's have less than 6,000.
    private static let largestObject = 16 << 10

    /// Evidence from its parts.
    package init(deviceToken: String = "", apiToken: String = "", appAttest: AppAttest? = nil) {
        self.deviceToken = deviceToken
        self.apiToken = apiToken
        self.appAttest = appAttest
    }

    /// Reads a request's evidence.
    package init(decoding bytes: [UInt8]) throws(DonationFlaw) {
        let message: WireIOSAuthentication = try .read(bytes, depth: 1)
        guard [message.deviceToken, message.apiToken].allSatisfy({ $0.utf8.count <= Self.longestText }),
            [message.challenge, message.keyID].allSatisfy({ $0.count <= 64 }),
            [message.assertion, message.attestation].allSatisfy({ $0.count <= Self.largestObject })
        else { throw .evidence }
        self.init(deviceToken: message.deviceToken, apiToken: message.apiToken)
        guard !message.challenge.isEmpty else { return }
        guard message.keyID.count == 32, !message.assertion.isEmpty else { throw .evidence }
        appAttest = AppAttest(
            challenge: Array(message.challenge), keyID: Array(message.keyID), assertion: Array(message.assertion),
            attestation: Array(message.attestation))
    }

    /// As a request has it.
    package func encoded() throws(DonationFlaw) -> [UInt8] {
        try WireIOSAuthentication.with {
            $0.deviceToken = deviceToken
            $0.apiToken = apiToken
            guard let appAttest else { return }
            $0.challenge = Data(appAttest.challenge)
            $0.keyID = Data(appAttest.keyID)
            $0.assertion = Data(appAttest.assertion)
            $0.attestation = Data(appAttest.attestation)
        }.written()
    }
}

/// What an Android phone shows, each part as it was sent and not verified (cwa-ppa-server, `PPACAndroid`; fields from 16 on are Vigil's).
///
/// Published apps may also send a statement of SafetyNet (field 1). It is skipped like an unknown field, so with nothing else beside it a
/// phone shows no evidence.
package struct AndroidEvidence: Hashable, Sendable {
    /// What makes the nonce of Play Integrity unique, in Base64; empty if there is none.
    package var salt: String
    /// Play Integrity's token; empty if there is none.
    package var playIntegrity: String

    /// The longest token, in bytes. Those of Play Integrity have some 1,200.
    private static let longestToken = 16 << 10
    /// The longest salt, in characters: the apps' have 16 bytes.
    private static let longestSalt = 88

    /// Evidence from its parts.
    package init(salt: String = "", playIntegrity: String = "") {
        self.salt = salt
        self.playIntegrity = playIntegrity
    }

    /// Reads a request's evidence.
    package init(decoding bytes: [UInt8]) throws(DonationFlaw) {
        let message: WireAndroidAuthentication = try .read(bytes, depth: 1)
        guard message.integrityToken.utf8.count <= Self.longestToken, message.salt.utf8.count <= Self.longestSalt
        else { throw .evidence }
        self.init(salt: message.salt, playIntegrity: message.integrityToken)
    }

    /// As a request has it.
    package func encoded() throws(DonationFlaw) -> [UInt8] {
        try WireAndroidAuthentication.with {
            $0.salt = salt
            $0.integrityToken = playIntegrity
        }.written()
    }
}
