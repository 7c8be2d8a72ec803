package import FoundationEssentials
internal import SwiftASN1

extension ECDSA.PublicKey {
    /// The key of a SubjectPublicKeyInfo (RFC 5480) of this curve, by name.
    package init(derRepresentation: some Sequence<UInt8>) throws {
        let info = try SubjectPublicKeyInfo(derEncoded: Array(derRepresentation))
        guard info.algorithm == .ecPublicKey(on: Curve.objectIdentifier) else { throw CryptoKitError.invalidParameter }
        try self.init(x963Representation: info.key)
    }

    /// The key of a text with one `PUBLIC KEY`.
    package init(pemRepresentation: String) throws {
        let document = try PEMDocument(pemString: pemRepresentation)
        guard document.discriminator == "PUBLIC KEY" else { throw CryptoKitError.invalidParameter }
        try self.init(derRepresentation: document.derBytes)
    }

    /// A SubjectPublicKeyInfo.
    package var derRepresentation: Data { Data(document.derBytes) }

    /// A `PUBLIC KEY`.
    package var pemRepresentation: String { document.pemString }

    private var document: PEMDocument {
        let info = SubjectPublicKeyInfo(algorithm: .ecPublicKey(on: Curve.objectIdentifier), key: point)
        return PEMDocument(type: "PUBLIC KEY", derBytes: info.derBytes)
    }
}

extension ECDSA.PrivateKey {
    /// The key of a text with one `PRIVATE KEY` (PKCS #8) or `EC PRIVATE KEY` (RFC 5915) of this curve.
    package init(pemRepresentation: String) throws {
        let document = try PEMDocument(pemString: pemRepresentation)
        switch document.discriminator {
        case "PRIVATE KEY":
            let info = try PrivateKeyInfo(derEncoded: document.derBytes)
            guard info.algorithm == .ecPublicKey(on: Curve.objectIdentifier) else {
                throw CryptoKitError.invalidParameter
            }
            try self.init(ECPrivateKeyFields(derEncoded: info.key), isNamed: true)
        case "EC PRIVATE KEY":
            try self.init(ECPrivateKeyFields(derEncoded: document.derBytes), isNamed: false)
        default: throw CryptoKitError.invalidParameter
        }
    }

    /// - Parameter isNamed: whether the curve is named outside, so that it needn't be inside.
    private init(_ fields: ECPrivateKeyFields, isNamed: Bool) throws {
        guard (fields.curve ?? (isNamed ? Curve.objectIdentifier : nil)) == Curve.objectIdentifier else {
            throw CryptoKitError.invalidParameter
        }
        try self.init(rawRepresentation: fields.privateKey)
        // The point follows from the number. A file with another is no key.
        guard fields.publicKey.map({ $0.elementsEqual(publicKey.point) }) ?? true else {
            throw CryptoKitError.invalidParameter
        }
    }

    /// PKCS #8.
    package var derRepresentation: Data { Data(document.derBytes) }

    /// A `PRIVATE KEY` (PKCS #8).
    package var pemRepresentation: String { document.pemString }

    private var document: PEMDocument {
        let fields = ECPrivateKeyFields(privateKey: number, publicKey: publicKey.point)
        let info = PrivateKeyInfo(algorithm: .ecPublicKey(on: Curve.objectIdentifier), key: fields.derBytes)
        return PEMDocument(type: "PRIVATE KEY", derBytes: info.derBytes)
    }
}
