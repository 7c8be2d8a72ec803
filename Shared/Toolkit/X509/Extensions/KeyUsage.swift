import SwiftASN1

/// What a certificate's key may do (RFC 5280, section 4.2.1.3).
package struct KeyUsage: Hashable, Sendable {
    /// To sign what is no certificate and no list of revoked ones.
    package let digitalSignature: Bool
    /// To sign what the signer must not deny.
    package let nonRepudiation: Bool
    /// To encrypt keys.
    package let keyEncipherment: Bool
    /// To encrypt data.
    package let dataEncipherment: Bool
    /// To agree on keys.
    package let keyAgreement: Bool
    /// To sign certificates.
    package let keyCertSign: Bool
    /// To sign lists of revoked certificates.
    package let cRLSign: Bool
    /// With ``keyAgreement``: to encrypt alone.
    package let encipherOnly: Bool
    /// With ``keyAgreement``: to decrypt alone.
    package let decipherOnly: Bool

    /// What isn't named isn't allowed.
    package init(
        digitalSignature: Bool = false, nonRepudiation: Bool = false, keyEncipherment: Bool = false,
        dataEncipherment: Bool = false, keyAgreement: Bool = false, keyCertSign: Bool = false, cRLSign: Bool = false,
        encipherOnly: Bool = false, decipherOnly: Bool = false
    ) {
        self.digitalSignature = digitalSignature
        self.nonRepudiation = nonRepudiation
        self.keyEncipherment = keyEncipherment
        self.dataEncipherment = dataEncipherment
        self.keyAgreement = keyAgreement
        self.keyCertSign = keyCertSign
        self.cRLSign = cRLSign
        self.encipherOnly = encipherOnly
        self.decipherOnly = decipherOnly
    }

    /// Reads the extension. Bits that have no name are refused: nobody knows what they would allow.
    package init(_ one: Certificate.Extension) throws {
        var bits = try ASN1BitString(derEncoded: one.value).namedBits
        guard bits.count <= 9 else { throw CertificateError.extensionValue }
        bits += [Bool](repeating: false, count: 9 - bits.count)
        self.init(
            digitalSignature: bits[0], nonRepudiation: bits[1], keyEncipherment: bits[2], dataEncipherment: bits[3],
            keyAgreement: bits[4], keyCertSign: bits[5], cRLSign: bits[6], encipherOnly: bits[7], decipherOnly: bits[8])
    }
}

extension KeyUsage: CertificateExtensionConvertible {
    package func makeCertificateExtension() throws -> Certificate.Extension {
        let bits = ASN1BitString(namedBits: [
            digitalSignature, nonRepudiation, keyEncipherment, dataEncipherment, keyAgreement, keyCertSign, cRLSign,
            encipherOnly, decipherOnly,
        ])
        return Certificate.Extension(oid: .X509ExtensionID.keyUsage, critical: false, value: bits.derBytes[...])
    }
}
