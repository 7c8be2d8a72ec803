import Certificates
import Crypto
import Foundation
import SwiftASN1
import Testing
import X509

/// Roots in PEM, and what one certificate may do.
@Suite struct PinnedRootsTests {
    private static let now = Date(timeIntervalSince1970: 1_795_521_600)

    /// A certificate with its key: self-signed unless somebody else signs.
    private struct Holder {
        let key = P256.Signing.PrivateKey()
        let certificate: Certificate

        init(
            _ name: String, by issuer: Holder? = nil,
            authority: BasicConstraints? = .isCertificateAuthority(maxPathLength: nil),
            usage: KeyUsage? = KeyUsage(keyCertSign: true), critical: ASN1ObjectIdentifier? = nil,
            besides: Certificate.Extension? = nil
        ) throws {
            let subject = try DistinguishedName { CommonName(name) }
            var extensions: [Certificate.Extension] = []
            if let authority { extensions.append(try Critical(authority).makeCertificateExtension()) }
            if let usage { extensions.append(try Critical(usage).makeCertificateExtension()) }
            if let critical { extensions.append(.init(oid: critical, critical: true, value: [5, 0])) }
            if let besides { extensions.append(besides) }
            certificate = try Certificate(
                version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(key.publicKey),
                notValidBefore: now - 100, notValidAfter: now + 100, issuer: issuer?.certificate.subject ?? subject,
                subject: subject, signatureAlgorithm: .ecdsaWithSHA256, extensions: Certificate.Extensions(extensions),
                issuerPrivateKey: .init(issuer?.key ?? key))
        }

        var pem: String {
            get throws { try certificate.serializeAsPEM().pemString }
        }
    }

    @Test func `one or more authorities are read`() throws {
        let (one, two) = (try Holder("one"), try Holder("two"))
        let roots = try #require(PinnedRoots(pem: one.pem + "\n" + two.pem))
        #expect(roots.contains(one.certificate))
        #expect(roots.contains(two.certificate))
        #expect(
            roots.digests
                == Set(try [one, two].map { Array(SHA256.hash(data: try $0.certificate.serializeAsPEM().derBytes)) }))
        let first = try #require(PinnedRoots(pem: one.pem))
        #expect(!first.contains(two.certificate))
    }

    @Test func `what isn't an authority's certificate is no root`() throws {
        let good = try Holder("good").pem
        let texts = [
            "", "no certificate", try Holder("leaf", authority: .notCertificateAuthority).pem,
            try Holder("nothing", authority: nil).pem, try Holder("usage", usage: KeyUsage(digitalSignature: true)).pem,
            try Holder("unknown", critical: [1, 2, 3]).pem, try good + Holder("leaf", authority: nil).pem,
            P256.Signing.PrivateKey().pemRepresentation, String(good.dropLast(40)),
            good + String(repeating: "\n", count: 65_536),
        ]
        for text in texts { #expect(PinnedRoots(pem: text) == nil) }
        #expect(try PinnedRoots(pem: Holder("everything", usage: nil).pem) != nil)
    }

    @Test func `a root issues what it signed, while it is valid`() throws {
        let root = try Holder("root")
        let roots = try #require(PinnedRoots(pem: root.pem))
        let leaf = try Holder("leaf", by: root, authority: .notCertificateAuthority, usage: nil).certificate
        for (time, isAccepted) in [(-101.0, false), (-100, true), (0, true), (100, true), (101, false)] {
            #expect(roots.issued(leaf, authoritiesBelow: 0, at: Self.now + time) == isAccepted)
        }
        // The same name, another key.
        let namesake = try Holder("root")
        let stranger = try Holder("leaf", by: namesake, authority: .notCertificateAuthority, usage: nil).certificate
        #expect(!roots.issued(stranger, authoritiesBelow: 0, at: Self.now))
    }

    @Test func `a root allows no more authorities below it than it says`() throws {
        for limit in [0, 1, 2] {
            let root = try Holder("root", authority: .isCertificateAuthority(maxPathLength: limit))
            let roots = try #require(PinnedRoots(pem: root.pem))
            let leaf = try Holder("leaf", by: root).certificate
            for count in 0...3 {
                #expect(roots.issued(leaf, authoritiesBelow: count, at: Self.now) == (count <= limit))
            }
        }
    }

    @Test func `a certificate of which something critical isn't understood may nothing`() throws {
        let strange = try Holder("strange", critical: [1, 2, 3]).certificate
        #expect(!strange.mayIssue(authoritiesBelow: 0))
        #expect(!strange.maySign)
        #expect(try Holder("all", usage: nil).certificate.maySign)
        #expect(try !Holder("authority").certificate.maySign)
    }

    @Test func `a certificate that constrains names may nothing, because nobody here obeys it`() throws {
        for one in [
            try NameConstraints(permittedDNSDomains: ["example.org"]).makeCertificateExtension(),
            try Critical(NameConstraints(permittedDNSDomains: ["example.org"])).makeCertificateExtension(),
        ] {
            let certificate = try Holder("constrained", usage: nil, besides: one).certificate
            // Not as operands of #expect, which prints them.
            let may = certificate.mayIssue(authoritiesBelow: 0) || certificate.maySign
            #expect(!may)
        }
    }

    @Test(arguments: [
        ASN1ObjectIdentifier.X509ExtensionID.subjectAlternativeName, .X509ExtensionID.extendedKeyUsage,
        .X509ExtensionID.subjectKeyIdentifier, .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage,
    ])
    func `a certificate with a malformed extension may nothing, whether or not it is critical`(
        _ name: ASN1ObjectIdentifier
    ) throws {
        for isCritical in [false, true] {
            let one = Certificate.Extension(oid: name, critical: isCritical, value: [5, 0])
            let certificate = try Holder("malformed", authority: nil, usage: nil, besides: one).certificate
            let may = certificate.maySign
            #expect(!may)
        }
    }

    @Test func `a signature counts only with the signer's name`() throws {
        let root = try Holder("root")
        let leaf = try Holder("leaf", by: root).certificate
        #expect(root.certificate.issued(leaf))
        #expect(!leaf.issued(root.certificate))
        #expect(!leaf.issued(leaf))
    }
}
