import Crypto
import SwiftASN1
import TestPrograms
import Testing
import X509

/// Requests come from outside: `openssl req` makes the good ones.
@Suite("Requests for certificates") struct CertificateRequestTests {
    @Test(
        "what `openssl req` makes is read, in PEM and in DER, and nothing but the key is taken",
        arguments: [
            ["ec", "ec_paramgen_curve:P-256", "sha256"], ["ec", "ec_paramgen_curve:P-384", "sha512"],
            ["rsa", "rsa_keygen_bits:2048", "sha256"], ["rsa", "rsa_keygen_bits:3072", "sha384"],
        ])
    func requests(_ kind: [String]) throws {
        let openssl = try OpenSSLProgram()
        try openssl(
            "req", "-new", "-newkey", kind[0], "-pkeyopt", kind[1], "-\(kind[2])", "-nodes", "-keyout", "key.pem",
            "-out",
            "request.pem", "-utf8", "-subj", "/C=DE/O=Amt für Beispiele/CN=portal", "-addext",
            "subjectAltName=DNS:verification-server,URI:vigil:role:portal", "-addext", "basicConstraints=CA:TRUE")
        let key = try Certificate.PrivateKey(pemEncoded: openssl.text("key.pem")).publicKey
        #expect(try CertificateRequest(openssl.read("request.pem")).publicKey == key)
        try openssl("req", "-in", "request.pem", "-outform", "DER", "-out", "request.der")
        #expect(try CertificateRequest(openssl.read("request.der")).publicKey == key)
        try openssl("req", "-in", "request.pem", "-text", "-out", "text.pem")
        #expect(try CertificateRequest(openssl.read("text.pem")).publicKey == key)
        let old = try openssl.text("request.pem").replacing("CERTIFICATE REQUEST", with: "NEW CERTIFICATE REQUEST")
        #expect(try CertificateRequest(Array(old.utf8)).publicKey == key)
    }

    @Test(
        "keys that services don't accept, or that others can sign with, are refused",
        arguments: [
            ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-521"], ["-newkey", "ed25519"],
            ["-newkey", "rsa:1024"], ["-newkey", "rsa:2048", "-pkeyopt", "rsa_keygen_pubexp:3"],
        ])
    func wrongKeys(_ arguments: [String]) throws {
        let openssl = try OpenSSLProgram()
        try openssl(["req", "-new", "-nodes", "-subj", "/CN=test", "-keyout", "key", "-out", "request"] + arguments)
        #expect(throws: CertificateRequest.Problem.unsupportedKey) {
            try CertificateRequest(openssl.read("request"))
        }
    }

    @Test("signatures with SHA-1 or PSS, and those of another key, are refused")
    func wrongSignatures() throws {
        let openssl = try OpenSSLProgram()
        for arguments in [["-sha1"], ["-sigopt", "rsa_padding_mode:pss"]] {
            try openssl(
                [
                    "req", "-new", "-nodes", "-newkey", "rsa:2048", "-subj", "/CN=test", "-keyout", "key", "-out",
                    "request",
                ]
                    + arguments)
            #expect(throws: CertificateRequest.Problem.wrongSignature, "\(arguments)") {
                try CertificateRequest(openssl.read("request"))
            }
        }
        let (own, other) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        _ = try CertificateRequest(Self.request(for: own.publicKey, signedBy: own))
        #expect(throws: CertificateRequest.Problem.wrongSignature) {
            try CertificateRequest(Self.request(for: own.publicKey, signedBy: other))
        }
    }

    @Test("other documents, two requests, and files that are too long are refused")
    func otherFiles() throws {
        let key = P256.Signing.PrivateKey()
        let der = try Self.request(for: key.publicKey, signedBy: key)
        let pem = PEMDocument(type: "CERTIFICATE REQUEST", derBytes: der).pemString
        _ = try CertificateRequest(Array(pem.utf8))
        for text in ["", "0", pem + "\n" + pem, pem.replacing("REQUEST", with: "REVOKED"), try Holder("leaf").pem] {
            #expect(throws: CertificateRequest.Problem.malformed, "\(text)") {
                try CertificateRequest(Array(text.utf8))
            }
        }
        for bytes in [[0xFF, 0xFE] + Array(pem.utf8), der + [0], try Holder("leaf").der] {
            #expect(throws: CertificateRequest.Problem.malformed) { try CertificateRequest(bytes) }
        }
        let padding = [UInt8](repeating: UInt8(ascii: "\n"), count: CertificateRequest.longest - pem.utf8.count)
        _ = try CertificateRequest(padding + Array(pem.utf8))
        #expect(throws: CertificateRequest.Problem.tooLong) {
            try CertificateRequest(padding + [0x0A] + Array(pem.utf8))
        }
    }

    @Test("a subject and attributes are of their form, whatever they say")
    func formOfNames() throws {
        let key = P256.Signing.PrivateKey()
        func read(_ subject: [UInt8], _ attributes: [UInt8]) throws {
            _ = try CertificateRequest(
                Self.request(for: key.publicKey, signedBy: key, subject: subject, attributes: attributes))
        }
        let (none, null) = (element(.context(0)), hex("05 00"))
        // An underscore, which is no letter of a PrintableString, and a request for a password.
        try read(
            element(.sequence, element(.set, element(.sequence, hex("06 03 55 04 03"), hex("13 03 61 5F 62")))), none)
        let password = hex("06 09 2A 86 48 86 F7 0D 01 09 07")
        try read(
            element(.sequence), element(.context(0), element(.sequence, password, element(.set, hex("0C 01 61")))))
        for subject in [
            element(.sequence, null), element(.sequence, element(.set)), element(.sequence, element(.set, null)),
            element(.sequence, element(.set, element(.sequence, null, null))),
            element(.sequence, element(.set, element(.sequence, hex("06 03 55 04 03")))),
            element(.sequence, element(.sequence, element(.sequence, hex("06 03 55 04 03"), null))),
            element(.sequence, element(.set, element(.sequence, hex("06 03 55 04 03"), null, null))),
        ] {
            #expect(throws: CertificateRequest.Problem.malformed, "\(subject)") { try read(subject, none) }
        }
        for attributes in [
            element(.context(0), null), element(.context(0), element(.sequence, password)),
            element(.context(0), element(.sequence, password, null)), element(.context(1)),
            element(.context(0), element(.sequence, password, element(.set))),
            element(.context(0), element(.sequence, password, element(.set, null), null)),
        ] {
            #expect(throws: CertificateRequest.Problem.malformed, "\(attributes)") {
                try read(element(.sequence), attributes)
            }
        }
    }

    /// What RFC 2986 says, with an empty name and no attributes unless others are given.
    private static func request(
        for key: P256.Signing.PublicKey, signedBy signer: P256.Signing.PrivateKey,
        subject: [UInt8] = element(.sequence), attributes: [UInt8] = element(.context(0))
    ) throws -> [UInt8] {
        let document = try PEMDocument(pemString: key.pemRepresentation)
        let info = element(
            .sequence, [0x02, 0x01, 0x00], subject, document.derBytes, attributes)
        let signature = try signer.signature(for: SHA256.hash(data: info)).derRepresentation
        return element(
            .sequence, info, element(.sequence, hex("06 08 2A 86 48 CE 3D 04 03 02")),
            ASN1BitString(bytes: Array(signature)[...]).derBytes)
    }
}
