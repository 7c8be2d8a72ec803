import Crypto
import SwiftASN1
import Testing
import X509

@Suite("Extensions of certificates") struct ExtensionTests {
    /// Extensions with one value, as encoded.
    private func extensions(_ oid: ASN1ObjectIdentifier, _ value: String) throws -> Certificate.Extensions {
        try Certificate.Extensions([.init(oid: oid, critical: false, value: hex(value)[...])])
    }

    /// Both of the errors are typed.
    private func expectRefused<T>(_ text: String, _ body: () throws -> T) {
        do {
            _ = try body()
            Issue.record("\(text) was read")
        } catch { #expect(error is ASN1Error || error is CertificateError) }
    }

    @Test("constraints of an authority")
    func basicConstraints() throws {
        func read(_ value: String) throws -> BasicConstraints? {
            try extensions(.X509ExtensionID.basicConstraints, value).basicConstraints
        }
        for (constraints, value) in [
            (.notCertificateAuthority, "3000"), (.isCertificateAuthority(maxPathLength: nil), "3003 0101FF"),
            (.isCertificateAuthority(maxPathLength: 0), "3006 0101FF 020100"),
            (.isCertificateAuthority(maxPathLength: 300), "3007 0101FF 0202012C"),
        ] as [(BasicConstraints, String)] {
            #expect(try constraints.makeCertificateExtension().value == hex(value)[...])
            #expect(try read(value) == constraints)
        }
        for value in [
            "", "3003 010100", "3003 020100", "3006 0101FF 0201FF", "3003 010101", "3006 020100 0101FF",
            "3009 0101FF 020100 020100", "3100", "3003 0101FF 00", "300F 0101FF 020A 01000000000000000000",
        ] { expectRefused(value) { try read(value) } }
        #expect(throws: CertificateError.extensionValue) {
            try BasicConstraints.isCertificateAuthority(maxPathLength: -1).makeCertificateExtension()
        }
        #expect(try Certificate.Extensions().basicConstraints == nil)
    }

    @Test("what a key may do")
    func keyUsage() throws {
        func read(_ value: String) throws -> KeyUsage? {
            try extensions(.X509ExtensionID.keyUsage, value).keyUsage
        }
        for (usage, value) in [
            (KeyUsage(), "030100"), (KeyUsage(digitalSignature: true), "03020780"),
            (KeyUsage(nonRepudiation: true), "03020640"), (KeyUsage(keyEncipherment: true), "03020520"),
            (KeyUsage(dataEncipherment: true), "03020410"), (KeyUsage(keyAgreement: true), "03020308"),
            (KeyUsage(keyCertSign: true), "03020204"), (KeyUsage(cRLSign: true), "03020102"),
            (KeyUsage(encipherOnly: true), "03020001"), (KeyUsage(decipherOnly: true), "0303070080"),
            (KeyUsage(keyCertSign: true, cRLSign: true), "03020106"),
            (KeyUsage(digitalSignature: true, decipherOnly: true), "0303078080"),
        ] {
            #expect(try usage.makeCertificateExtension().value == hex(value)[...])
            #expect(try read(value) == usage)
        }
        for value in [
            "", "0300", "03020080", "03020480", "0303060040", "030400000080", "0303000000", "04020780", "0302078000",
        ] { expectRefused(value) { try read(value) } }
    }

    @Test("for what a certificate may be shown")
    func extendedKeyUsage() throws {
        func read(_ value: String) throws -> ExtendedKeyUsage? {
            try extensions(.X509ExtensionID.extendedKeyUsage, value).extendedKeyUsage
        }
        let (server, client) = ("06082B06010505070301", "06082B06010505070302")
        let both = try ExtendedKeyUsage([.serverAuth, .clientAuth])
        #expect(try both.makeCertificateExtension().value == hex("3014" + server + client)[...])
        #expect(try read("3014" + server + client) == both)
        let one = try #require(try read("300A" + client))
        #expect(one.contains(.clientAuth) && !one.contains(.serverAuth))
        #expect(try read("3003 06012A")?.contains(.clientAuth) == false)
        for value in ["", "3000", "3014" + server + server, "310A" + server, "3003 0C0161", "300A" + client + "00"] {
            expectRefused(value) { try read(value) }
        }
        #expect(throws: CertificateError.extensionValue) { try ExtendedKeyUsage([.serverAuth, .serverAuth]) }
        #expect(throws: CertificateError.extensionValue) { try ExtendedKeyUsage([]) }
    }

