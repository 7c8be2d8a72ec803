import Crypto
import Foundation
import SwiftASN1
import X509

/// A certificate with its key, which signs itself unless somebody else does.
struct Holder {
    let certificate: Certificate
    let key: Certificate.PrivateKey

    static let validity = Date(timeIntervalSince1970: 1_700_000_000)..<Date(timeIntervalSince1970: 2_000_000_000)

    /// - Parameter extensions: those of an authority if nil.
    init(
        _ name: String, by issuer: Holder? = nil,
        key: Certificate.PrivateKey = Certificate.PrivateKey(P256.Signing.PrivateKey()),
        validity: Range<Date> = Self.validity, algorithm: Certificate.SignatureAlgorithm = .ecdsaWithSHA256,
        extensions: Certificate.Extensions? = nil
    ) throws {
        self.key = key
        let subject = try DistinguishedName { CommonName(name) }
        certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: validity.lowerBound, notValidAfter: validity.upperBound,
            issuer: issuer?.certificate.subject ?? subject, subject: subject, signatureAlgorithm: algorithm,
            extensions: extensions
                ?? Certificate.Extensions {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                    Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                    SubjectKeyIdentifier(hash: key.publicKey)
                }, issuerPrivateKey: issuer?.key ?? key)
    }

    var pem: String {
        get throws { try certificate.serializeAsPEM().pemString + "\n" }
    }

    var der: [UInt8] {
        get throws { try certificate.serializeAsPEM().derBytes }
    }
}

/// Bytes from hexadecimal digits, between which spaces may stand.
func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap { $0.hexDigitValue.map(UInt8.init) }
    precondition(digits.count.isMultiple(of: 2))
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// An element around others.
func element(_ identifier: ASN1Identifier, _ content: [UInt8]...) -> [UInt8] {
    var writer = DER.Serializer()
    writer.appendConstructedNode(identifier: identifier) { writer in
        for part in content { writer.serializeRawBytes(part) }
    }
    return writer.serializedBytes
}
