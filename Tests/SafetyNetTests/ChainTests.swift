import Certificates
import CompactJOSE
import Crypto
import CryptoExtras
import DevelopmentAttestation
import Foundation
import SafetyNet
import SwiftASN1
import TestSupport
import Testing
import X509

/// The certificates that come with a statement, each wrong in one way.
@Suite(.heavy) struct ChainTests {
    /// A certificate and its key.
    private struct Holder {
        let certificate: Certificate
        let key: Certificate.PrivateKey

        var text: String {
            get throws { Data(try certificate.serializeAsPEM().derBytes).base64EncodedString() }
        }
    }

    private static var authority: [any CertificateExtensionConvertible] {
        [Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil)), Critical(KeyUsage(keyCertSign: true))]
    }
    private static var server: [any CertificateExtensionConvertible] {
        [
            Critical(BasicConstraints.notCertificateAuthority), Critical(KeyUsage(digitalSignature: true)),
            SubjectAlternativeNames([.dnsName("attest.android.com")]),
        ]
    }

    /// - Parameter issuer: nil for a certificate that signs itself.
    private static func holder(
        _ name: String, by issuer: Holder?,
        key: Certificate.PrivateKey = Certificate.PrivateKey(P256.Signing.PrivateKey()),
        validity: Range<Date> = Sample.validity, _ extensions: [any CertificateExtensionConvertible] = authority,
        claims issuerName: String? = nil, algorithm: Certificate.SignatureAlgorithm = .ecdsaWithSHA256
    ) throws -> Holder {
        let subject = try DistinguishedName { CommonName(name) }
        var all = Certificate.Extensions()
        for one in extensions { try all.append(one.makeCertificateExtension()) }
        return Holder(
            certificate: try Certificate(
                version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
                notValidBefore: validity.lowerBound, notValidAfter: validity.upperBound,
                issuer: issuerName.map { name in try DistinguishedName { CommonName(name) } }
                    ?? issuer?.certificate.subject ?? subject,
                subject: subject, signatureAlgorithm: algorithm, extensions: all,
                issuerPrivateKey: issuer?.key ?? key),
            key: key)
    }

    private static let signer = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    private static func leaf(
        by issuer: Holder?, validity: Range<Date> = Sample.validity,
        _ extensions: [any CertificateExtensionConvertible] = server, claims name: String? = nil
    ) throws -> Holder {
        let key = Certificate.PrivateKey(try signer.get())
        return try holder(
            "signer", by: issuer, key: key, validity: validity, extensions, claims: name,
            algorithm: issuer == nil ? .sha256WithRSAEncryption : .ecdsaWithSHA256)
    }

    private static func token(_ chain: [Holder]) throws -> String { try token(chain.map { try $0.text }) }

    private static func token(_ certificates: [String]) throws -> String {
        let list = certificates.map { "\"\($0)\"" }.joined(separator: ",")
        return try CompactJWS.text(
            header: "{\"alg\":\"RS256\",\"x5c\":[\(list)]}".utf8, payload: Sample.statement().json
        ) { try signer.get().signature(for: $0, padding: .insecurePKCS1v1_5).rawRepresentation }
    }

    private static func flaw(_ chain: [Holder], below root: Holder, at now: Date = Sample.now) throws -> SafetyNetFlaw?
    {
        let roots = try Sample.pinned(root.certificate.serializeAsPEM().pemString)
        return try Sample.flaw(of: token(chain), roots: roots, at: now)
    }

    @Test func `a chain of any length leads to its root, with or without it`() throws {
        let root = try Self.holder("root", by: nil)
        let first = try Self.holder("first", by: root)
        let second = try Self.holder("second", by: first)
        let third = try Self.holder("third", by: second)
        let direct = try Self.leaf(by: root)
        #expect(try Self.flaw([direct], below: root) == nil)
        #expect(try Self.flaw([direct, root], below: root) == nil)
        let signer = try Self.leaf(by: third)
        #expect(try Self.flaw([signer, third, second, first], below: root) == nil)
        #expect(try Self.flaw([signer, third, second, first, root], below: root) == nil)
        // A root may be one that others know by another certificate.
        #expect(try Self.flaw([signer, third, second, first], below: second) == nil)
    }

    @Test func `a chain with more than five certificates is refused`() throws {
        let root = try Self.holder("root", by: nil)
        let first = try Self.holder("first", by: root)
        #expect(try Self.flaw([Self.leaf(by: first), first, root, root, root], below: root) == nil)
        #expect(try Self.flaw([Self.leaf(by: first), first, root, root, root, root], below: root) == .unreadable)
    }

    @Test func `without certificates, and with what is none, a statement is unreadable`() throws {
        let root = try Self.holder("root", by: nil)
        let good = try Self.leaf(by: root).text
        let roots = try Sample.pinned(root.certificate.serializeAsPEM().pemString)
        for wrong in [
            [], [""], ["AAAA"], [good, ""], [good, "AAAA"], [String(good.dropLast(4))], ["\(good)AAAA"], [good + " "],
        ] {
            #expect(try Sample.flaw(of: Self.token(wrong), roots: roots) == .unreadable)
        }
        let inPieces = good.prefix(64) + "\\n" + good.dropFirst(64)
        #expect(try Sample.flaw(of: Self.token([String(inPieces)]), roots: roots) == .unreadable)
        let without = try CompactJWS.text(header: #"{"alg":"RS256"}"#.utf8, payload: Sample.statement().json) { _ in [1]
        }
        #expect(try Sample.flaw(of: without, roots: roots) == .unreadable)
    }

    @Test func `a certificate longer than the limit is unreadable`() throws {
        let root = try Self.holder("root", by: nil)
        let long = SubjectAlternativeNames(
            [.dnsName("attest.android.com")] + (0..<400).map { .dnsName("host\($0).example.com") })
        let signer = try Self.leaf(
            by: root,
            [Critical(BasicConstraints.notCertificateAuthority), Critical(KeyUsage(digitalSignature: true)), long])
        try #require(signer.text.utf8.count > 8192)
        #expect(try Self.flaw([signer], below: root) == .unreadable)
    }

    @Test func `a signer's key that isn't RSA with at least 2048 bits is unreadable`() throws {
        let root = try Self.holder("root", by: nil)
        let curve = try Self.holder("signer", by: root, Self.server)
        #expect(try Self.flaw([curve], below: root) == .unreadable)
        let small = try _RSA.Signing.PrivateKey(unsafeKeySize: _RSA.Signing.KeySize(bitCount: 1024))
        let weak = try Self.holder("signer", by: root, key: Certificate.PrivateKey(small), Self.server)
        #expect(try Self.flaw([weak], below: root) == .unreadable)
    }

    @Test func `a chain to another root, or to none, is refused`() throws {
        let root = try Self.holder("root", by: nil)
        let namesake = try Self.holder("root", by: nil)
        let first = try Self.holder("first", by: root)
        #expect(try Self.flaw([Self.leaf(by: first), first], below: namesake) == .chain)
        #expect(try Self.flaw([Self.leaf(by: first), first, root], below: namesake) == .chain)
        #expect(try Self.flaw([Self.leaf(by: first)], below: root) == .chain)
        #expect(try Self.flaw([Self.leaf(by: nil)], below: root) == .chain)
        let own = try Self.leaf(by: nil)
        #expect(try Self.flaw([own, own], below: root) == .chain)
    }

    @Test func `each certificate has to be signed by the next, and to name it`() throws {
        let root = try Self.holder("root", by: nil)
        let first = try Self.holder("first", by: root)
        let second = try Self.holder("second", by: first)
        let signer = try Self.leaf(by: second)
        for wrong in [
            [signer, first, second], [signer, first], [signer, second], [signer, root], [signer, second, root, first],
        ] {
            #expect(try Self.flaw(wrong, below: root) == .chain)
        }
        let impostor = try Self.holder("first", by: nil)
        #expect(try Self.flaw([Self.leaf(by: impostor), first], below: root) == .chain)
        #expect(try Self.flaw([Self.leaf(by: first, claims: "root"), first], below: root) == .chain)
        #expect(try Self.flaw([Self.leaf(by: root, claims: "first"), first], below: root) == .chain)
    }

    @Test func `every certificate has to be valid now`() throws {
        let early = Sample.now - 200..<Sample.now - 100
        let late = Sample.now + 100..<Sample.now + 200
        for validity in [early, late] {
            let root = try Self.holder("root", by: nil)
            let first = try Self.holder("first", by: root)
            #expect(try Self.flaw([Self.leaf(by: first, validity: validity), first], below: root) == .chain)
            let expired = try Self.holder("first", by: root, validity: validity)
            #expect(try Self.flaw([Self.leaf(by: expired), expired], below: root) == .chain)
            let old = try Self.holder("root", by: nil, validity: validity)
            let below = try Self.holder("first", by: old)
            #expect(try Self.flaw([Self.leaf(by: below), below], below: old) == .chain)
            #expect(try Self.flaw([Self.leaf(by: below), below], below: old, at: validity.lowerBound + 50) == nil)
        }
    }

    @Test func `only an authority issues certificates, and only with the right to`() throws {
        let root = try Self.holder("root", by: nil)
        for extensions in [
            Self.server, [], [Critical(KeyUsage(keyCertSign: true))],
            [
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil)),
                Critical(KeyUsage(digitalSignature: true)),
            ],
            [Critical(BasicConstraints.notCertificateAuthority), Critical(KeyUsage(keyCertSign: true))],
        ] as [[any CertificateExtensionConvertible]] {
            let first = try Self.holder("first", by: root, extensions)
            #expect(try Self.flaw([Self.leaf(by: first), first], below: root) == .chain)
        }
        let first = try Self.holder("first", by: root, [BasicConstraints.isCertificateAuthority(maxPathLength: 0)])
        #expect(try Self.flaw([Self.leaf(by: first), first], below: root) == nil)
    }

    @Test func `an authority's limit of those below it is kept`() throws {
        func authority(_ length: Int) -> [any CertificateExtensionConvertible] {
            [
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: length)),
                Critical(KeyUsage(keyCertSign: true)),
            ]
        }
        for (length, flaw) in [(0, SafetyNetFlaw.chain), (1, nil)] {
            let root = try Self.holder("root", by: nil)
            let first = try Self.holder("first", by: root, authority(length))
            let second = try Self.holder("second", by: first)
            #expect(try Self.flaw([Self.leaf(by: second), second, first], below: root) == flaw)
            let limited = try Self.holder("root", by: nil, authority(length))
            let below = try Self.holder("first", by: limited)
            #expect(try Self.flaw([Self.leaf(by: below), below], below: limited) == flaw)
            #expect(try Self.flaw([Self.leaf(by: limited)], below: limited) == nil)
        }
    }

    @Test func `a signer that may not sign, or with a condition that nobody understands, is refused`() throws {
        let root = try Self.holder("root", by: nil)
        let name = SubjectAlternativeNames([.dnsName("attest.android.com")])
        #expect(
            try Self.flaw([Self.leaf(by: root, [Critical(KeyUsage(keyEncipherment: true)), name])], below: root)
                == .chain)
        #expect(try Self.flaw([Self.leaf(by: root, [name])], below: root) == nil)
        let odd = Certificate.Extension(oid: [1, 2, 3, 4], critical: true, value: [5, 0])
        #expect(try Self.flaw([Self.leaf(by: root, [name, odd])], below: root) == .chain)
        let harmless = Certificate.Extension(oid: [1, 2, 3, 4], critical: false, value: [5, 0])
        #expect(try Self.flaw([Self.leaf(by: root, [name, harmless])], below: root) == nil)
        let first = try Self.holder("first", by: root, Self.authority + [odd])
        #expect(try Self.flaw([Self.leaf(by: first), first], below: root) == .chain)
        let constrained = try Self.holder(
            "first", by: root, Self.authority + [Critical(NameConstraints(permittedDNSDomains: ["example.com"]))])
        #expect(try Self.flaw([Self.leaf(by: constrained), constrained], below: root) == .chain)
    }

    @Test func `the signer's certificate has to be for Google's host`() throws {
        let root = try Self.holder("root", by: nil)
        let base: [any CertificateExtensionConvertible] = [
            Critical(BasicConstraints.notCertificateAuthority), Critical(KeyUsage(digitalSignature: true)),
        ]
        func flaw(_ names: [GeneralName]?) throws -> SafetyNetFlaw? {
            try Self.flaw(
                [Self.leaf(by: root, base + (names.map { [SubjectAlternativeNames($0)] } ?? []))], below: root)
        }
        for wrong in [
            nil, [], [.dnsName("example.com")], [.dnsName("*.android.com")],
            [.dnsName("attest.android.com.example.com")],
            [.dnsName("attest.android.com.")], [.rfc822Name("attest.android.com")],
            [.uniformResourceIdentifier("https://attest.android.com")], [.dnsName("evil.attest.android.com")],
        ] as [[GeneralName]?] {
            #expect(try flaw(wrong) == .host)
        }
        #expect(try flaw([.dnsName("example.com"), .dnsName("attest.android.com")]) == nil)
        #expect(try flaw([.dnsName("Attest.Android.com")]) == nil)
    }

    @Test func `a signature that is wrong counts before the host, and the chain before both`() throws {
        let root = try Self.holder("root", by: nil)
        let elsewhere = try Self.leaf(by: root, [SubjectAlternativeNames([.dnsName("example.com")])])
        let token = try Self.token([elsewhere])
        let roots = try Sample.pinned(root.certificate.serializeAsPEM().pemString)
        #expect(try Sample.flaw(of: token, roots: roots) == .host)
        let parts = token.split(separator: ".")
        let changed = "\(parts[0]).\(parts[1].dropLast(4)).\(parts[2])"
        #expect(try Sample.flaw(of: changed, roots: roots) == .forged)
        #expect(try Sample.flaw(of: changed) == .chain)
    }

    @Test func `what isn't an authority's certificate can't be pinned`() throws {
        let root = try Self.holder("root", by: nil)
        let pem = try root.certificate.serializeAsPEM().pemString
        let signer = try Self.leaf(by: root).certificate.serializeAsPEM().pemString
        for wrong in [
            "", "\n", String(pem.dropLast(30)), signer, "\(pem)\n\(signer)",
            P256.Signing.PrivateKey().pemRepresentation, String(repeating: "\(pem)\n", count: 200),
        ] {
            #expect(PinnedRoots(pem: wrong) == nil)
        }
        let other = try Self.holder("other", by: nil).certificate.serializeAsPEM().pemString
        let both = try Sample.pinned("\(other)\n\(pem)\n")
        #expect(try Sample.flaw(of: Self.token([Self.leaf(by: root)]), roots: both) == nil)
    }
}