    @Test("other names of the subject")
    func alternativeNames() throws {
        func read(_ value: String) throws -> [GeneralName]? {
            try extensions(.X509ExtensionID.subjectAlternativeName, value).subjectAlternativeNames.map(Array.init)
        }
        let directory = GeneralName.directoryName(try DistinguishedName { CommonName("a") })
        for (name, value) in [
            (.rfc822Name("a@b"), "3005 8103 614062"), (.dnsName("localhost"), "300B 8209 6C6F63616C686F7374"),
            (.dnsName(""), "3002 8200"), (.uniformResourceIdentifier("a:b"), "3005 8603 613A62"),
            (.ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])), "3006 8704 7F000001"),
            (.registeredID([1, 2, 3]), "3004 8802 2A03"), (directory, "3010 A40E 300C 310A 3008 0603550403 0C0161"),
        ] as [(GeneralName, String)] {
            #expect(try SubjectAlternativeNames([name]).makeCertificateExtension().value == hex(value)[...])
            #expect(try read(value) == [name])
        }
        // Forms that nobody asks for are kept.
        for value in ["300A A008 06022A03 A0020500", "3004 A302 3000", "3004 A502 3000"] {
            let names = try #require(try read(value))
            guard case .other? = names.first else {
                Issue.record("\(value) was read as something else")
                continue
            }
            #expect(try SubjectAlternativeNames(names).makeCertificateExtension().value == hex(value)[...])
        }
        for value in [
            "", "3000", "3003 0C0161", "3003 8201FF", "3003 820100", "3003 82010A", "3003 82017F", "3005 A203 0C0161",
            "3005 8703 7F0000", "3007 8705 7F00000100", "3002 8700", "3004 8402 3000", "3006 A404 3000 3000",
            "3003 8801 80", "3003 890161", "3002 A900", "3002 8000", "3003 820161 00",
        ] { expectRefused(value) { try read(value) } }
        for name in [
            GeneralName.dnsName("ä"), .dnsName("a\u{0}b"), .rfc822Name("a\n"), .uniformResourceIdentifier("\u{7F}"),
        ] {
            #expect(throws: CertificateError.extensionValue) {
                try SubjectAlternativeNames([name]).makeCertificateExtension()
            }
        }
        let wrongAddress = GeneralName.ipAddress(ASN1OctetString(contentBytes: [1, 2, 3]))
        #expect(throws: CertificateError.extensionValue) {
            try SubjectAlternativeNames([wrongAddress]).makeCertificateExtension()
        }
    }

    @Test("names of keys")
    func keyIdentifiers() throws {
        let key = P256.Signing.PrivateKey().publicKey
        let identifier = SubjectKeyIdentifier(hash: Certificate.PublicKey(key))
        #expect(Array(identifier.keyIdentifier) == Array(Insecure.SHA1.hash(data: Array(key.x963Representation))))
        let made = try identifier.makeCertificateExtension()
        #expect(made.value == ([4, 20] + identifier.keyIdentifier)[...])
        #expect(try Certificate.Extensions([made]).subjectKeyIdentifier == identifier)
        #expect(
            try AuthorityKeyIdentifier(keyIdentifier: identifier.keyIdentifier).makeCertificateExtension().value
                == ([0x30, 22, 0x80, 20] + identifier.keyIdentifier)[...])
        for value in ["", "0301 00", "2403 040101"] {
            expectRefused(value) { try extensions(.X509ExtensionID.subjectKeyIdentifier, value).subjectKeyIdentifier }
        }
    }

    @Test("the names that an authority may certify are written")
    func nameConstraints() throws {
        let one = try Critical(NameConstraints(permittedDNSDomains: ["a.b", "c"])).makeCertificateExtension()
        #expect(one.critical && one.oid == .X509ExtensionID.nameConstraints)
        #expect(one.value == hex("300E A00C 3005 8203 612E62 3003 8201 63")[...])
    }
}
