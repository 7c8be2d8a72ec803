package import Crypto
package import FoundationEssentials

extension AES {
    private static let blocks = AESMode("ECB")

    /// Encrypts one block of 16 bytes in place.
    ///
    /// The bare block cipher, for protocols that build on it: equal blocks give equal ciphertexts.
    package static func permute(_ payload: inout [UInt8], key: SymmetricKey) throws {
        guard payload.count == 16 else { throw CryptoKitError.incorrectParameterSize }
        let context = try CipherContext(blocks.cipher(for: key), .encryption, key: key)
        try payload.withUnsafeMutableBytes { try context.update(UnsafeRawBufferPointer($0), into: $0) }
    }

    /// Counter mode (NIST SP 800-38A, 6.5). It hides a message, but anyone can change it.
    package enum _CTR {
        private static let mode = AESMode("CTR")

        /// The first counter block: 16 bytes, which no two messages by one key share.
        package struct Nonce: Sendable {
            fileprivate let bytes: [UInt8]

            /// - Throws: for another number of bytes.
            package init(nonceBytes: some Collection<UInt8>) throws {
                bytes = try AES.block(nonceBytes)
            }
        }

        /// Encrypts a message, or decrypts it: both are the same.
        package static func encrypt(
            _ plaintext: some Collection<UInt8>, using key: SymmetricKey, nonce: Nonce
        ) throws -> Data {
            let context = try CipherContext(mode.cipher(for: key), .encryption, key: key, nonce: nonce.bytes)
            return try AES.update(context, plaintext)
        }
    }

    /// Cipher block chaining (NIST SP 800-38A, 6.2) with the padding of PKCS #7 (RFC 5652, 6.3).
    ///
    /// A message has to be authenticated before it is decrypted: otherwise whether its padding is right tells the plaintext.
    package enum _CBC {
        private static let mode = AESMode("CBC")

        /// The initialization vector: 16 bytes that nobody can foretell.
        package struct IV: Sendable {
            fileprivate let bytes: [UInt8]

            /// - Throws: for another number of bytes.
            package init(ivBytes: some Collection<UInt8>) throws {
                bytes = try AES.block(ivBytes)
            }
        }

        /// Pads and encrypts a message.
        package static func encrypt(_ plaintext: some Collection<UInt8>, using key: SymmetricKey, iv: IV) throws -> Data
        {
            let context = try CipherContext(mode.cipher(for: key), .encryption, key: key, nonce: iv.bytes)
            let padding = 16 - plaintext.count % 16
            return try AES.update(context, Array(plaintext) + Array(repeating: UInt8(padding), count: padding))
        }

        /// Decrypts a message and takes its padding off.
        package static func decrypt(_ ciphertext: some Collection<UInt8>, using key: SymmetricKey, iv: IV) throws
            -> Data
        {
            guard !ciphertext.isEmpty, ciphertext.count.isMultiple(of: 16) else {
                throw CryptoKitError.incorrectParameterSize
            }
            let context = try CipherContext(mode.cipher(for: key), .decryption, key: key, nonce: iv.bytes)
            let padded = try AES.update(context, ciphertext)
            guard let padding = padded.last, (1...16).contains(padding),
                padded.suffix(Int(padding)).allSatisfy({ $0 == padding })
            else { throw CryptoKitError.invalidParameter }
            return padded.dropLast(Int(padding))
        }
    }

    private static func block(_ bytes: some Collection<UInt8>) throws(CryptoKitError) -> [UInt8] {
        guard bytes.count == 16 else { throw .incorrectParameterSize }
        return Array(bytes)
    }

    private static func update(_ context: borrowing CipherContext, _ input: some Collection<UInt8>) throws -> Data {
        var output = Data(count: input.count)
        try input.withContiguousBytes { input in
            try output.withUnsafeMutableBytes { try context.update(input, into: $0) }
        }
        return output
    }
}
