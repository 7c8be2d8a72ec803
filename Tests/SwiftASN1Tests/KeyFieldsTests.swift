import SwiftASN1
import Testing

@Suite("The forms of keys and signatures") struct KeyFieldsTests {
    private let point = "04" + String(repeating: "11", count: 64)
    private let number = String(repeating: "22", count: 32)
    private let curveKey = "3013 06072A8648CE3D0201 06082A8648CE3D030107"

    private func expectRefused<T: DERParseable>(_ type: T.Type, _ texts: [String]) {
        for text in texts { #expect(throws: ASN1Error.self, "\(text)") { try T(derEncoded: hex(text)) } }
    }

    @Test("a public key names its algorithm and curve, and has whole bytes")
    func publicKey() throws {
        let text = "3059" + curveKey + "034200" + point
        let info = try SubjectPublicKeyInfo(derEncoded: hex(text))
        #expect(info.algorithm == .ecPublicKey(on: .NamedCurves.secp256r1))
        #expect(info.key == hex(point)[...])
        #expect(info.derBytes == hex(text))
        expectRefused(
            SubjectPublicKeyInfo.self,
            [
                "3059" + curveKey + "034201" + point.dropLast(2) + "00", "3015" + curveKey, "3000",
                "305B" + curveKey + "034200" + point + "0500",
            ])
    }

    @Test("a private key in PKCS #8 holds one of RFC 5915, with its point or without")
    func privateKey() throws {
        let bare = "3025 020101 0420" + number
        let whole = "306B 020101 0420" + number + "A144 034200" + point
        for (fields, length, inner) in [(bare, "3041", "27"), (whole, "308187", "6D")] {
            let text = length + "020100" + curveKey + "04" + inner + fields
            let info = try PrivateKeyInfo(derEncoded: hex(text))
            #expect(info.derBytes == hex(text))
            let key = try ECPrivateKeyFields(derEncoded: info.key)
            #expect(key.privateKey == hex(number)[...] && key.curve == nil)
            #expect(key.publicKey == (fields == whole ? hex(point)[...] : nil))
            #expect(key.derBytes == hex(fields))
        }
        let named = try ECPrivateKeyFields(derEncoded: hex("3031 020101 0420" + number + "A00A 06082A8648CE3D030107"))
        #expect(named.curve == .NamedCurves.secp256r1)
        expectRefused(
            ECPrivateKeyFields.self, ["3025 020100 0420" + number, "3027 020101 0420" + number + "0500", "3003 020101"])
        expectRefused(
            PrivateKeyInfo.self,
            [
                "3041 020102" + curveKey + "0427" + bare, "3044 020100" + curveKey + "0427" + bare + "810100",
                "3043 020100" + curveKey + "0427" + bare + "0500", "3018 020100" + curveKey,
            ])
        // Attributes (RFC 5958) and a public half of version 1 are passed over.
        for text in [
            "3043 020100" + curveKey + "0427" + bare + "A000", "3044 020101" + curveKey + "0427" + bare + "810100",
        ] {
            #expect(try PrivateKeyInfo(derEncoded: hex(text)).key == hex(bare)[...])
        }
    }

    @Test("a signature of ECDSA is two numbers that aren't negative")
    func signature() throws {
        for text in ["3006 020101 020102", "3007 020101 02020080", "3006 020100 020100"] {
            let fields = try ECDSASignatureFields(derEncoded: hex(text))
            #expect(fields.derBytes == hex(text))
        }
        expectRefused(
            ECDSASignatureFields.self,
            [
                "3006 0201FF 020101", "3006 020101 020180", "3007 020101 02020001", "3003 020101", "3000",
                "3009 020101 020102 020103", "3006 020101 020102 00", "308106 020101 020102", "3080 020101 020102 0000",
                "3106 020101 020102",
            ])
    }

    @Test("keys of RSA have numbers that aren't negative, and two primes")
    func rsa() throws {
        let fields = try RSAPublicKeyFields(derEncoded: hex("3009 02020081 0203010001"))
        #expect(fields.modulus.magnitude == [0x81] && fields.exponent.magnitude == [1, 0, 1])
        #expect(fields.derBytes == hex("3009 02020081 0203010001"))
        expectRefused(RSAPublicKeyFields.self, ["3008 020181 0203010001", "3004 02020081", "3006 020181 0201FF"])
        let numbers = (1...8).map { "02010\($0)" }.joined()
        let key = try RSAPrivateKeyFields(derEncoded: hex("301B 020100" + numbers))
        #expect(key.numbers.map { $0.magnitude } == (1...8).map { [UInt8($0)] })
        #expect(key.derBytes == hex("301B 020100" + numbers))
        expectRefused(
            RSAPrivateKeyFields.self,
            ["301B 020101" + numbers, "3018 020100" + numbers.dropLast(6), "301D 020100" + numbers + "3000"])
    }
}
