import FoundationEssentials
import HTTPContract
import SwiftASN1
import TLS
import Testing
import X509

@Suite struct CertificateAuthorityTests {
    private let validity =
        Date(timeIntervalSince1970: 1_700_000_000)..<Date(timeIntervalSince1970: 1_800_000_000)

    @Test("a leaf carries name, role, hosts and addresses, and is signed by the authority")
    func leaf() throws {
        let authority = try CertificateAuthority.create(name: "Vigil", validity: validity)
        let identity = try authority.issueLeaf(
            commonName: "Laboratory 7", role: .lab, dnsNames: ["localhost", "lab"], ipAddresses: ["127.0.0.1", "::1"],
            validity: validity)
        let leaf = try Certificate(pemEncoded: identity.certificatePEM)
        let root = try Certificate(pemEncoded: authority.certificatePEM)
        #expect(root.publicKey.isValidSignature(leaf.signature, for: leaf))
        #expect(try Certificate.PrivateKey(pemEncoded: identity.privateKeyPEM).publicKey == leaf.publicKey)
        #expect(leaf.subject.description == "CN=Laboratory 7")
        let names = try #require(try leaf.extensions.subjectAlternativeNames)
        #expect(
            Array(names) == [
                .dnsName("localhost"), .dnsName("lab"),
                .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
                .ipAddress(ASN1OctetString(contentBytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])),
                .uniformResourceIdentifier("vigil:role:lab"),
            ])
        #expect(try leaf.extensions.basicConstraints == .notCertificateAuthority)
    }

    @Test("a leaf doesn't outlive its authority")
    func validityEnds() throws {
        let authority = try CertificateAuthority.create(name: "Vigil", validity: validity)
        let identity = try authority.issueLeaf(
            commonName: "a", role: nil, validity: validity.lowerBound..<validity.upperBound.addingTimeInterval(1000))
        #expect(try Certificate(pemEncoded: identity.certificatePEM).notValidAfter == validity.upperBound)
    }

    @Test("an authority that was saved issues again")
    func reload() throws {
        let authority = try CertificateAuthority.create(name: "Vigil", validity: validity)
        let again = try CertificateAuthority(
            certificatePEM: authority.certificatePEM, privateKeyPEM: authority.privateKeyPEM)
        let leaf = try Certificate(
            pemEncoded: again.issueLeaf(commonName: "a", role: .portal, validity: validity).certificatePEM)
        let root = try Certificate(pemEncoded: authority.certificatePEM)
        #expect(root.publicKey.isValidSignature(leaf.signature, for: leaf))
    }

    @Test("files that are no authority are refused")
    func wrongFiles() throws {
        let one = try CertificateAuthority.create(name: "One", validity: validity)
        let two = try CertificateAuthority.create(name: "Two", validity: validity)
        #expect(throws: CertificateAuthority.IssueProblem.self) {
            try CertificateAuthority(certificatePEM: one.certificatePEM, privateKeyPEM: two.privateKeyPEM)
        }
        #expect(throws: CertificateAuthority.IssueProblem.self) {
            try CertificateAuthority(certificatePEM: "", privateKeyPEM: two.privateKeyPEM)
        }
        #expect(throws: CertificateAuthority.IssueProblem.self) {
            try one.issueLeaf(commonName: "a", role: nil, ipAddresses: ["localhost"], validity: validity)
        }
    }
}
