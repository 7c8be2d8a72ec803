private import COpenSSL
package import FoundationEssentials
internal import SwiftASN1

/// The elliptic curve digital signature algorithm (FIPS 186-4, section 6) on a curve.
package enum ECDSA<Curve: EllipticCurve> {
    /// A key that signs.
    package struct PrivateKey: Sendable {
        private let key: KeyHandle
        /// The half that others may know.
        package let publicKey: PublicKey

        /// A new random key. Ends the process if there are no random bytes.
        package init() {
            do {
                let made = try Curve.group.newKey()
                (key, publicKey) = (made.key, PublicKey(key: made.key, point: made.point))
            } catch {
                preconditionFailure("no new key on \(Curve.group.name)")
            }
        }

        /// The key of a number of the curve's length, the highest byte first.
        ///
        /// The number is at least 1 and less than the curve's order.
        package init(rawRepresentation: some Sequence<UInt8>) throws {
            let number = Array(rawRepresentation)
            guard number.count == Curve.byteCount else { throw CryptoKitError.incorrectKeySize }
            let made = try Curve.group.privateKey(number)
            (key, publicKey) = (made.key, PublicKey(key: made.key, point: made.point))
        }

        /// The number, the highest byte first.
        package var rawRepresentation: Data { Data(number) }

        var number: [UInt8] {
            guard let number = try? key.number(OSSL_PKEY_PARAM_PRIV_KEY, byteCount: Curve.byteCount) else {
                preconditionFailure("a private key has a number")
            }
            return number
        }

        /// Signs a digest.
        package func signature(for digest: some Digest) throws -> ECDSASignature {
            try ECDSASignature(derRepresentation: key.sign(digest))
        }

        /// Signs a message by the digest that belongs to the curve.
        package func signature(for data: some Collection<UInt8>) throws -> ECDSASignature {
            try signature(for: Curve.Hash.hash(data: data))
        }
    }

    /// A key that verifies.
    package struct PublicKey: Sendable {
        private let key: KeyHandle
        /// 0x04, x, y.
        let point: [UInt8]

        fileprivate init(key: KeyHandle, point: [UInt8]) { (self.key, self.point) = (key, point) }

        /// The key of an uncompressed point (SEC 1, section 2.3.4): 0x04 and the coordinates.
        ///
        /// Every other form, which OpenSSL would take too, is refused: compressed, hybrid, the point at infinity.
        package init(x963Representation: some Sequence<UInt8>) throws {
            point = Array(x963Representation)
            guard point.count == 1 + 2 * Curve.byteCount else { throw CryptoKitError.incorrectKeySize }
            guard point.first == 4 else { throw CryptoKitError.invalidParameter }
            key = try Curve.group.publicKey(point)
        }

        /// An uncompressed point (SEC 1, section 2.3.3): 0x04 and the coordinates.
        package var x963Representation: Data { Data(point) }

        /// The coordinates.
        package var rawRepresentation: Data { Data(point.dropFirst()) }

        /// A compressed point: 0x02 or 0x03 and the first coordinate.
        package var compressedRepresentation: Data {
            let isOdd = point[point.count - 1] & 1
            return Data([2 + isOdd] + point[1...Curve.byteCount])
        }

        /// Whether a signature over a digest is this key's.
        package func isValidSignature(_ signature: ECDSASignature, for digest: some Digest) -> Bool {
            key.verifies(signature.der, digest)
        }

        /// Whether a signature over a message is this key's, by the digest that belongs to the curve.
        package func isValidSignature(_ signature: ECDSASignature, for data: some Collection<UInt8>) -> Bool {
            isValidSignature(signature, for: Curve.Hash.hash(data: data))
        }
    }

    /// Two numbers. Whether they are less than the curve's order, the verification finds.
    package struct ECDSASignature: Sendable {
        private let numbers: [UInt8]

        /// Both numbers in the curve's length, the highest byte first, as JWS has them (RFC 7518, section 3.4).
        package init(rawRepresentation: some Sequence<UInt8>) throws {
            numbers = Array(rawRepresentation)
            guard numbers.count == 2 * Curve.byteCount else { throw CryptoKitError.incorrectParameterSize }
        }

        /// A sequence of both numbers in DER (RFC 3279, section 2.2.3), of which each signature has one form alone.
        package init(derRepresentation: some Sequence<UInt8>) throws {
            let fields = try ECDSASignatureFields(derEncoded: Array(derRepresentation))
            guard let r = fields.r.magnitude(paddedTo: Curve.byteCount),
                let s = fields.s.magnitude(paddedTo: Curve.byteCount)
            else { throw CryptoKitError.invalidParameter }
            numbers = r + s
        }

        /// Both numbers in the curve's length, the highest byte first.
        package var rawRepresentation: Data { Data(numbers) }

        /// A sequence of both numbers.
        package var derRepresentation: Data { Data(der) }

        fileprivate var der: [UInt8] {
            ECDSASignatureFields(
                r: ASN1Integer(magnitude: numbers.prefix(Curve.byteCount)),
                s: ASN1Integer(magnitude: numbers.suffix(Curve.byteCount))
            ).derBytes
        }
    }
}
