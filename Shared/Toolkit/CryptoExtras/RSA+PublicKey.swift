internal import COpenSSL
package import Crypto
package import FoundationEssentials
internal import SwiftASN1

extension _RSA.Signing {
    /// A signature, as long as the modulus of its key.
    package struct RSASignature: Sendable {
        let bytes: [UInt8]

        /// Takes any bytes; the verification finds whether they are a signature.
        package init(rawRepresentation: some Sequence<UInt8>) { bytes = Array(rawRepresentation) }

        /// The bytes.
        package var rawRepresentation: Data { Data(bytes) }
    }

    /// A key that verifies.
    package struct PublicKey: Sendable {
        private let key: KeyHandle
        private let modulus: [UInt8]
        private let exponent: [UInt8]

        /// The key of a modulus of 2,048 bits or more and an exponent, the highest byte first.
        package init(n: some Collection<UInt8>, e: some Collection<UInt8>) throws {
            try self.init(n, e, allowed: KeySize.allowed)
        }

        /// OpenSSL takes any two numbers, also such as make every signature valid.
        private init(
            _ n: some Collection<UInt8>, _ e: some Collection<UInt8>, allowed: ClosedRange<Int>
        ) throws(CryptoKitError) {
            (modulus, exponent) = (Array(n.drop { $0 == 0 }), Array(e.drop { $0 == 0 }))
            guard allowed.contains(Self.bitCount(modulus)) else { throw .incorrectKeySize }
            // With the exponent 1 every padded digest signs itself. Exponents in use have up to 17 bits.
            guard modulus.last.map({ $0 & 1 == 1 }) ?? false, exponent.last.map({ $0 & 1 == 1 }) ?? false,
                exponent != [1], exponent.count <= 4
            else { throw .invalidParameter }
            key = try KeyHandle(
                "RSA", selection: shim_EVP_PKEY_PUBLIC_KEY, [.number("n", modulus), .number("e", exponent)])
        }

        /// The public half of a private key, whose length was checked.
        init(of key: KeyHandle) throws(CryptoKitError) {
            try self.init(key.number("n"), key.number("e"), allowed: PrivateKey.smallest...KeySize.allowed.upperBound)
        }

        /// The key of a SubjectPublicKeyInfo (RFC 3279, section 2.3.1), with 2,048 bits or more.
        package init(derRepresentation: some Sequence<UInt8>) throws {
            let info = try SubjectPublicKeyInfo(derEncoded: Array(derRepresentation))
            guard info.algorithm == .withNull(.AlgorithmIdentifier.rsaEncryption) else {
                throw CryptoKitError.invalidParameter
            }
            let fields = try RSAPublicKeyFields(derEncoded: info.key)
            guard let modulus = fields.modulus.magnitude, let exponent = fields.exponent.magnitude else {
                throw CryptoKitError.invalidParameter
            }
            try self.init(n: modulus, e: exponent)
        }

        /// A SubjectPublicKeyInfo.
        package var derRepresentation: Data { Data(document.derBytes) }

        /// A `PUBLIC KEY`.
        package var pemRepresentation: String { document.pemString }

        /// An RSAPublicKey (RFC 8017, section A.1.1), which a SubjectPublicKeyInfo contains.
        package var pkcs1DERRepresentation: Data { Data(fields.derBytes) }

        private var fields: RSAPublicKeyFields {
            RSAPublicKeyFields(modulus: ASN1Integer(magnitude: modulus), exponent: ASN1Integer(magnitude: exponent))
        }

        private var document: PEMDocument {
            let info = SubjectPublicKeyInfo(
                algorithm: .withNull(.AlgorithmIdentifier.rsaEncryption), key: fields.derBytes)
            return PEMDocument(type: "PUBLIC KEY", derBytes: info.derBytes)
        }

        /// The length of the modulus.
        package var keySizeInBits: Int { Self.bitCount(modulus) }

        /// The numbers of a public key, the highest byte first and without zeros in front.
        package struct Primitives: Sendable {
            /// n.
            package let modulus: Data
            /// e.
            package let publicExponent: Data
        }

        /// Modulus and exponent; it never throws.
        package func getKeyPrimitives() throws -> Primitives {
            Primitives(modulus: Data(modulus), publicExponent: Data(exponent))
        }

        /// Whether a signature over a digest of SHA-2 is this key's.
        package func isValidSignature(_ signature: RSASignature, for digest: some Digest, padding: Padding) -> Bool {
            signature.bytes.count == modulus.count
                && key.verifies(signature.bytes, digest) { padding.configure($0, for: digest) }
        }

        /// Whether a signature over the SHA-256 digest of a message is this key's.
        package func isValidSignature(
            _ signature: RSASignature, for data: some Collection<UInt8>, padding: Padding
        ) -> Bool {
            isValidSignature(signature, for: SHA256.hash(data: data), padding: padding)
        }

        private static func bitCount(_ number: [UInt8]) -> Int {
            number.first.map { number.count * 8 - $0.leadingZeroBitCount } ?? 0
        }
    }
}
