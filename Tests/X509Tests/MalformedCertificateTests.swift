import Crypto
import SwiftASN1
import Testing
import X509

@Suite("Certificates that break a rule of RFC 5280 or DER") struct MalformedCertificateTests {
    /// The parts of a certificate, each as encoded.
    struct Parts {
        var version = hex("A003 020102")
        var serialNumber = hex("020101")
        var algorithm = hex("300A 06082A8648CE3D040302")
        var issuer = hex("300C 310A 3008 0603550403 0C0161")
        var validity = hex("301E 170D 3730303130313030303030305A 170D 3439313233313233353935395A")
        var subject = hex("3000")
        var key: [UInt8]
        var rest: [UInt8] = []
        var outerAlgorithm = hex("300A 06082A8648CE3D040302")
        var signature = hex("030900 3006 020101 020101")
        var more: [UInt8] = []

        init() {
            let key = P256.Signing.PrivateKey().publicKey
            self.key = Array(key.derRepresentation)
        }

        var bytes: [UInt8] {
            element(
                .sequence,
                element(
                    .sequence, version, serialNumber, algorithm, issuer, validity, subject, key, rest),
                outerAlgorithm, signature, more)
        }
    }

    typealias Change = @Sendable (inout Parts) -> Void

    private static func extensions(_ all: String...) -> [UInt8] {
        element(.context(3), element(.sequence, all.flatMap(hex)))
    }

    private static let usage = "300B 0603551D0F 0404 03020780"

    static let accepted: [(name: String, change: Change)] = [
        ("nothing changed", { _ in }), ("version 1", { $0.version = [] }),
        ("version 2", { $0.version = hex("A003 020101") }),
        ("a negative number", { $0.serialNumber = hex("0201FF") }), ("number 0", { $0.serialNumber = hex("020100") }),
        ("an empty issuer", { $0.issuer = hex("3000") }),
        ("an extension", { $0.rest = extensions(usage) }),
        ("a critical one", { $0.rest = extensions("300E 0603551D0F 0101FF 0404 03020780") }),
        ("both unique identifiers", { $0.rest = hex("81020080") + hex("82020080") }),
        (
            "GeneralizedTime before 2050",
            {
                $0.validity = hex("3022 180F 32303030303130313030303030305A 180F 39393939313233313233353935395A")
            }
        ),
        (
            "a level with two attributes in order",
            {
                $0.subject = hex("3016 3114 3008 0603550403 0C0161 3008 060355040A 0C0162")
            }
        ),
        ("a key of another kind", { $0.key = hex("302A 300506032B6570 032100") + [UInt8](repeating: 7, count: 32) }),
        (
            "another algorithm of the signature",
            {
                $0.algorithm = hex("300506032B6570")
                $0.outerAlgorithm = hex("300506032B6570")
                $0.signature = hex("03030001FF")
            }
        ),
    ]

