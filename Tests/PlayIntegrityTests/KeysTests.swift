import Crypto
import DevelopmentAttestation
import Foundation
import PlayIntegrity
import Testing

/// The two texts of the Play Console.
@Suite struct KeysTests {
    private static func failure(_ decryption: String, _ verification: String) -> UnusablePlayIntegrityKey? {
        do throws(UnusablePlayIntegrityKey) {
            _ = try PlayIntegrityKeys(decryption: decryption, verification: verification)
            return nil
        } catch {
            return error
        }
    }

    private static let decryption = Sample.mint.decryptionKey
    private static let verification = Sample.mint.verificationKey

    @Test func `white space around a key is no obstacle`() {
        #expect(Self.failure("  \(Self.decryption)\n", "\t\(Self.verification)\r\n") == nil)
    }

    @Test(arguments: [0, 16, 24, 31, 33, 64])
    func `a secret of another length is refused`(_ count: Int) {
        let secret = Data(repeating: 1, count: count).base64EncodedString()
        #expect(Self.failure(secret, Self.verification) == .decryption)
    }

    @Test func `a secret in another form is refused`() {
        let text = Self.decryption
        for wrong in [
            String(text.dropLast()), "\(text) \(text)", "\(text.prefix(20))\n\(text.dropFirst(20))",
            "_\(text.dropFirst())",
        ] {
            #expect(Self.failure(wrong, Self.verification) == .decryption)
        }
        #expect(Self.failure(String(repeating: " ", count: 1024) + text, Self.verification) == .decryption)
    }

    @Test func `another key than a public one on P-256 is refused`() {
        let p256 = P256.Signing.PrivateKey()
        for wrong in [
            p256.derRepresentation, p256.publicKey.x963Representation,
            P384.Signing.PrivateKey().publicKey.derRepresentation,
            Curve25519.KeyAgreement.PrivateKey().publicKey.rawRepresentation, Data(),
        ] {
            #expect(Self.failure(Self.decryption, wrong.base64EncodedString()) == .verification)
        }
        #expect(Self.failure(Self.decryption, p256.publicKey.pemRepresentation) == .verification)
        #expect(Self.failure(Self.decryption, String(repeating: "A", count: 2048)) == .verification)
    }

    @Test func `no text of the keys or of an error reveals a key`() throws {
        let keys = try Sample.keys
        var dumped = ""
        dump(keys, to: &dumped)
        for text in ["\(keys)", String(reflecting: keys), "\([keys])", dumped] {
            #expect(text.contains("keys of Play Integrity"))
            #expect(!text.contains(Self.decryption.prefix(8)))
        }
        #expect("\(UnusablePlayIntegrityKey.decryption)" == "The decryption key is not 32 bytes in Base64.")
        #expect("\(UnusablePlayIntegrityKey.verification)".hasPrefix("The verification key is not"))
    }
}
