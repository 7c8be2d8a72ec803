import Crypto
import ExposureFormat
import Testing

@Suite("Signed archive")
struct SignedArchiveTests {
    private static let message = Array("any message, without a header".utf8)

    private func newKey(version: String) -> SigningKey {
        SigningKey(
            P256.Signing.PrivateKey(), identity: SigningIdentity(appBundleID: "org.example", keyVersion: version))
    }

    @Test("signed, zipped and read back, the signature matches and names its key")
    func roundTrip() throws {
        let archive = try SignedArchive(signing: Self.message, with: [Fixtures.signingKey()])
        let read = try SignedArchive.read(archive.zipped())
        #expect(read == archive)
        #expect(read.export == Self.message)
        let signature = try #require(read.signatures.first)
        #expect(signature.identity.appBundleID == "de.rki.coronawarnapp")
        #expect(signature.identity.keyVersion == "v1")
        #expect(signature.identity.keyID == "262")
        #expect(signature.identity.algorithm == "1.2.840.10045.4.3.2")
        #expect(try read.verify([Fixtures.verificationKey()]).map(\.outcome) == [.matches])
        try read.requireSignature(of: [Fixtures.verificationKey()])
    }

    @Test("while a key is replaced, phones with the old or the new public key both find their signature")
    func severalSigners() throws {
        let new = newKey(version: "v2")
        let old = newKey(version: "v1")
        let archive = try SignedArchive.read(
            try SignedArchive(signing: Self.message, with: [new, old]).zipped())
        #expect(archive.signatures.map(\.identity.keyVersion) == ["v2", "v1"])
        #expect(archive.verify([new.verificationKey]).map(\.outcome) == [.matches, .doesNotMatch])
        #expect(archive.verify([old.verificationKey]).map(\.outcome) == [.doesNotMatch, .matches])
        #expect(archive.verify([old.verificationKey, new.verificationKey]).map(\.outcome) == [.matches, .matches])
        try archive.requireSignature(of: [old.verificationKey])
    }

