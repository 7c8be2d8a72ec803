package import FoundationEssentials

/// Authenticated encryption with associated data (RFC 5116), with nonces of 12 bytes and tags of 16.
package protocol AEAD: Sendable {
    /// The cipher for a key; throws for a key of another length.
    static func cipher(for key: SymmetricKey) throws(CryptoKitError) -> Cipher
}

extension AEAD {
    /// 12 bytes.
    package typealias Nonce = AEADNonce
    /// A message that was sealed by this algorithm.
    package typealias SealedBox = Crypto.SealedBox<Self>

    /// Encrypts a message.
    /// - Parameters:
    ///   - nonce: a new random one unless a protocol says which.
    ///   - data: what is authenticated with the message, but not encrypted.
    package static func seal(
        _ message: some Collection<UInt8>, using key: SymmetricKey, nonce: Nonce = Nonce(),
        authenticating data: some Collection<UInt8> = [UInt8]()
    ) throws -> SealedBox {
        let context = try CipherContext(cipher(for: key), .encryption, key: key, nonce: nonce.bytes)
        try data.withContiguousBytes { try context.authenticate($0) }
        return try message.withContiguousBytes { message in
            let end = Nonce.byteCount + message.count
            var sealed = Data(count: end + SealedBox.tagByteCount)
            try sealed.withUnsafeMutableBytes { sealed in
                sealed.copyBytes(from: nonce.bytes)
                try context.update(message, into: .init(rebasing: sealed[Nonce.byteCount..<end]))
                try context.finishEncryption(tag: .init(rebasing: sealed[end...]))
            }
            return SealedBox(unchecked: sealed)
        }
    }

    /// Decrypts a message.
    /// - Throws: ``CryptoKitError/authenticationFailure`` unless it was sealed with this key and data.
    package static func open(
        _ box: SealedBox, using key: SymmetricKey, authenticating data: some Collection<UInt8> = [UInt8]()
    ) throws -> Data {
        try box.bytes.withUnsafeBytes { sealed in
            let end = sealed.count - SealedBox.tagByteCount
            let nonce = Array(sealed[..<Nonce.byteCount])
            let context = try CipherContext(cipher(for: key), .decryption, key: key, nonce: nonce)
            try data.withContiguousBytes { try context.authenticate($0) }
            var message = Data(count: end - Nonce.byteCount)
            try message.withUnsafeMutableBytes {
                try context.update(.init(rebasing: sealed[Nonce.byteCount..<end]), into: $0)
            }
            try context.finishDecryption(tag: .init(rebasing: sealed[end...]))
            return message
        }
    }
}

/// ChaCha20-Poly1305 (RFC 8439), with keys of 256 bits.
package enum ChaChaPoly: AEAD {
    private static let cipher = Cipher("ChaCha20-Poly1305")

    /// The one cipher, for keys of 256 bits.
    package static func cipher(for key: SymmetricKey) throws(CryptoKitError) -> Cipher {
        guard key.bitCount == 256 else { throw .incorrectKeySize }
        return cipher
    }
}

/// The Advanced Encryption Standard (FIPS 197), with keys of 128 or 256 bits.
package enum AES {
    /// Galois/Counter Mode (NIST SP 800-38D).
    package enum GCM: AEAD {
        private static let mode = AESMode("GCM")

        /// The cipher for keys of this length.
        package static func cipher(for key: SymmetricKey) throws(CryptoKitError) -> Cipher { try mode.cipher(for: key) }
    }
}
