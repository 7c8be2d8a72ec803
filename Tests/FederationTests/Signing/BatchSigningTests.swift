import Crypto
import CryptoExtras
import FederationFormat
import Foundation
import PKCS11
import Running
import SwiftASN1
import TestSupport
import Testing
import X509

@testable import Federation

/// The settings `signing.key` and `signing.certificate`.
@Suite(.heavy, .timeLimit(.minutes(5))) struct BatchSigningTests {
    /// A private key and its public half, in PEM.
    private struct KeyPair {
        let privatePEM: String
        let publicPEM: String

        static func p256() -> KeyPair {
            let key = P256.Signing.PrivateKey()
            return KeyPair(privatePEM: key.pemRepresentation, publicPEM: key.publicKey.pemRepresentation)
        }

        static func p384() -> KeyPair {
            let key = P384.Signing.PrivateKey()
            return KeyPair(privatePEM: key.pemRepresentation, publicPEM: key.publicKey.pemRepresentation)
        }

        static func rsa(_ size: _RSA.Signing.KeySize) throws -> KeyPair {
            let key = try _RSA.Signing.PrivateKey(keySize: size)
            return KeyPair(privatePEM: key.pkcs8PEMRepresentation, publicPEM: key.publicKey.pemRepresentation)
        }
    }

    /// A certificate in PEM, by an authority that nobody asks for.
    /// - Parameter padding: bytes that make it longer.
    private static func certificate(
        for publicPEM: String, countries: [String] = ["DE"], padding: Int = 0
    ) throws -> String {
        let subject = DistinguishedName(
            countries.map {
                RelativeDistinguishedName([.init(type: .RDNAttributeType.countryName, utf8String: $0)])
            }
                + [RelativeDistinguishedName([.init(type: .RDNAttributeType.commonName, utf8String: "signing")])])
        let extensions =
            padding == 0
            ? []
            : [
                Certificate.Extension(
                    oid: [1, 2, 3, 4], critical: false, value: ArraySlice([UInt8](repeating: 0, count: padding)))
            ]
        return try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(pemEncoded: publicPEM),
            notValidBefore: Date(timeIntervalSinceNow: -3600), notValidAfter: Date(timeIntervalSinceNow: 86_400),
            issuer: subject, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions(extensions), issuerPrivateKey: .init(P256.Signing.PrivateKey())
        ).serializeAsPEM().pemString
    }

    /// Calls with settings whose files hold these texts.
    /// - Parameter place: of the key; a file with `keyPEM` if nil.
    private static func withSettings<R>(
        key keyPEM: String = "", at place: String? = nil, mode: Int = 0o600, certificate: String,
        _ body: (Settings) async throws -> R
    ) async throws -> R {
        try await withScratchFolder { folder in
            let (keyFile, certificateFile) = ("\(folder)/key.pem", "\(folder)/certificate.pem")
            try Data(keyPEM.utf8).write(to: URL(filePath: keyFile))
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: keyFile)
            try Data(certificate.utf8).write(to: URL(filePath: certificateFile))
            return try await body(
                Settings(["signing.key": place ?? keyFile, "signing.certificate": certificateFile, "origin": "DE"]))
        }
    }

    /// What the operator reads; nil if everything is as it should be.
    private static func sentence(
        key keyPEM: String = "", at place: String? = nil, mode: Int = 0o600, certificate: String
    ) async throws -> String? {
        try await withSettings(key: keyPEM, at: place, mode: mode, certificate: certificate) { settings in
            do {
                _ = try await BatchSigning(settings)
                return nil
            } catch let problem as ConfigurationProblem {
                #expect(!problem.description.contains("PRIVATE"))
                return problem.description
            }
        }
    }

    private static func expectSignature(_ settings: Settings) async throws {
        let signing = try await BatchSigning(settings)
        let content = Array("records".utf8)
        let signature = try await BatchSignature.make(over: content, by: signing.signer)
        try signature.verify(content, by: signing.signer.certificate)
        #expect(throws: SignatureFlaw.mismatch) {
            try signature.verify(content + [0], by: signing.signer.certificate)
        }
    }

    // MARK: Keys

    @Test func `a key in a file signs: P-256, P-384, and RSA with 3072 bits`() async throws {
        for pair in [KeyPair.p256(), .p384(), try .rsa(.bits3072)] {
            let certificate = try Self.certificate(for: pair.publicPEM)
            try await Self.withSettings(key: pair.privatePEM, certificate: certificate, Self.expectSignature)
        }
    }

    @Test(
        .enabled(if: SoftHSM.isAvailable, "VIGIL_TEST_SOFTHSM is not set"),
        arguments: ["object=signing", "object=curve384", "object=rsa3072"])
    func `a key on a token signs`(_ name: String) async throws {
        let uri = try SoftHSM.tokens.get().uri(name)
        let key = try PKCS11Key(PKCS11URI(uri), kinds: PKCS11KeyKind.allCases)
        let certificate = try Self.certificate(for: key.publicKey.pem)
        try await Self.withSettings(at: uri, certificate: certificate, Self.expectSignature)
    }

    @Test(.enabled(if: SoftHSM.isAvailable, "VIGIL_TEST_SOFTHSM is not set"))
    func `a key on a token that can't be used says why, without its PIN`() async throws {
        let tokens = try SoftHSM.tokens.get()
        let certificate = try Self.certificate(for: tokens.imported.publicKey.pemRepresentation)
        func sentence(_ uri: String) async throws -> String {
            let sentence = try #require(try await Self.sentence(at: uri, certificate: certificate))
            #expect(!sentence.contains(SoftHSM.pin))
            return sentence
        }
        #expect(try await Self.sentence(at: tokens.uri("object=imported"), certificate: certificate) == nil)
        #expect(try await sentence(tokens.uri("object=signing")).contains("doesn't belong to the certificate"))
        #expect(try await sentence(tokens.uri("object=rsa")).contains("or RSA with 3072 to 8192 bits"))
        #expect(try await sentence(tokens.uri("object=missing")).contains("no such private key"))
        #expect(try await sentence("pkcs11:token=vigil;object=signing").contains("needs module-path"))
        #expect(try await sentence(tokens.uri("object=signing") + "&pin-value=4711").contains("pin-source"))
    }

    // MARK: What is wrong, in words

    @Test func `key and certificate have to belong together, whatever kinds they are`() async throws {
        let pairs = [KeyPair.p256(), .p256(), .p384(), try .rsa(.bits3072)]
        for (number, key) in pairs.enumerated() {
            for (other, pair) in pairs.enumerated() where other != number {
                let certificate = try Self.certificate(for: pair.publicPEM)
                let sentence = try await Self.sentence(key: key.privatePEM, certificate: certificate)
                #expect(sentence?.hasPrefix("signing.key names a key that doesn't belong to the certificate") == true)
            }
        }
    }

    @Test func `the certificate has to be one of this country`() async throws {
        let pair = KeyPair.p256()
        for countries in [["FR"], [], ["DE", "DE"], ["DE", "FR"]] {
            let certificate = try Self.certificate(for: pair.publicPEM, countries: countries)
            let sentence = try #require(try await Self.sentence(key: pair.privatePEM, certificate: certificate))
            #expect(sentence.contains("must be one of DE"), "\(sentence)")
        }
    }

    @Test func `a weak key and a certificate that is too long for the gateway are refused`() async throws {
        let weak = try KeyPair.rsa(.bits2048)
        let refused = try await Self.sentence(
            key: weak.privatePEM, certificate: try Self.certificate(for: weak.publicPEM))
        #expect(refused?.contains("no other country accepts") == true)
        let pair = KeyPair.p256()
        let long = try await Self.sentence(
            key: pair.privatePEM, certificate: try Self.certificate(for: pair.publicPEM, padding: 6000))
        #expect(long?.contains("is too long") == true)
    }

    @Test func `files that are something else are refused, and the sentence shows nothing of them`() async throws {
        let pair = KeyPair.p256()
        let certificate = try Self.certificate(for: pair.publicPEM)
        for text in ["", "nonsense", pair.publicPEM, certificate] {
            let sentence = try await Self.sentence(key: text, certificate: certificate)
            #expect(sentence?.contains("must hold a private key") == true)
        }
        for text in ["", "nonsense", pair.privatePEM, certificate + "\n" + certificate] {
            let sentence = try await Self.sentence(key: pair.privatePEM, certificate: text)
            #expect(sentence?.contains("must hold one certificate") == true)
        }
        let missing = try await Self.sentence(at: "/nonexistent", certificate: certificate)
        #expect(missing?.contains("/nonexistent can't be read") == true)
        let open = try await Self.sentence(key: pair.privatePEM, mode: 0o644, certificate: certificate)
        #expect(open?.contains("run chmod 600") == true)
    }

    @Test func `both settings are needed`() async throws {
        for name in ["signing.key", "signing.certificate"] {
            let pair = KeyPair.p256()
            let sentence = try await withScratchFolder { folder in
                let file = "\(folder)/certificate.pem"
                try Data(try Self.certificate(for: pair.publicPEM).utf8).write(to: URL(filePath: file))
                var values = ["signing.key": "/key.pem", "signing.certificate": file]
                values[name] = nil
                let settings = Settings(values)
                do {
                    _ = try await BatchSigning(settings)
                    return ""
                } catch let problem as ConfigurationProblem {
                    return problem.description
                }
            }
            #expect(sentence.hasPrefix("\(name) is not set"))
        }
    }
}
