private import COpenSSL
package import SwiftASN1

/// A curve of NIST (FIPS 186-4, D.1.2).
package protocol EllipticCurve: Sendable {
    /// What is hashed with if a message is signed, not a digest.
    associatedtype Hash: HashFunction

    /// The curve's name in DER (RFC 5480, section 2.1.1.1).
    static var objectIdentifier: ASN1ObjectIdentifier { get }
    /// The length of a coordinate, and of the order.
    static var byteCount: Int { get }
    /// What OpenSSL knows of the curve.
    static var group: CurveGroup { get }
}

/// The curve P-256, or secp256r1, with SHA-256.
package enum P256: EllipticCurve {
    /// The hash function of its strength.
    package typealias Hash = SHA256
    /// Signatures by ECDSA.
    package typealias Signing = ECDSA<P256>

    /// The curve's name in DER.
    package static var objectIdentifier: ASN1ObjectIdentifier { .NamedCurves.secp256r1 }
    /// The length of a coordinate.
    package static var byteCount: Int { 32 }
    /// What OpenSSL knows of the curve.
    package static let group = CurveGroup(name: "P-256", identifier: NID_X9_62_prime256v1)
}

/// The curve P-384, or secp384r1, with SHA-384.
package enum P384: EllipticCurve {
    /// The hash function of its strength.
    package typealias Hash = SHA384
    /// Signatures by ECDSA.
    package typealias Signing = ECDSA<P384>

    /// The curve's name in DER.
    package static var objectIdentifier: ASN1ObjectIdentifier { .NamedCurves.secp384r1 }
    /// The length of a coordinate.
    package static var byteCount: Int { 48 }
    /// What OpenSSL knows of the curve.
    package static let group = CurveGroup(name: "P-384", identifier: NID_secp384r1)
}

/// The curve P-521, or secp521r1, with SHA-512.
package enum P521: EllipticCurve {
    /// The hash function of its strength.
    package typealias Hash = SHA512
    /// Signatures by ECDSA.
    package typealias Signing = ECDSA<P521>

    /// The curve's name in DER.
    package static var objectIdentifier: ASN1ObjectIdentifier { .NamedCurves.secp521r1 }
    /// The length of a coordinate.
    package static var byteCount: Int { 66 }
    /// What OpenSSL knows of the curve.
    package static let group = CurveGroup(name: "P-521", identifier: NID_secp521r1)
}

/// A curve of OpenSSL, which lives as long as the process.
package struct CurveGroup: @unchecked Sendable {
    let name: String
    // An EC_GROUP, and a key that has the curve and nothing else.
    private let group: OpaquePointer
    private let template: KeyHandle

    /// Ends the process if OpenSSL doesn't have the curve.
    init(name: String, identifier: Int32) {
        guard let group = EC_GROUP_new_by_curve_name(identifier),
            let template = try? KeyHandle(
                "EC", selection: shim_EVP_PKEY_KEY_PARAMETERS, [.text(OSSL_PKEY_PARAM_GROUP_NAME, name)])
        else { preconditionFailure("OpenSSL has no \(name)") }
        (self.name, self.group, self.template) = (name, group, template)
    }

    /// The key of an uncompressed point of the right length.
    ///
    /// A copy of the template costs a quarter of a new key. OpenSSL checks that the point is on the curve.
    func publicKey(_ point: [UInt8]) throws(CryptoKitError) -> KeyHandle {
        let key = try KeyHandle(owning: EVP_PKEY_dup(template.pointer))
        guard EVP_PKEY_set1_encoded_public_key(key.pointer, point, point.count) == 1 else {
            throw CryptoKitError.invalidParameter.afterOpenSSL()
        }
        return key
    }

    /// The key of a number, and its uncompressed point.
    /// - Throws: ``CryptoKitError/invalidParameter`` unless the number is at least 1 and less than the order.
    func privateKey(_ number: [UInt8]) throws(CryptoKitError) -> (key: KeyHandle, point: [UInt8]) {
        guard let scalar = BN_bin2bn(number, Int32(number.count), nil), let point = EC_POINT_new(group) else {
            throw .openSSL()
        }
        defer {
            BN_clear_free(scalar)
            EC_POINT_free(point)
        }
        guard BN_is_zero(scalar) == 0, BN_cmp(scalar, EC_GROUP_get0_order(group)) < 0 else { throw .invalidParameter }
        BN_set_flags(scalar, BN_FLG_CONSTTIME)
        var bytes = [UInt8](repeating: 0, count: 1 + 2 * number.count)
        guard EC_POINT_mul(group, point, scalar, nil, nil, nil) == 1,
            EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, nil) == bytes.count
        else { throw .openSSL() }
        let key = try KeyHandle(
            "EC", selection: shim_EVP_PKEY_KEYPAIR,
            [
                .text(OSSL_PKEY_PARAM_GROUP_NAME, name), .bytes(OSSL_PKEY_PARAM_PUB_KEY, bytes),
                .number(OSSL_PKEY_PARAM_PRIV_KEY, number),
            ])
        return (key, bytes)
    }

    /// A new random key, and its uncompressed point.
    func newKey() throws(CryptoKitError) -> (key: KeyHandle, point: [UInt8]) {
        let key = try KeyHandle(owning: shim_EVP_EC_gen(name))
        return (key, try key.bytes(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY))
    }
}
