import Foundation
import SwiftASN1
import Testing
import X509

/// Certificates that pyca/cryptography collects, because readers differ over them.
@Suite("Certificates of others") struct VectorTests {
    private static func certificates(_ name: String) throws -> [Certificate] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/\(name)")
        let data = try Data(contentsOf: file)
        guard name.hasSuffix(".pem") else { return [try Certificate(derEncoded: Array(data))] }
        return try PEMDocument.parseMultiple(pemString: String(decoding: data, as: UTF8.self))
            .map { try Certificate(pemDocument: $0) }
    }

    private static func certificate(_ name: String) throws -> Certificate {
        let all = try certificates(name)
        try #require(all.count == 1)
        return all[0]
    }

    @Test("those that are odd, but right, are read")
    func read() throws {
        for (name, version, subject) in [
            ("all_key_usages.pem", .v3, "O=PyCA,CN=cryptography"), ("negative_serial.pem", .v3, nil),
            ("post2000utctime.pem", .v3, "CN=Hello CA,O=Internet Widgits Pty Ltd,ST=Some-State,C=AU"),
            ("ecdsa_null_alg.pem", .v3, "CN=test"), ("rsa_pss_cert.pem", .v3, "CN=cryptography.io"),
            ("ec_no_named_curve.pem", .v3, "CN=XYLI:ZB3L:5JH6:EUVX:WUKJ:KL6Y:RHCO:TESY:ISXM:2YVE:FNHU:ZI6Q"),
            ("root-ed448.pem", .v3, "CN=Ed448 Demo CA"), ("bad_country.pem", .v3, nil),
            (
                "verisign_md2_root.pem", .v1,
                "OU=Class 3 Public Primary Certification Authority,O=VeriSign\\, Inc.,C=US"
            ), ("utf8_common_name.pem", .v1, "CN=We heart UTF8!™"),
            ("valid_signature_cert.pem", .v1, "CN=invalid_signature CRL test"),
            ("ca.pem", .v3, "CN=cryptography CA,C=US"),
        ] as [(String, Certificate.Version, String?)] {
            let certificate = try Self.certificate(name)
            #expect(certificate.version == version, "\(name)")
            if let subject { #expect("\(certificate.subject)" == subject) }
        }
        let names = try Self.certificate("all_supported_names.pem")
        #expect(
            names.subject.prefix(6).map { $0.compactMap { String($0.value) } } == [
                ["AU"], ["DE"], ["California"], ["New York"], ["San Francisco"], ["Ithaca"],
            ])
    }

    @Test("those that break a rule are refused")
    func refused() {
        for name in [
            "two_basic_constraints.pem", "invalid_version.pem", "invalid_utf8_common_name.pem", "badasn1time.pem",
            "mismatch_inner_outer_sig_algorithm.der", "long-form-name-attribute.pem",
        ] {
            let error = #expect(throws: (any Error).self, "\(name)") { try Self.certificate(name) }
            #expect(error is ASN1Error || error is CertificateError)
        }
    }

    @Test("extensions say what they say")
    func extensions() throws {
        #expect(
            try Self.certificate("bc_path_length_zero.pem").extensions.basicConstraints
                == .isCertificateAuthority(maxPathLength: 0))
        #expect(
            try Self.certificate("all_key_usages.pem").extensions.keyUsage
                == KeyUsage(
                    digitalSignature: true, nonRepudiation: true, keyEncipherment: true, dataEncipherment: true,
                    keyAgreement: true, keyCertSign: true, cRLSign: true, encipherOnly: true, decipherOnly: true))
        let usage = try #require(try Self.certificate("extended_key_usage.pem").extensions.extendedKeyUsage)
        #expect(usage.contains(.serverAuth) && usage.contains(.clientAuth))
        #expect(
            try Self.certificate("unsupported_extension_critical.pem").extensions.contains {
                $0.critical && $0.oid == [1, 2, 3, 4]
            })
    }

    @Test("names of hosts, people and machines say what they say")
    func alternativeNames() throws {
        func names(_ file: String) throws -> [GeneralName] {
            try #require(try Self.certificate(file).extensions.subjectAlternativeNames.map(Array.init))
        }
        let all = try names("san_email_dns_ip_dirname_uri.pem")
        #expect(all.contains(.rfc822Name("user@cryptography.io")) && all.contains(.dnsName("cryptography.io")))
        #expect(all.contains(.ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1]))))
        #expect(all.contains(.uniformResourceIdentifier("https://cryptography.io")))
        #expect(all.contains { if case .directoryName = $0 { true } else { false } })
        #expect(try names("san_registered_id.pem") == [.registeredID([1, 2, 3, 4])])
        for file in ["san_other_name.pem", "san_x400address.der"] {
            #expect(try names(file).contains { if case .other = $0 { true } else { false } }, "\(file)")
        }
        #expect(try names("san_ipaddr.pem").count == 2)
        #expect(try names("san_empty_hostname.pem").contains(.dnsName("")))
        // A host's name has to be ASCII (RFC 5280, section 7.2).
        let hungarian = try Self.certificate("utf8-dnsname.pem")
        #expect(throws: ASN1Error(.invalidValue, "")) { try hungarian.extensions.subjectAlternativeNames }
    }

    @Test("a signature is right, or it isn't")
    func signatures() throws {
        func signsItself(_ name: String) throws -> Bool {
            let certificate = try Self.certificate(name)
            return certificate.publicKey.isValidSignature(certificate.signature, for: certificate)
        }
        // P-384, P-256, and RSA.
        for name in ["ecdsa_root.pem", "ca.pem", "rsa_ca.pem", "valid_signature_cert.pem"] {
            #expect(try signsItself(name), "\(name)")
        }
        // MD2, SHA-1, PSS, Ed448, and parameters that ECDSA hasn't.
        for name in [
            "verisign_md2_root.pem", "post2000utctime.pem", "rsa_pss_cert.pem",
            "root-ed448.pem", "ecdsa_null_alg.pem",
        ] { #expect(try !signsItself(name), "\(name)") }
        let chain = try Self.certificates("cryptography.io.chain.pem")
        #expect(chain.count == 2 && chain[0].issuer == chain[1].subject)
        #expect(chain[1].publicKey.isValidSignature(chain[0].signature, for: chain[0]))
        #expect(!chain[0].publicKey.isValidSignature(chain[0].signature, for: chain[0]))
    }
}
