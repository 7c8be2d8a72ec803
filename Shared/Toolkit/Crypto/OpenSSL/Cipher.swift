private import COpenSSL

/// A cipher of OpenSSL, looked up once: to fetch it for each call costs more than a short message.
package struct Cipher: @unchecked Sendable {
    // An EVP_CIPHER, which OpenSSL never changes. It lives as long as the process.
    fileprivate let algorithm: OpaquePointer

    /// Ends the process if OpenSSL doesn't have the cipher.
    package init(_ name: String) {
        guard let algorithm = EVP_CIPHER_fetch(nil, name, nil) else { preconditionFailure("OpenSSL has no \(name)") }
        self.algorithm = algorithm
    }
}

/// AES in one mode, for each length of key.
package struct AESMode: Sendable {
    private let by128: Cipher
    private let by256: Cipher

    /// - Parameter mode: as OpenSSL's names end, for example `GCM`.
    package init(_ mode: String) {
        by128 = Cipher("AES-128-\(mode)")
        by256 = Cipher("AES-256-\(mode)")
    }

    /// The cipher for a key of 128 or 256 bits.
    package func cipher(for key: SymmetricKey) throws(CryptoKitError) -> Cipher {
        switch key.bitCount {
        case 128: by128
        case 256: by256
        default: throw .incorrectKeySize
        }
    }
}

/// One encryption or decryption.
package struct CipherContext: ~Copyable {
    /// What the context is for.
    package enum Direction: Int32 {
        case decryption = 0
        case encryption = 1
    }

    private let context: OpaquePointer

    /// - Parameters:
    ///   - key: of the cipher's length, which the caller has checked.
    ///   - nonce: of the cipher's length, or empty if it has none.
    ///   - wraps: whether the cipher is AES key wrap, which OpenSSL doesn't give without a flag.
    package init(
        _ cipher: Cipher, _ direction: Direction, key: SymmetricKey, nonce: [UInt8] = [], wraps: Bool = false
    ) throws(CryptoKitError) {
        guard let context = EVP_CIPHER_CTX_new() else { throw .openSSL() }
        if wraps { EVP_CIPHER_CTX_set_flags(context, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW) }
        let status = key.withUnsafeBytes { key in
            EVP_CipherInit_ex2(
                context, cipher.algorithm, key.baseAddress?.assumingMemoryBound(to: UInt8.self),
                nonce.isEmpty ? nil : nonce, direction.rawValue, nil)
        }
        guard status == 1 else {
            EVP_CIPHER_CTX_free(context)
            throw .openSSL()
        }
        // Whole blocks alone: who needs padding adds it.
        EVP_CIPHER_CTX_set_padding(context, 0)
        self.context = context
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Adds what is authenticated, but not encrypted.
    package func authenticate(_ bytes: UnsafeRawBufferPointer) throws(CryptoKitError) {
        guard !bytes.isEmpty else { return }
        _ = try update(bytes, into: nil)
    }

    /// Encrypts or decrypts as many bytes as there are into a buffer that has room for them.
    package func update(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(CryptoKitError) {
        precondition(output.count >= input.count, "the output has room for the input")
        guard !input.isEmpty else { return }
        guard try update(input, into: output.baseAddress) == input.count else { throw .incorrectParameterSize }
    }

    /// Wraps a key into a buffer with 8 bytes more.
    func wrap(_ key: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) throws(CryptoKitError) {
        precondition(output.count == key.count + 8, "a wrapped key is 8 bytes longer")
        guard try update(key, into: output.baseAddress) == output.count else { throw .incorrectParameterSize }
    }

    /// Unwraps a key into a buffer with 8 bytes less.
    func unwrap(_ wrapped: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) throws(CryptoKitError) {
        // OpenSSL writes a block beyond the key while it works.
        var room = [UInt8](repeating: 0, count: wrapped.count + 8)
        defer { room.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
        let count = try? room.withUnsafeMutableBytes { try update(wrapped, into: $0.baseAddress) }
        guard count == output.count else { throw .unwrapFailure }
        output.copyBytes(from: room.prefix(output.count))
    }

    private func update(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawPointer?
    ) throws(CryptoKitError) -> Int {
        guard let count = Int32(exactly: input.count) else { throw .incorrectParameterSize }
        var written: Int32 = 0
        let status = EVP_CipherUpdate(
            context, output?.assumingMemoryBound(to: UInt8.self), &written,
            input.baseAddress?.assumingMemoryBound(to: UInt8.self), count)
        guard status == 1 else { throw .openSSL() }
        return Int(written)
    }

    /// Ends an authenticated encryption: writes the tag.
    package func finishEncryption(tag: UnsafeMutableRawBufferPointer) throws(CryptoKitError) {
        var (none, written) = (UInt8(0), Int32(0))
        guard EVP_CipherFinal_ex(context, &none, &written) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), tag.baseAddress) == 1
        else { throw .openSSL() }
    }

    /// Ends an authenticated decryption: the plaintext mustn't be used before.
    package func finishDecryption(tag: UnsafeRawBufferPointer) throws(CryptoKitError) {
        var (none, written) = (UInt8(0), Int32(0))
        let expected = UnsafeMutableRawPointer(mutating: tag.baseAddress)
        guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), expected) == 1 else {
            throw .openSSL()
        }
        guard EVP_CipherFinal_ex(context, &none, &written) == 1 else {
            throw CryptoKitError.authenticationFailure.afterOpenSSL()
        }
    }
}
