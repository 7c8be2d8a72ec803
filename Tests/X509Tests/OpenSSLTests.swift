import Crypto
import CryptoExtras
import Foundation
import SwiftASN1
import TestPrograms
import Testing
import X509

/// `openssl` as the second opinion.
@Suite("Certificates and keys of OpenSSL") struct OpenSSLTests {
    @Test(
        "what `openssl req` makes is read",
        arguments: [
            ["ec", "ec_paramgen_curve:P-256", "sha256"], ["ec", "ec_paramgen_curve:P-384", "sha384"],
            ["rsa", "rsa_keygen_bits:2048", "sha256"], ["rsa", "rsa_keygen_bits:2048", "sha512"],
        ])
    func requests(_ kind: [String]) throws {
        let openssl = try OpenSSLProgram()
        try openssl(
            "req", "-x509", "-newkey", kind[0], "-pkeyopt", kind[1], "-\(kind[2])", "-nodes", "-keyout", "key.pem",
            "-out", "certificate.pem", "-utf8", "-subj", "/C=DE/O=Amt für Beispiele/CN=test", "-days", "30", "-addext",
            "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1,URI:vigil:role:lab,email:a@example.org,RID:1.2.3",
            "-addext", "keyUsage=critical,keyCertSign,cRLSign", "-addext", "extendedKeyUsage=serverAuth,clientAuth")
        let certificate = try Certificate(pemEncoded: openssl.text("certificate.pem"))
        let key = try Certificate.PrivateKey(pemEncoded: openssl.text("key.pem"))
        #expect(certificate.publicKey == key.publicKey)
        #expect(certificate.publicKey.isValidSignature(certificate.signature, for: certificate))
        #expect("\(certificate.subject)" == "CN=test,O=Amt für Beispiele,C=DE")
        #expect(certificate.issuer == certificate.subject)
        #expect(certificate.notValidAfter.timeIntervalSince(certificate.notValidBefore) == 30 * 86_400)
        #expect(try certificate.extensions.basicConstraints == .isCertificateAuthority(maxPathLength: nil))
        #expect(try certificate.extensions.keyUsage == KeyUsage(keyCertSign: true, cRLSign: true))
        #expect(try certificate.extensions.extendedKeyUsage == ExtendedKeyUsage([.serverAuth, .clientAuth]))
        #expect(
            try certificate.extensions.subjectAlternativeNames.map(Array.init) == [
                .dnsName("localhost"), .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
                .ipAddress(ASN1OctetString(contentBytes: [UInt8](repeating: 0, count: 15)[...] + [1])),
                .uniformResourceIdentifier("vigil:role:lab"), .rfc822Name("a@example.org"), .registeredID([1, 2, 3]),
            ])
        #expect(
            try certificate.extensions.subjectKeyIdentifier == SubjectKeyIdentifier(hash: certificate.publicKey))
        #expect((_RSA.Signing.PublicKey(certificate.publicKey) != nil) == (kind[0] == "rsa"))
        // The issuer's key signs another one here.
        let child = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: certificate.notValidBefore, notValidAfter: certificate.notValidAfter,
            issuer: certificate.subject, subject: DistinguishedName { CommonName("child") },
            signatureAlgorithm: kind[0] == "rsa" ? .sha384WithRSAEncryption : .ecdsaWithSHA256,
            extensions: Certificate.Extensions(), issuerPrivateKey: key)
        try openssl.write(child.serializeAsPEM().pemString, "child.pem")
        try openssl("verify", "-CAfile", "certificate.pem", "child.pem")
    }

    @Test("a chain that is issued here passes OpenSSL's strict verification, with its names")
    func chain() throws {
        let openssl = try OpenSSLProgram()
        let root = try Holder(
            "root", key: Certificate.PrivateKey(P384.Signing.PrivateKey()), algorithm: .ecdsaWithSHA384)
        func identifiers(_ key: Certificate.PublicKey, _ issuer: Holder) throws -> [Certificate.Extension] {
            let issuerKey = SubjectKeyIdentifier(hash: issuer.key.publicKey).keyIdentifier
            return [
                try SubjectKeyIdentifier(hash: key).makeCertificateExtension(),
                try AuthorityKeyIdentifier(keyIdentifier: issuerKey).makeCertificateExtension(),
            ]
        }
        let middleKey = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let middle = try Holder(
            "middle", by: root, key: middleKey, algorithm: .ecdsaWithSHA512,
            extensions: Certificate.Extensions(
                [
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0)).makeCertificateExtension(),
                    Critical(KeyUsage(keyCertSign: true, cRLSign: true)).makeCertificateExtension(),
                    Critical(NameConstraints(permittedDNSDomains: ["example.org"])).makeCertificateExtension(),
                ] + identifiers(middleKey.publicKey, root)))
        func leaf(_ host: String) throws -> Holder {
            let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
            return try Holder(
                "leaf", by: middle, key: key,
                extensions: Certificate.Extensions(
                    [
                        Critical(BasicConstraints.notCertificateAuthority).makeCertificateExtension(),
                        Critical(KeyUsage(digitalSignature: true)).makeCertificateExtension(),
                        ExtendedKeyUsage([.serverAuth]).makeCertificateExtension(),
                        SubjectAlternativeNames([
                            .dnsName(host), .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
                            .uniformResourceIdentifier("vigil:role:lab"), .rfc822Name("a@example.org"),
                            .registeredID([1, 2, 3]), .directoryName(DistinguishedName { CommonName("other") }),
                        ]).makeCertificateExtension(),
                    ] + identifiers(key.publicKey, middle)))
        }
        try openssl.write(root.pem, "root.pem")
        try openssl.write(middle.pem, "middle.pem")
        let good = try leaf("www.example.org")
        try openssl.write(good.pem, "leaf.pem")
        try openssl.write(leaf("www.example.com").pem, "elsewhere.pem")
        func verify(_ file: String, _ root: String = "root.pem") throws {
            try openssl(
                "verify", "-x509_strict", "-attime", "1800000000", "-purpose", "sslserver", "-CAfile", root,
                "-untrusted", "middle.pem", "-verify_ip", "127.0.0.1", file)
        }
        try verify("leaf.pem")
        // The constraint is obeyed there, so it was written as it should be.
        #expect(throws: OpenSSLProgram.Failure.self) { try verify("elsewhere.pem") }
        try openssl.write(Holder("root").pem, "namesake.pem")
        #expect(throws: OpenSSLProgram.Failure.self) { try verify("leaf.pem", "namesake.pem") }
        // From 3.2 on names are printed without blanks.
        let text = try openssl("x509", "-in", "leaf.pem", "-noout", "-text").replacing(" = ", with: "=")
        for part in [
            "Version: 3 (0x2)", "Signature Algorithm: ecdsa-with-SHA256", "Issuer: CN=middle", "Subject: CN=leaf",
            "Not Before: Nov 14 22:13:20 2023 GMT", "Not After : May 18 03:33:20 2033 GMT", "CA:FALSE",
            "X509v3 Key Usage: critical", "Digital Signature", "TLS Web Server Authentication",
            "DNS:www.example.org, IP Address:127.0.0.1, URI:vigil:role:lab, email:a@example.org, Registered ID:1.2.3",
            "DirName:/CN=other",
        ] { #expect(text.contains(part), "\(part)") }
        try openssl("x509", "-in", "leaf.pem", "-outform", "DER", "-out", "leaf.der")
        #expect(try openssl.read("leaf.der") == good.der)
    }

    @Test("keys in every form of PEM are read, and written as PKCS #8")
    func keys() throws {
        let openssl = try OpenSSLProgram()
        for curve in ["prime256v1", "secp384r1"] {
            try openssl("ecparam", "-name", curve, "-genkey", "-noout", "-out", "\(curve).pem")
            try openssl("pkey", "-in", "\(curve).pem", "-out", "\(curve)-8.pem")
        }
        try openssl("genrsa", "-traditional", "-out", "rsa.pem", "2048")
        try openssl("pkey", "-in", "rsa.pem", "-out", "rsa-8.pem")
        for (file, type) in [("prime256v1", "EC"), ("secp384r1", "EC"), ("rsa", "RSA")] {
            let old = try openssl.text("\(file).pem")
            #expect(old.contains("-----BEGIN \(type) PRIVATE KEY-----"))
            let key = try Certificate.PrivateKey(pemEncoded: old)
            #expect(try Certificate.PrivateKey(pemEncoded: openssl.text("\(file)-8.pem")).publicKey == key.publicKey)
            #expect(try key.serializeAsPEM().pemString + "\n" == openssl.text("\(file)-8.pem"))
            try openssl("pkey", "-in", "\(file).pem", "-pubout", "-out", "public.pem")
            #expect(try Certificate.PublicKey(pemEncoded: openssl.text("public.pem")) == key.publicKey)
        }
    }

    @Test("keys that are none of ours are refused")
    func wrongKeys() throws {
        let openssl = try OpenSSLProgram()
        for (file, arguments) in [
            ("x", ["-algorithm", "x25519"]), ("ed", ["-algorithm", "ed25519"]),
            ("p521", ["-algorithm", "ec", "-pkeyopt", "ec_paramgen_curve:P-521"]),
            (
                "explicit",
                ["-algorithm", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-pkeyopt", "ec_param_enc:explicit"]
            ),
            ("password", ["-algorithm", "ed25519", "-aes128", "-pass", "pass:test"]),
        ] {
            try openssl(["genpkey", "-out", file] + arguments)
            #expect(throws: CertificateError.privateKey, "\(file)") {
                try Certificate.PrivateKey(pemEncoded: openssl.text(file))
            }
        }
        for text in ["", P256.Signing.PrivateKey().publicKey.pemRepresentation] {
            #expect(throws: CertificateError.privateKey) { try Certificate.PrivateKey(pemEncoded: text) }
        }
    }

    @Test("a private key whose point is another's is refused")
    func foreignPoint() throws {
        let key = P256.Signing.PrivateKey()
        func pem(_ point: P256.Signing.PublicKey, fields curve: ASN1ObjectIdentifier? = nil) -> String {
            let fields = ECPrivateKeyFields(
                privateKey: key.rawRepresentation, curve: curve, publicKey: point.x963Representation)
            let info = PrivateKeyInfo(algorithm: .ecPublicKey(on: .NamedCurves.secp256r1), key: fields.derBytes)
            return PEMDocument(type: "PRIVATE KEY", derBytes: info.derBytes).pemString
        }
        #expect(throws: Never.self) { try Certificate.PrivateKey(pemEncoded: pem(key.publicKey)) }
        #expect(throws: Never.self) {
            try Certificate.PrivateKey(pemEncoded: pem(key.publicKey, fields: .NamedCurves.secp256r1))
        }
        #expect(throws: CertificateError.privateKey) {
            try Certificate.PrivateKey(pemEncoded: pem(P256.Signing.PrivateKey().publicKey))
        }
        #expect(throws: CertificateError.privateKey) {
            try Certificate.PrivateKey(pemEncoded: pem(key.publicKey, fields: .NamedCurves.secp384r1))
        }
    }

    @Test("certificates with other keys and algorithms are read, and their signatures count as wrong")
    func otherKeys() throws {
        let openssl = try OpenSSLProgram()
        for (file, arguments) in [
            ("p521", ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-521"]), ("ed", ["-newkey", "ed25519"]),
            ("small", ["-newkey", "rsa:1024"]), ("sha1", ["-newkey", "rsa:2048", "-sha1"]),
            ("pss", ["-newkey", "rsa:2048", "-sigopt", "rsa_padding_mode:pss"]),
        ] {
            try openssl(
                ["req", "-x509", "-nodes", "-subj", "/CN=\(file)", "-keyout", "key", "-out", file] + arguments)
            let certificate = try Certificate(pemEncoded: openssl.text(file))
            #expect("\(certificate.subject)" == "CN=\(file)")
            #expect(!certificate.publicKey.isValidSignature(certificate.signature, for: certificate), "\(file)")
            #expect(P256.Signing.PublicKey(certificate.publicKey) == nil)
            #expect((_RSA.Signing.PublicKey(certificate.publicKey) != nil) == ["sha1", "pss"].contains(file))
        }
    }
}
