private import COpenSSL
package import FoundationEssentials

/// The curve of RFC 7748.
package enum Curve25519 {
    /// X25519 (RFC 7748, section 5).
    package enum KeyAgreement {
        /// A key that agrees on a secret with a public one.
        package struct PrivateKey: Sendable {
            private let key: KeyHandle
            /// The half that others may know.
            package let publicKey: PublicKey

            /// A new random key.
            package init() {
                do {
                    try self.init(rawRepresentation: SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) })
                } catch {
                    preconditionFailure("any 32 bytes are a key")
                }
            }

            /// The key of any 32 bytes.
            package init(rawRepresentation: some Sequence<UInt8>) throws {
                let bytes = Array(rawRepresentation)
                guard bytes.count == 32 else { throw CryptoKitError.incorrectKeySize }
                key = try KeyHandle(owning: EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, bytes, 32))
                publicKey = try PublicKey(rawRepresentation: key.raw(EVP_PKEY_get_raw_public_key))
            }

            /// The 32 bytes that the key was made of.
            package var rawRepresentation: Data {
                guard let bytes = try? key.raw(EVP_PKEY_get_raw_private_key) else {
                    preconditionFailure("a private key has its bytes")
                }
                return Data(bytes)
            }

            /// The secret that both sides compute.
            /// - Throws: if it were zero, because the public key is of low order (RFC 7748, section 6.1).
            package func sharedSecretFromKeyAgreement(with publicKey: PublicKey) throws -> SharedSecret {
                guard let context = EVP_PKEY_CTX_new(key.pointer, nil) else { throw CryptoKitError.openSSL() }
                defer { EVP_PKEY_CTX_free(context) }
                let secret = try SymmetricKey(byteCount: 32) { secret in
                    var count = secret.count
                    guard EVP_PKEY_derive_init(context) == 1,
                        EVP_PKEY_derive_set_peer(context, publicKey.key.pointer) == 1,
                        EVP_PKEY_derive(
                            context, secret.baseAddress?.assumingMemoryBound(to: UInt8.self), &count) == 1,
                        count == secret.count
                    else { throw CryptoKitError.openSSL() }
                }
                return SharedSecret(secret: secret)
            }
        }

        /// The half of a key that others may know.
        package struct PublicKey: Sendable {
            fileprivate let key: KeyHandle
            let bytes: [UInt8]

            /// The key of any 32 bytes.
            package init(rawRepresentation: some Sequence<UInt8>) throws {
                bytes = Array(rawRepresentation)
                guard bytes.count == 32 else { throw CryptoKitError.incorrectKeySize }
                key = try KeyHandle(owning: EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nil, bytes, 32))
            }

            /// 32 bytes.
            package var rawRepresentation: Data { Data(bytes) }
        }
    }
}

/// What two keys agreed on. It isn't a key yet: one is derived from it.
package struct SharedSecret: Sendable {
    let secret: SymmetricKey

    /// Gives the bytes without a copy.
    package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try secret.withUnsafeBytes(body)
    }
}

extension KeyHandle {
    /// The 32 bytes of a raw key.
    fileprivate func raw(
        _ get: (OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>?) -> Int32
    ) throws(CryptoKitError) -> [UInt8] {
        var (bytes, count) = ([UInt8](repeating: 0, count: 32), 32)
        guard get(pointer, &bytes, &count) == 1, count == 32 else { throw .openSSL() }
        return bytes
    }
}
