import Catalogue
package import Crypto
import FoundationEssentials
import Schema

/// The secrets of a suite on one machine: files in the state folder that only their owner can read.
///
/// Each is created once and kept. Services read them from these files; no secret is ever on a command line or in an
/// environment.
package enum SuiteSecrets {
    /// The key of the keyed hash that derives TANs.
    package static let tanKey = "tan-key"
    /// Signs the provider tokens that the push service asks for, in place of a key that Apple issues.
    package static let apnsKey = "apns-key.p8"
    /// Signs the tokens that DeviceCheck asks for, in place of a key that Apple issues.
    package static let deviceCheckKey = "device-check-key.p8"
    /// Decrypts the tokens of Play Integrity, in place of a key that Google issues.
    package static let playIntegrityDecryptionKey = "play-integrity-decryption-key"
    /// Signs the simulated tokens of Play Integrity.
    package static let playIntegritySigningKey = "play-integrity-signing.key"
    /// Signs published archives.
    package static let signingKey = "export-signing.key"
    /// Proves to the identity provider who the portal is.
    package static let portalClientKey = "portal-client.key"
    /// Signs the officers' tokens, in place of the health authority's identity provider.
    package static let officerIssuerKey = "officer-issuer.key"

    /// The public half of the signing key, which apps are built with.
    package static func signingPublicKeyFile(in folder: StateFolder) -> String {
        "\(folder.configuration)/export-signing-public.pem"
    }

    /// The public half of the push service's key, which `development-apns` knows in Apple's place.
    package static func apnsPublicKeyFile(in folder: StateFolder) -> String {
        "\(folder.configuration)/apns-public.pem"
    }

    /// The public half of DeviceCheck's key, which `development-attestation` knows in Apple's place.
    package static func deviceCheckPublicKeyFile(in folder: StateFolder) -> String {
        "\(folder.configuration)/device-check-public.pem"
    }

    /// The public half of the key of Play Integrity's tokens, as Google's console offers it.
    package static func playIntegrityVerificationKeyFile(in folder: StateFolder) -> String {
        "\(folder.configuration)/play-integrity-verification-key"
    }

    /// The public half of the officer issuer's key, as a JSON web key set.
    package static func officerKeysFile(in folder: StateFolder) -> String {
        "\(folder.configuration)/officers.jwks.json"
    }

    /// The public half of the portal's key, which `development-identity` knows as the client's.
    package static func portalClientPublicKeyFile(in folder: StateFolder) -> String {
        "\(folder.configuration)/portal-client-public.pem"
    }

    /// The password file (libpq's format) of a login role.
    package static func passwordFile(of role: String, in folder: StateFolder) -> String {
        let name = role.hasPrefix("vigil_") ? String(role.dropFirst(6)) : role
        return folder.secret("pgpass-\(name.replacing("_", with: "-"))")
    }

    /// Creates missing secrets, and writes the public halves.
    package static func prepare(in folder: StateFolder) throws {
        for secret in Catalogue.services.flatMap(\.secrets) {
            switch secret.kind {
            case .hexadecimal: _ = try keep(folder.secret(secret.file), in: folder) { "\(randomHexadecimal())\n" }
            case .base64:
                _ = try keep(folder.secret(secret.file), in: folder) {
                    SymmetricKey(size: .bits256).withUnsafeBytes { "\(Data($0).base64EncodedString())\n" }
                }
            case .privateKey: _ = try privateKey(secret.file, in: folder)
            }
        }
        for role in [DatabaseRole.owner] + DatabaseRole.allCases.map(\.rawValue) {
            _ = try password(of: role, in: folder)
        }
        try prepareSigningKey(in: folder)
        let apns = try privateKey(apnsKey, in: folder)
        try folder.write("\(apns.publicKey.pemRepresentation)\n", to: apnsPublicKeyFile(in: folder), mode: 0o644)
        let client = try privateKey(portalClientKey, in: folder)
        try folder.write(
            "\(client.publicKey.pemRepresentation)\n", to: portalClientPublicKeyFile(in: folder), mode: 0o644)
        let deviceCheck = try privateKey(deviceCheckKey, in: folder).publicKey
        try folder.write("\(deviceCheck.pemRepresentation)\n", to: deviceCheckPublicKeyFile(in: folder), mode: 0o644)
        let playIntegrity = try privateKey(playIntegritySigningKey, in: folder).publicKey
        try folder.write(
            "\(playIntegrity.derRepresentation.base64EncodedString())\n",
            to: playIntegrityVerificationKeyFile(in: folder), mode: 0o644)
        try EvidenceCertificate.prepare(in: folder, now: Date())
        let officers = try OfficerKeySet(try privateKey(officerIssuerKey, in: folder).publicKey)
        try folder.write(officers.text, to: officerKeysFile(in: folder))
    }

    /// Creates the key that signs published archives if it is missing, and writes its public half.
    package static func prepareSigningKey(in folder: StateFolder) throws {
        let key = try privateKey(signingKey, in: folder)
        try folder.write("\(key.publicKey.pemRepresentation)\n", to: signingPublicKeyFile(in: folder), mode: 0o644)
    }

    /// A private key; created if it is missing.
    package static func privateKey(_ name: String, in folder: StateFolder) throws -> P256.Signing.PrivateKey {
        let pem = try keep(folder.secret(name), in: folder) { "\(P256.Signing.PrivateKey().pemRepresentation)\n" }
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) else {
            throw CommandFailure("\(folder.secret(name)) is not a P-256 key in PEM: put the right one back.")
        }
        return key
    }

    /// A login role's password; created if it is missing.
    package static func password(of role: String, in folder: StateFolder) throws -> String {
        let file = passwordFile(of: role, in: folder)
        let line = try keep(file, in: folder) { "*:*:*:\(role):\(randomHexadecimal())\n" }
        guard let password = line.split(separator: ":").last, line.hasPrefix("*:*:*:\(role):") else {
            throw CommandFailure("\(file) is not the password file of \(role): remove it, and a new one is made.")
        }
        return String(password)
    }

    private static func keep(_ file: String, in folder: StateFolder, _ make: () -> String) throws -> String {
        if let known = try folder.read(file) { return known }
        let made = make()
        try folder.write(made, to: file)
        return made.last == "\n" ? String(made.dropLast()) : made
    }

    /// 32 bytes from the system's generator, as 64 digits.
    private static func randomHexadecimal() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<32).map { _ in
            let byte = UInt8.random(in: .min ... .max, using: &generator)
            return (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
