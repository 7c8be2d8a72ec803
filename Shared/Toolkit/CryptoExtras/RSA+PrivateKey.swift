internal import COpenSSL
package import Crypto
internal import SwiftASN1

extension _RSA.Signing {
    /// A key that signs.
    package struct PrivateKey: Sendable {
        private let key: KeyHandle
        /// The half that others may know.
        package let publicKey: PublicKey

        /// What even tests need no less of, in bits.
        static let smallest = 1024

        private static let components = [
            "n", "e", "d", "rsa-factor1", "rsa-factor2", "rsa-exponent1", "rsa-exponent2", "rsa-coefficient1",
        ]

        private init(_ key: KeyHandle) throws(CryptoKitError) {
            self.key = key
            publicKey = try PublicKey(of: key)
        }

        /// A new random key of 2,048 bits or more. It takes up to seconds.
        package init(keySize: KeySize) throws {
            guard keySize.bitCount >= KeySize.allowed.lowerBound else { throw CryptoKitError.incorrectKeySize }
            try self.init(unsafeKeySize: keySize)
        }

        /// A new random key of 1,024 bits or more, for tests of what refuses weak keys.
        package init(unsafeKeySize: KeySize) throws {
            guard (Self.smallest...KeySize.allowed.upperBound).contains(unsafeKeySize.bitCount) else {
                throw CryptoKitError.incorrectKeySize
            }
            try self.init(KeyHandle(owning: shim_EVP_RSA_gen(UInt32(unsafeKeySize.bitCount))))
        }

        /// The key of a text with one `PRIVATE KEY` (PKCS #8) or `RSA PRIVATE KEY`, with 2,048 bits or more.
        package init(pemRepresentation: String) throws {
            let document = try PEMDocument(pemString: pemRepresentation)
            switch document.discriminator {
            case "PRIVATE KEY":
                let info = try PrivateKeyInfo(derEncoded: document.derBytes)
                guard info.algorithm == .withNull(.AlgorithmIdentifier.rsaEncryption) else {
                    throw CryptoKitError.invalidParameter
                }
                try self.init(derRepresentation: info.key)
            case "RSA PRIVATE KEY": try self.init(derRepresentation: document.derBytes)
            default: throw CryptoKitError.invalidParameter
            }
        }

        /// The key of an RSAPrivateKey (RFC 8017, section A.1.2) with 2,048 bits or more.
        ///
        /// Its eight numbers have to belong together, which OpenSSL doesn't check by itself.
        package init(derRepresentation: some Sequence<UInt8>) throws {
            let fields = try RSAPrivateKeyFields(derEncoded: Array(derRepresentation))
            let numbers = fields.numbers.compactMap { $0.magnitude.map { Array($0) } }
            guard numbers.count == Self.components.count else { throw CryptoKitError.invalidParameter }
            // The length is checked before OpenSSL computes with the numbers.
            _ = try PublicKey(n: numbers[0], e: numbers[1])
            let components = zip(Self.components, numbers).map { KeyHandle.Component.number($0, $1) }
            try self.init(KeyHandle("RSA", selection: shim_EVP_PKEY_KEYPAIR, components))
            guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil) else {
                throw CryptoKitError.openSSL()
            }
            defer { EVP_PKEY_CTX_free(context) }
            guard EVP_PKEY_pairwise_check(context) == 1 else { throw CryptoKitError.invalidParameter.afterOpenSSL() }
        }

        /// A `PRIVATE KEY` (PKCS #8).
        package var pkcs8PEMRepresentation: String {
            let numbers = Self.components.map { name in
                guard let number = try? key.number(name) else { preconditionFailure("a private key has its numbers") }
                return ASN1Integer(magnitude: number)
            }
            let info = PrivateKeyInfo(
                algorithm: .withNull(.AlgorithmIdentifier.rsaEncryption),
                key: RSAPrivateKeyFields(numbers: numbers).derBytes)
            return PEMDocument(type: "PRIVATE KEY", derBytes: info.derBytes).pemString
        }

        /// Signs a digest of SHA-2.
        package func signature(for digest: some Digest, padding: Padding) throws -> RSASignature {
            RSASignature(rawRepresentation: try key.sign(digest) { padding.configure($0, for: digest) })
        }

        /// Signs the SHA-256 digest of a message.
        package func signature(for data: some Collection<UInt8>, padding: Padding) throws -> RSASignature {
            try signature(for: SHA256.hash(data: data), padding: padding)
        }
    }
}