    @Test("another key's signature is refused")
    func foreignKey() throws {
        let archive = try SignedArchive(signing: Self.message, with: [newKey(version: "v1")])
        #expect(try archive.verify([Fixtures.verificationKey()]).map(\.outcome) == [.doesNotMatch])
        #expect(throws: ArchiveDamage.signatureDoesNotMatch) {
            try archive.requireSignature(of: [Fixtures.verificationKey()])
        }
        #expect(throws: ArchiveDamage.signatureDoesNotMatch) { try archive.requireSignature(of: []) }
    }

    @Test("a flipped bit anywhere in export.bin, header included, breaks the signature")
    func tamperedExport() throws {
        let archive = try SignedArchive.read(Fixtures.zipped(Fixtures.export(Fixtures.goldenKeys())))
        let key = try Fixtures.verificationKey()
        for position in archive.export.indices {
            var export = archive.export
            export[position] ^= 1
            let tampered = try SignedArchive(export: export, signatures: archive.signatures)
            #expect(tampered.verify([key]).map(\.outcome) == [.doesNotMatch], "byte \(position)")
        }
    }

    @Test("a flipped bit anywhere in the signature breaks it")
    func tamperedSignature() throws {
        let archive = try SignedArchive(signing: Self.message, with: [Fixtures.signingKey()])
        let key = try Fixtures.verificationKey()
        let signature = try #require(archive.signatures.first)
        for position in signature.bytes.indices {
            var bytes = signature.bytes
            bytes[position] ^= 1
            let tampered = try SignedArchive(
                export: archive.export,
                signatures: [
                    ArchiveSignature(identity: signature.identity, batch: signature.batch, bytes: bytes)
                ])
            #expect(tampered.verify([key]).first?.outcome != .matches, "byte \(position)")
        }
    }

    @Test("a flipped bit anywhere in the ZIP archive changes neither the content nor the verdict unnoticed")
    func tamperedArchive() throws {
        let archive = try SignedArchive(signing: Self.message, with: [Fixtures.signingKey()])
        let key = try Fixtures.verificationKey()
        let zip = try archive.zipped()
        for position in zip.indices {
            var tampered = zip
            tampered[position] ^= 1
            do throws(ArchiveDamage) {
                let read = try SignedArchive.read(tampered)
                // Dates, versions and flags of the container may change; what was signed may not.
                #expect(read == archive, "byte \(position)")
                #expect(read.verify([key]).map(\.outcome) == [.matches], "byte \(position)")
            } catch {
                #expect(!error.description.isEmpty)
            }
        }
    }

    @Test("a signature that isn't DER, or that names another algorithm, has its own verdict")
    func otherVerdicts() throws {
        let key = try Fixtures.verificationKey()
        let good = try Fixtures.signingKey().sign(Self.message)
        let malformed = ArchiveSignature(identity: good.identity, batch: .only, bytes: [1, 2, 3])
        let other = ArchiveSignature(
            identity: SigningIdentity(appBundleID: "org.example", algorithm: "1.2.840.10045.4.1"), batch: .only,
            bytes: good.bytes)
        let archive = try SignedArchive(export: Self.message, signatures: [malformed, other, good])
        let outcomes = try SignedArchive.read(archive.zipped()).verify([key]).map(\.outcome)
        #expect(outcomes == [.malformed, .otherAlgorithm, .matches])
    }

    @Test("an archive needs a signature")
    func unsigned() {
        #expect(throws: ArchiveDamage.noSignatures) { try SignedArchive(export: Self.message, signatures: []) }
        #expect(throws: ArchiveDamage.noSignatures) { try SignedArchive(signing: Self.message, with: []) }
    }

    @Test("a kept signature gives the same archive again")
    func keptSignature() throws {
        let signature = try Fixtures.signingKey().sign(Self.message)
        let first = try SignedArchive(export: Self.message, signatures: [signature])
        let again = try SignedArchive(export: Self.message, signatures: [signature])
        #expect(try first.zipped() == again.zipped())
    }

    @Test("entries are dated 1980-01-01 and have neither extra fields nor comments")
    func plainContainer() throws {
        let zip = try SignedArchive(signing: Self.message, with: [Fixtures.signingKey()]).zipped()
        #expect(Array(zip[10..<14]) == [0, 0, 0x21, 0])
        #expect(Array(zip[28..<30]) == [0, 0])
        let directory = zip.count - 22 - 2 * (46 + 10)
        for entry in [directory, directory + 46 + 10] {
            #expect(Array(zip[entry..<entry + 4]) == [0x50, 0x4b, 1, 2])
            #expect(Array(zip[entry + 12..<entry + 16]) == [0, 0, 0x21, 0])
            #expect(Array(zip[entry + 30..<entry + 42]) == [UInt8](repeating: 0, count: 12))
        }
    }

    @Test("an empty message can be archived")
    func emptyMessage() throws {
        let archive = try SignedArchive(signing: [], with: [Fixtures.signingKey()])
        let read = try SignedArchive.read(archive.zipped())
        #expect(read.export.isEmpty)
        try read.requireSignature(of: [Fixtures.verificationKey()])
    }

    @Test("a PEM text without a P-256 key is refused", arguments: ["", "no PEM", "-----BEGIN PUBLIC KEY-----\n"])
    func unusableKeys(pem: String) {
        #expect(throws: UnusableKey()) { try SigningKey(pem: pem, identity: Fixtures.identity) }
        #expect(throws: UnusableKey()) { try VerificationKey(pem: pem) }
    }

    @Test("both PEM forms of a private key are read")
    func privateKeyForms() throws {
        let key = try P256.Signing.PrivateKey(pemRepresentation: try Fixtures.text("signing-key.pem"))
        let pkcs8 = try SigningKey(pem: key.pemRepresentation, identity: Fixtures.identity)
        #expect(try pkcs8.verificationKey.pem == Fixtures.signingKey().verificationKey.pem)
    }

    @Test("a signing key is never printed")
    func secrecy() throws {
        let key = try Fixtures.signingKey()
        #expect("\(key)" == "signing key 262 v1")
        #expect(String(reflecting: key) == "signing key 262 v1")
        var dumped = ""
        dump([key], to: &dumped)
        #expect(!dumped.contains("privateKey"))
    }
}