    static let refused: [(name: String, change: Change)] = [
        ("version 1 that is written", { $0.version = hex("A003 020100") }),
        ("version 4", { $0.version = hex("A003 020103") }), ("version -1", { $0.version = hex("A003 0201FF") }),
        ("a version without its tag", { $0.version = hex("020102") }),
        ("a version with more", { $0.version = hex("A006 020102 020102") }),
        ("a number with a leading zero", { $0.serialNumber = hex("02020001") }),
        ("no number", { $0.serialNumber = [] }), ("an empty number", { $0.serialNumber = hex("0200") }),
        ("another algorithm outside", { $0.outerAlgorithm = hex("300A 06082A8648CE3D040303") }),
        ("parameters outside alone", { $0.outerAlgorithm = hex("300C 06082A8648CE3D040302 0500") }),
        ("an empty level of a name", { $0.issuer = hex("3002 3100") }),
        ("a level that isn't a set", { $0.issuer = hex("300C 300A 3008 0603550403 0C0161") }),
        (
            "a level whose attributes aren't in order",
            {
                $0.subject = hex("3016 3114 3008 060355040A 0C0162 3008 0603550403 0C0161")
            }
        ),
        ("an attribute without a value", { $0.subject = hex("3009 3107 3005 0603550403") }),
        ("an attribute with two values", { $0.subject = hex("300F 310D 300B 0603550403 0C0161 0C0161") }),
        ("a name that isn't UTF-8", { $0.subject = hex("300C 310A 3008 0603550403 0C01FF") }),
        ("a PrintableString with a commercial at", { $0.subject = hex("300C 310A 3008 0603550403 130140") }),
        ("a name that is a number", { $0.subject = hex("300C 310A 3008 0603550403 020101") }),
        ("a name of another class", { $0.subject = hex("300C 310A 3008 0603550403 530161") }),
        ("an odd BMPString", { $0.subject = hex("300C 310A 3008 0603550403 1E0161") }),
        ("a validity without an end", { $0.validity = hex("300F 170D 3730303130313030303030305A") }),
        (
            "a time without seconds",
            { $0.validity = hex("301C 170B 373030313031303030305A 170D 3439313233313233353935395A") }
        ),
        (
            "a day that isn't",
            { $0.validity = hex("301E 170D 3730303233303030303030305A 170D 3439313233313233353935395A") }
        ),
        ("a point off the curve", { $0.key[40] ^= 1 }),
        ("a hybrid point", { $0.key[26] = 6 }),
        (
            "the point at infinity",
            {
                $0.key = hex("3019 3013 06072A8648CE3D0201 06082A8648CE3D030107 03020000")
            }
        ),
        ("a key with unused bits", { $0.key = hex("302A 300506032B6570 032101") + [UInt8](repeating: 0, count: 32) }),
        ("RSA without numbers", { $0.key = hex("3013 300D 06092A864886F70D010101 0500 03020000") }),
        (
            "unique identifiers of version 1",
            {
                $0.version = []; $0.rest = hex("81020080")
            }
        ),
        ("unique identifiers in the wrong order", { $0.rest = hex("82020080") + hex("81020080") }),
        (
            "extensions of version 1",
            {
                $0.version = []; $0.rest = extensions(usage)
            }
        ),
        (
            "extensions of version 2",
            {
                $0.version = hex("A003 020101"); $0.rest = extensions(usage)
            }
        ),
        ("no extension in extensions", { $0.rest = extensions() }),
        ("an extension twice", { $0.rest = extensions(usage, usage) }),
        ("critical FALSE that is written", { $0.rest = extensions("300E 0603551D0F 010100 0404 03020780") }),
        ("critical 1", { $0.rest = extensions("300E 0603551D0F 010101 0404 03020780") }),
        ("an extension without a value", { $0.rest = extensions("3005 0603551D0F") }),
        ("something after the extensions", { $0.rest = extensions(usage) + hex("0500") }),
        ("no signature", { $0.signature = [] }),
        ("a signature with unused bits", { $0.signature = hex("030901 3006 020101 020100") }),
        ("a signature of ECDSA that isn't one", { $0.signature = hex("030300 0500") }),
        ("a signature of ECDSA with a leading zero", { $0.signature = hex("030A00 3007 02020001 020101") }),
        ("something after the signature", { $0.more = hex("0500") }),
    ]

    @Test("what is unusual but no fault is read", arguments: accepted.map(\.name))
    func reads(_ name: String) throws {
        var parts = Parts()
        try #require(Self.accepted.first { $0.name == name }).change(&parts)
        let certificate = try Certificate(derEncoded: parts.bytes)
        #expect(try certificate.serializeAsPEM().derBytes == parts.bytes)
        #expect(!certificate.publicKey.isValidSignature(certificate.signature, for: certificate))
    }

    @Test("what breaks a rule is refused with one of the two errors", arguments: refused.map(\.name))
    func refuses(_ name: String) throws {
        var parts = Parts()
        try #require(Self.refused.first { $0.name == name }).change(&parts)
        do {
            _ = try Certificate(derEncoded: parts.bytes)
            Issue.record("it was read")
        } catch {
            #expect(error is ASN1Error || error is CertificateError)
        }
    }

    @Test("what isn't one certificate is refused")
    func documents() {
        let good = Parts().bytes
        for bytes in [
            [], good + [0], good + good, Array(good.dropLast()), Array(good.dropFirst()), [0x30, 0], hex("0500"),
            [UInt8](repeating: 0x30, count: 4000), [UInt8](repeating: 0xFF, count: 4000),
        ] {
            #expect(throws: ASN1Error.self) { try Certificate(derEncoded: bytes) }
        }
    }
}
