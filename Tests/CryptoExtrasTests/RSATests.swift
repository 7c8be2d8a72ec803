import Crypto
import CryptoExtras
import Foundation
import SwiftASN1
import TestPrograms
import Testing

@Suite("RSA")
struct RSATests {
    private typealias PrivateKey = _RSA.Signing.PrivateKey
    private typealias PublicKey = _RSA.Signing.PublicKey
    private typealias Signature = _RSA.Signing.RSASignature

    private static let key = Result { try PrivateKey(keySize: .bits2048) }
    private static let message = Array("what is signed".utf8)

    @Test("NIST's signatures with PKCS #1, version 1.5 are taken and refused as NIST says")
    func vectors() throws {
        for vector in try Vector.all(in: "rsa-pkcs1v15", with: "Result") {
            let key = try PublicKey(n: vector.bytes("n"), e: vector.bytes("e"))
            let signature = Signature(rawRepresentation: try vector.bytes("S"))
            let isGood = try vector.text("Result").hasPrefix("P")
            let message = try vector.bytes("Msg")
            #expect(key.isValidSignature(signature, for: message, padding: .insecurePKCS1v1_5) == isGood)
            #expect(!key.isValidSignature(signature, for: message, padding: .PSS))
        }
    }

    @Test("a signature is for its message, hash function, padding and key alone")
    func signing() throws {
        let key = try Self.key.get()
        let other = try PrivateKey(keySize: .bits2048)
        for (padding, otherPadding) in [
            (_RSA.Signing.Padding.PSS, _RSA.Signing.Padding.insecurePKCS1v1_5), (.insecurePKCS1v1_5, .PSS),
        ] {
            let signature = try key.signature(for: Self.message, padding: padding)
            let digest = SHA256.hash(data: Self.message)
            #expect(key.publicKey.isValidSignature(signature, for: Self.message, padding: padding))
            #expect(key.publicKey.isValidSignature(signature, for: digest, padding: padding))
            #expect(!key.publicKey.isValidSignature(signature, for: digest, padding: otherPadding))
            #expect(!key.publicKey.isValidSignature(signature, for: Self.message + [0], padding: padding))
            #expect(!key.publicKey.isValidSignature(signature, for: SHA512.hash(data: Self.message), padding: padding))
            #expect(!other.publicKey.isValidSignature(signature, for: Self.message, padding: padding))
            let bytes = Array(signature.rawRepresentation)
            #expect(bytes.count == 256)
            for place in [0, 100, 255] {
                var wrong = bytes
                wrong[place] ^= 1
                let changed = Signature(rawRepresentation: wrong)
                #expect(!key.publicKey.isValidSignature(changed, for: Self.message, padding: padding))
            }
            for wrong: [UInt8] in [[], Array(bytes.dropLast()), bytes + [0], [0] + bytes, Array(bytes.dropFirst())] {
                let changed = Signature(rawRepresentation: wrong)
                #expect(!key.publicKey.isValidSignature(changed, for: Self.message, padding: padding))
            }
        }
    }

