import Crypto
import Foundation
import SwiftASN1
import TestPrograms
import Testing

@Suite("Keys on curves in DER and PEM")
struct KeyDocumentTests {
    @Test("keys come back from their documents")
    func ownDocuments() throws {
        func check<Curve: EllipticCurve>(_ curve: Curve.Type) throws {
            let key = ECDSA<Curve>.PrivateKey()
            let read = try ECDSA<Curve>.PrivateKey(pemRepresentation: key.pemRepresentation)
            #expect(read.rawRepresentation == key.rawRepresentation)
            #expect(read.publicKey.x963Representation == key.publicKey.x963Representation)
            #expect(try PEMDocument(pemString: key.pemRepresentation).derBytes == Array(key.derRepresentation))
            let publicKey = try ECDSA<Curve>.PublicKey(derRepresentation: key.publicKey.derRepresentation)
            #expect(publicKey.x963Representation == key.publicKey.x963Representation)
            let text = try ECDSA<Curve>.PublicKey(pemRepresentation: key.publicKey.pemRepresentation)
            #expect(text.x963Representation == key.publicKey.x963Representation)
        }
        try check(P256.self)
        try check(P384.self)
    }

    @Test("the openssl program verifies what is signed here, with the keys that are written here")
    func signedHere() throws {
        func check<Curve: EllipticCurve>(_ curve: Curve.Type, _ hash: String) throws {
            let openssl = try OpenSSLProgram()
            let (key, message) = (ECDSA<Curve>.PrivateKey(), Array("signed here".utf8))
            try openssl.write(message, "message")
            try openssl.write(key.signature(for: message).derRepresentation, "signature")
            try openssl.write(key.publicKey.pemRepresentation.utf8, "public.pem")
            try openssl.write(key.pemRepresentation.utf8, "private.pem")
            #expect(try openssl.run("dgst -\(hash) -verify public.pem -signature signature message"))
            #expect(try openssl.run("pkey -in private.pem -check -noout"))
            #expect(try openssl.run("pkey -in private.pem -pubout -out same.pem"))
            #expect(try openssl.text("same.pem") == key.publicKey.pemRepresentation + "\n")
            try openssl.write(message + [0], "message")
            #expect(try !openssl.run("dgst -\(hash) -verify public.pem -signature signature message"))
        }
        try check(P256.self, "sha256")
        try check(P384.self, "sha384")
    }

    @Test("keys and signatures of the openssl program are taken here")
    func signedThere() throws {
        func check<Curve: EllipticCurve>(_ curve: Curve.Type, _ name: String, _ hash: String) throws {
            let openssl = try OpenSSLProgram()
            let message = Array("signed there".utf8)
            try openssl.write(message, "message")
            #expect(try openssl.run("ecparam -name \(name) -genkey -noout -out sec1.pem"))
            #expect(try openssl.run("pkcs8 -topk8 -nocrypt -in sec1.pem -out pkcs8.pem"))
            #expect(try openssl.run("pkey -in sec1.pem -pubout -out public.pem"))
            #expect(try openssl.run("pkey -in sec1.pem -pubout -outform DER -out public.der"))
            #expect(try openssl.run("dgst -\(hash) -sign sec1.pem -out signature message"))
            let publicKey = try ECDSA<Curve>.PublicKey(pemRepresentation: openssl.text("public.pem"))
            let signature = try ECDSA<Curve>.ECDSASignature(derRepresentation: openssl.read("signature"))
            #expect(publicKey.isValidSignature(signature, for: message))
            #expect(Array(publicKey.derRepresentation) == (try openssl.read("public.der")))
            for file in ["sec1.pem", "pkcs8.pem"] {
                let key = try ECDSA<Curve>.PrivateKey(pemRepresentation: openssl.text(file))
                #expect(key.publicKey.x963Representation == publicKey.x963Representation)
            }
            let key = try ECDSA<Curve>.PrivateKey(pemRepresentation: openssl.text("pkcs8.pem"))
            #expect(try openssl.text("pkcs8.pem") == key.pemRepresentation + "\n")
        }
        try check(P256.self, "prime256v1", "sha256")
        try check(P384.self, "secp384r1", "sha384")
    }

