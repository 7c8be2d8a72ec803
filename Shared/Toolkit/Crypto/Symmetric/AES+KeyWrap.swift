package import FoundationEssentials

extension AES {
    /// The key wrap algorithm (RFC 3394): a key under another key, without a nonce.
    package enum KeyWrap {
        private static let mode = AESMode("WRAP")

        /// Wraps a key of at least 16 bytes, a multiple of 8.
        /// - Returns: 8 bytes more than the key has.
        package static func wrap(_ keyToWrap: SymmetricKey, using key: SymmetricKey) throws -> Data {
            let count = keyToWrap.bitCount / 8
            guard count >= 16, count.isMultiple(of: 8) else { throw CryptoKitError.incorrectParameterSize }
            let context = try CipherContext(mode.cipher(for: key), .encryption, key: key, wraps: true)
            var wrapped = Data(count: count + 8)
            try keyToWrap.withUnsafeBytes { plain in
                try wrapped.withUnsafeMutableBytes { try context.wrap(plain, into: $0) }
            }
            return wrapped
        }

        /// The key that was wrapped.
        /// - Throws: ``CryptoKitError/unwrapFailure`` unless it was wrapped with this key.
        package static func unwrap(_ wrapped: some Collection<UInt8>, using key: SymmetricKey) throws -> SymmetricKey {
            let count = wrapped.count
            guard count >= 24, count.isMultiple(of: 8) else { throw CryptoKitError.incorrectParameterSize }
            let context = try CipherContext(mode.cipher(for: key), .decryption, key: key, wraps: true)
            return try SymmetricKey(byteCount: count - 8) { plain in
                try wrapped.withContiguousBytes { try context.unwrap($0, into: plain) }
            }
        }
    }
}
