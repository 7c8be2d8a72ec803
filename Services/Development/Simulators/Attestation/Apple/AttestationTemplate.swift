package import AppAttest
import Crypto
package import FoundationEssentials
package import X509

/// What an attestation says. Tests change it to what Apple's never say.
package struct AttestationTemplate: Sendable {
    /// What the device says.
    package var authenticatorData: AuthenticatorDataTemplate
    /// What the app wants bound to the key.
    package var clientDataHash: [UInt8]
    /// What the authority says.
    package var leaf: LeafTemplate
    /// Apple's is a signed message of about 4,000 bytes, which nobody reads here.
    package var receipt: [UInt8]

    /// What Apple's says.
    package init(
        publicKey: AppAttestPublicKey, clientDataHash: [UInt8], app: AppID, environment: AppAttestEnvironment,
        at now: Date
    ) throws {
        authenticatorData = AuthenticatorDataTemplate(app: app, counter: 0)
        authenticatorData.authenticatorID = environment.authenticatorID
        authenticatorData.credentialID = AppAttestKeyID(publicKey).bytes
        authenticatorData.publicKey = AuthenticatorDataTemplate.coseKey(of: publicKey).encoded
        self.clientDataHash = clientDataHash
        leaf = try LeafTemplate(publicKey, at: now)
        receipt = Array("simulated receipt".utf8)
    }
}

/// What the certificate of an attestation says.
package struct LeafTemplate: Sendable {
    /// The attested key.
    package var key: Certificate.PublicKey
    /// Both belong to it.
    package var validity: ClosedRange<Date>
    /// Nil for no such extension.
    package var isAuthority: Bool? = false
    /// Nil for no such extension.
    package var keyUsage: KeyUsage? = KeyUsage(
        digitalSignature: true, nonRepudiation: true, keyEncipherment: true, dataEncipherment: true)
    /// The values of extensions 1.2.840.113635.100.8.2; nil for the right one, once.
    package var statements: [[UInt8]]?

    /// Seconds: three days, of which one has passed.
    private static let validity: (before: TimeInterval, after: TimeInterval) = (86_400, 172_800)

    /// As Apple makes them.
    package init(_ publicKey: AppAttestPublicKey, at now: Date) throws {
        key = Certificate.PublicKey(try P256.Signing.PublicKey(x963Representation: publicKey.x963))
        validity = now.addingTimeInterval(-Self.validity.before)...now.addingTimeInterval(Self.validity.after)
    }

    /// The right value of the extension: SEQUENCE { [1] { OCTET STRING } }.
    package static func statement(of nonce: [UInt8]) -> [UInt8] { [0x30, 0x24, 0xA1, 0x22, 0x04, 0x20] + nonce }
}