    @Test("keys of other kinds, curves and forms are refused")
    func otherKeys() throws {
        let openssl = try OpenSSLProgram()
        let commands = [
            "genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048", "genpkey -algorithm ED25519",
            "genpkey -algorithm X25519", "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384",
            "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp256k1",
            "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -pkeyopt ec_param_enc:explicit",
            "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -aes128 -pass pass:secret",
        ]
        for command in commands {
            #expect(try openssl.run("\(command) -out key.pem"))
            #expect(throws: (any Error).self, "\(command)") {
                try P256.Signing.PrivateKey(pemRepresentation: openssl.text("key.pem"))
            }
            #expect(try openssl.run("pkey -in key.pem -passin pass:secret -pubout -out public.pem"))
            guard !command.contains("-aes128") else { continue }
            #expect(throws: (any Error).self, "\(command)") {
                try P256.Signing.PublicKey(pemRepresentation: openssl.text("public.pem"))
            }
        }
        #expect(try openssl.run("ecparam -name prime256v1 -genkey -noout -out key.pem"))
        #expect(try openssl.run("ec -in key.pem -pubout -conv_form compressed -out public.pem"))
        #expect(throws: CryptoKitError.incorrectKeySize) {
            try P256.Signing.PublicKey(pemRepresentation: openssl.text("public.pem"))
        }
    }

    @Test("texts that aren't one document of the right kind are refused")
    func otherTexts() {
        let key = P256.Signing.PrivateKey()
        let (privatePEM, publicPEM) = (key.pemRepresentation, key.publicKey.pemRepresentation)
        let relabelled = privatePEM.replacing("PRIVATE KEY", with: "PUBLIC KEY")
        for text in [
            "", "nonsense", privatePEM, relabelled, String(publicPEM.dropLast(40)), "\(publicPEM)\n\(publicPEM)",
        ] {
            #expect(throws: (any Error).self) { try P256.Signing.PublicKey(pemRepresentation: text) }
        }
        for text in ["", publicPEM, publicPEM.replacing("PUBLIC", with: "PRIVATE"), "\(privatePEM)\n\(privatePEM)"] {
            #expect(throws: (any Error).self) { try P256.Signing.PrivateKey(pemRepresentation: text) }
        }
        #expect(throws: (any Error).self) { try P384.Signing.PrivateKey(pemRepresentation: privatePEM) }
        #expect(throws: (any Error).self) { try P384.Signing.PublicKey(pemRepresentation: publicPEM) }
    }

    @Test("a public key has one form in DER")
    func strictPublicKeys() {
        let good = Array(P256.Signing.PrivateKey().publicKey.derRepresentation)
        for count in good.indices {
            #expect(throws: (any Error).self) { try P256.Signing.PublicKey(derRepresentation: good.prefix(count)) }
        }
        // Every byte but the point's is fixed; the last of the header says that no bits are unused.
        for place in 0..<27 {
            for change in [1, 0x20, 0x80] as [UInt8] {
                var wrong = good
                wrong[place] ^= change
                #expect(throws: (any Error).self, "byte \(place)") {
                    try P256.Signing.PublicKey(derRepresentation: wrong)
                }
            }
        }
        #expect(throws: (any Error).self) { try P256.Signing.PublicKey(derRepresentation: good + [0]) }
        let long = [0x30, 0x81] + good.dropFirst()
        #expect(throws: (any Error).self) { try P256.Signing.PublicKey(derRepresentation: long) }
    }

    @Test("a private key with a foreign point, curve or version is refused")
    func inconsistentPrivateKeys() throws {
        let (key, other) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let number = Array(key.rawRepresentation)
        func pem(
            _ fields: ECPrivateKeyFields, in curve: ASN1ObjectIdentifier? = P256.objectIdentifier
        ) -> String {
            guard let curve else { return PEMDocument(type: "EC PRIVATE KEY", derBytes: fields.derBytes).pemString }
            let info = PrivateKeyInfo(algorithm: .ecPublicKey(on: curve), key: fields.derBytes)
            return PEMDocument(type: "PRIVATE KEY", derBytes: info.derBytes).pemString
        }
        func fields(
            _ number: [UInt8], _ curve: ASN1ObjectIdentifier? = nil, _ point: Data? = nil
        ) -> ECPrivateKeyFields { ECPrivateKeyFields(privateKey: number, curve: curve, publicKey: point) }
        let (own, foreign) = (P256.objectIdentifier, P384.objectIdentifier)
        let point = key.publicKey.x963Representation
        for good in [
            pem(fields(number)), pem(fields(number, nil, point)), pem(fields(number, own, point)),
            pem(fields(number, own), in: nil), pem(fields(number, own, point), in: nil),
        ] {
            #expect(try P256.Signing.PrivateKey(pemRepresentation: good).rawRepresentation == key.rawRepresentation)
        }
        for wrong in [
            pem(fields(number, nil, other.publicKey.x963Representation)),
            pem(fields(number, nil, key.publicKey.compressedRepresentation)),
            pem(fields(number, foreign)), pem(fields(number), in: foreign),
            pem(fields(number), in: nil), pem(fields(number, foreign), in: nil),
            pem(fields(Array(number.dropFirst()))), pem(fields([0] + number)),
            pem(fields([UInt8](repeating: 0, count: 32))), pem(fields([UInt8](repeating: 0xFF, count: 32))),
        ] {
            #expect(throws: (any Error).self) { try P256.Signing.PrivateKey(pemRepresentation: wrong) }
        }
    }
}
