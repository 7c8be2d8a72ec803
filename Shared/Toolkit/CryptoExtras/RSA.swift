internal import COpenSSL
internal import Crypto

/// RSA (RFC 8017).
package enum _RSA {
    /// Signatures by RSA. New protocols use ECDSA.
    package enum Signing {
        /// The length of a modulus.
        package struct KeySize: Sendable {
            /// In bits.
            package let bitCount: Int

            /// As strong as 112 bits (NIST SP 800-57, part 1, table 2).
            package static let bits2048 = KeySize(bitCount: 2048)
            /// As strong as 128 bits.
            package static let bits3072 = KeySize(bitCount: 3072)

            /// Any length; whether it is allowed, the key finds.
            package init(bitCount: Int) { self.bitCount = bitCount }

            /// What keys may have. Shorter ones are too weak, and longer ones OpenSSL doesn't verify with.
            static let allowed = 2048...16384
        }

        /// How a digest becomes a number.
        package struct Padding: Sendable {
            fileprivate let isPSS: Bool

            /// PKCS #1, version 1.5 (section 9.2), which most protocols still name.
            package static let insecurePKCS1v1_5 = Padding(isPSS: false)
            /// The probabilistic scheme (section 9.1), with a salt as long as the digest.
            package static let PSS = Padding(isPSS: true)

            /// Tells OpenSSL the padding and hash function; false if the digest is of one that isn't taken.
            func configure(_ context: OpaquePointer, for digest: some Digest) -> Bool {
                let hash: OpaquePointer?
                // By the lengths, which no two of them share. Collisions of MD5 and SHA-1 are found in practice.
                switch type(of: digest).byteCount {
                case SHA256.byteCount: hash = EVP_sha256()
                case SHA384.byteCount: hash = EVP_sha384()
                case SHA512.byteCount: hash = EVP_sha512()
                default: return false
                }
                guard EVP_PKEY_CTX_set_rsa_padding(context, isPSS ? RSA_PKCS1_PSS_PADDING : RSA_PKCS1_PADDING) == 1,
                    EVP_PKEY_CTX_set_signature_md(context, hash) == 1
                else { return false }
                return !isPSS || EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1
            }
        }
    }
}