    @Test("digests of SHA-384 and SHA-512 are signed, and of MD5 and SHA-1 aren't")
    func hashes() throws {
        let key = try Self.key.get()
        for padding in [_RSA.Signing.Padding.PSS, .insecurePKCS1v1_5] {
            let (long, longest) = (SHA384.hash(data: Self.message), SHA512.hash(data: Self.message))
            #expect(
                key.publicKey.isValidSignature(
                    try key.signature(for: long, padding: padding), for: long, padding: padding))
            let signature = try key.signature(for: longest, padding: padding)
            #expect(key.publicKey.isValidSignature(signature, for: longest, padding: padding))
            #expect(throws: CryptoKitError.self) {
                try key.signature(for: Insecure.SHA1.hash(data: Self.message), padding: padding)
            }
            let (sha1, md5) = (Insecure.SHA1.hash(data: Self.message), Insecure.MD5.hash(data: Self.message))
            #expect(!key.publicKey.isValidSignature(signature, for: sha1, padding: padding))
            #expect(!key.publicKey.isValidSignature(signature, for: md5, padding: padding))
        }
    }

    @Test("the openssl program verifies what is signed here, with the keys that are written here")
    func signedHere() throws {
        let openssl = try OpenSSLProgram()
        let key = try Self.key.get()
        try openssl.write(Self.message, "message")
        try openssl.write(key.publicKey.pemRepresentation.utf8, "public.pem")
        try openssl.write(key.pkcs8PEMRepresentation.utf8, "private.pem")
        #expect(try openssl.run("pkey -in private.pem -check -noout"))
        #expect(try openssl.run("pkey -in private.pem -pubout -out same.pem"))
        #expect(try openssl.text("same.pem") == key.publicKey.pemRepresentation + "\n")
        try openssl.write(
            key.signature(for: Self.message, padding: .insecurePKCS1v1_5).rawRepresentation, "signature")
        #expect(try openssl.run("dgst -sha256 -verify public.pem -signature signature message"))
        try openssl.write(key.signature(for: Self.message, padding: .PSS).rawRepresentation, "signature")
        let options = "-sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:32"
        #expect(try openssl.run("dgst -sha256 \(options) -verify public.pem -signature signature message"))
        #expect(try !openssl.run("dgst -sha256 -verify public.pem -signature signature message"))
    }

    @Test("keys and signatures of the openssl program are taken here")
    func signedThere() throws {
        let openssl = try OpenSSLProgram()
        try openssl.write(Self.message, "message")
        #expect(try openssl.run("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:3072 -out pkcs8.pem"))
        #expect(try openssl.run("rsa -in pkcs8.pem -traditional -out pkcs1.pem"))
        #expect(try openssl.run("pkey -in pkcs8.pem -pubout -outform DER -out public.der"))
        let publicKey = try PublicKey(derRepresentation: openssl.read("public.der"))
        #expect(publicKey.keySizeInBits == 3072)
        #expect(Array(publicKey.derRepresentation) == (try openssl.read("public.der")))
        for (options, padding) in [
            ("", _RSA.Signing.Padding.insecurePKCS1v1_5),
            ("-sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest", .PSS),
        ] {
            #expect(try openssl.run("dgst -sha256 \(options) -sign pkcs8.pem -out signature message"))
            let signature = Signature(rawRepresentation: try openssl.read("signature"))
            #expect(publicKey.isValidSignature(signature, for: Self.message, padding: padding))
        }
        #expect(
            try openssl.run(
                "dgst -sha256 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:20 -sign pkcs8.pem -out signature message"
            ))
        let salted = Signature(rawRepresentation: try openssl.read("signature"))
        #expect(!publicKey.isValidSignature(salted, for: Self.message, padding: .PSS))
        for file in ["pkcs8.pem", "pkcs1.pem"] {
            let key = try PrivateKey(pemRepresentation: openssl.text(file))
            #expect(key.publicKey.derRepresentation == publicKey.derRepresentation)
            #expect(try openssl.text("pkcs8.pem") == key.pkcs8PEMRepresentation + "\n")
        }
    }

    @Test("moduli of less than 2,048 bits are refused, and unsafe ones have at least 1,024")
    func lengths() throws {
        let small = try PrivateKey(unsafeKeySize: _RSA.Signing.KeySize(bitCount: 1024))
        #expect(small.publicKey.keySizeInBits == 1024)
        let signature = try small.signature(for: Self.message, padding: .insecurePKCS1v1_5)
        #expect(small.publicKey.isValidSignature(signature, for: Self.message, padding: .insecurePKCS1v1_5))
        let numbers = try small.publicKey.getKeyPrimitives()
        #expect(throws: CryptoKitError.incorrectKeySize) {
            try PublicKey(n: numbers.modulus, e: numbers.publicExponent)
        }
        #expect(throws: CryptoKitError.incorrectKeySize) {
            try PublicKey(derRepresentation: small.publicKey.derRepresentation)
        }
        #expect(throws: CryptoKitError.incorrectKeySize) {
            try PrivateKey(pemRepresentation: small.pkcs8PEMRepresentation)
        }
        for count in [0, 512, 1023, 16385] {
            #expect(throws: CryptoKitError.incorrectKeySize) {
                try PrivateKey(unsafeKeySize: _RSA.Signing.KeySize(bitCount: count))
            }
        }
        #expect(throws: CryptoKitError.incorrectKeySize) {
            try PrivateKey(keySize: _RSA.Signing.KeySize(bitCount: 2047))
        }
    }

    @Test("numbers that make no key are refused")
    func malformedNumbers() throws {
        let numbers = try Self.key.get().publicKey.getKeyPrimitives()
        let modulus = Array(numbers.modulus)
        #expect(numbers.publicExponent == Data([1, 0, 1]))
        let padded = try PublicKey(n: [0, 0] + modulus, e: [0, 1, 0, 1])
        #expect(try padded.getKeyPrimitives().modulus == numbers.modulus)
        for exponent: [UInt8] in [[], [0], [1], [2], [1, 0, 0], [1, 0, 0, 0, 1]] {
            #expect(throws: CryptoKitError.invalidParameter) { try PublicKey(n: modulus, e: exponent) }
        }
        #expect(throws: CryptoKitError.invalidParameter) {
            try PublicKey(n: modulus.dropLast() + [modulus[255] ^ 1], e: [3])
        }
        let long = [UInt8](repeating: 0xFF, count: 2049)
        for modulus: [UInt8] in [[], [0], Array(modulus.dropLast()), [0x7F] + modulus.dropFirst(), long] {
            #expect(throws: CryptoKitError.incorrectKeySize) { try PublicKey(n: modulus, e: [3]) }
        }
    }

    @Test("a private key whose numbers don't belong together is refused")
    func inconsistentNumbers() throws {
        let pem = try Self.key.get().pkcs8PEMRepresentation
        let info = try PrivateKeyInfo(derEncoded: PEMDocument(pemString: pem).derBytes)
        let numbers = try RSAPrivateKeyFields(derEncoded: info.key).numbers
        func read(_ numbers: [ASN1Integer]) throws -> PrivateKey {
            let der = RSAPrivateKeyFields(numbers: numbers).derBytes
            return try PrivateKey(pemRepresentation: PEMDocument(type: "RSA PRIVATE KEY", derBytes: der).pemString)
        }
        #expect(try read(numbers).pkcs8PEMRepresentation == pem)
        for index in numbers.indices {
            var wrong = numbers
            var bytes = Array(try #require(numbers[index].magnitude))
            bytes[bytes.count - 1] ^= 2
            wrong[index] = ASN1Integer(magnitude: bytes)
            #expect(throws: (any Error).self, "number \(index)") { try read(wrong) }
        }
        var swapped = numbers
        swapped.swapAt(3, 4)
        #expect(throws: (any Error).self) { try read(swapped) }
    }

    @Test("keys of other kinds and texts of other forms are refused")
    func otherKeys() throws {
        let key = try Self.key.get()
        let curve = P256.Signing.PrivateKey()
        let (privatePEM, publicPEM) = (key.pkcs8PEMRepresentation, key.publicKey.pemRepresentation)
        for text in [
            "", publicPEM, curve.pemRepresentation, "\(privatePEM)\n\(privatePEM)",
            privatePEM.replacing("PRIVATE KEY", with: "RSA PRIVATE KEY"), String(privatePEM.dropLast(50)),
        ] {
            #expect(throws: (any Error).self) { try PrivateKey(pemRepresentation: text) }
        }
        let der = Array(key.publicKey.derRepresentation)
        #expect(throws: (any Error).self) { try PublicKey(derRepresentation: curve.publicKey.derRepresentation) }
        #expect(throws: (any Error).self) { try PublicKey(derRepresentation: der + [0]) }
        for count in stride(from: 0, to: der.count, by: 7) {
            #expect(throws: (any Error).self) { try PublicKey(derRepresentation: der.prefix(count)) }
        }
        let openssl = try OpenSSLProgram()
        #expect(try openssl.run("genpkey -algorithm RSA-PSS -pkeyopt rsa_keygen_bits:2048 -out pss.pem"))
        #expect(throws: (any Error).self) { try PrivateKey(pemRepresentation: openssl.text("pss.pem")) }
    }
}
