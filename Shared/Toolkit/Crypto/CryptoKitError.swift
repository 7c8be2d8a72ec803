internal import COpenSSL

/// Why a cryptographic operation was refused. It never holds a key or a plaintext.
package enum CryptoKitError: Error, Hashable {
    /// A key has a length that the algorithm doesn't take.
    case incorrectKeySize
    /// Another parameter has a length that the algorithm doesn't take.
    case incorrectParameterSize
    /// A parameter isn't what it should be: a point that isn't on its curve, a number out of range, an unknown encoding.
    case invalidParameter
    /// A ciphertext, or what is authenticated with it, isn't what was sealed with this key.
    case authenticationFailure
    /// A wrapped key isn't one, or was wrapped with another key.
    case unwrapFailure
    /// OpenSSL failed, with its own words for it.
    case underlyingCoreCryptoError(String)

    /// What OpenSSL's queue of errors says about the call that has just failed; empties the queue.
    ///
    /// Whoever sees a call fail takes the error from the queue, so that the next call, perhaps of TLS, starts with an empty one.
    package static func openSSL() -> CryptoKitError {
        var text = [CChar](repeating: 0, count: 256)
        ERR_error_string_n(ERR_get_error(), &text, text.count)
        ERR_clear_error()
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return .underlyingCoreCryptoError(String(decoding: bytes, as: UTF8.self))
    }

    /// The error itself after OpenSSL's queue has been emptied; for failures that have a case of their own.
    package func afterOpenSSL() -> CryptoKitError {
        ERR_clear_error()
        return self
    }
}
