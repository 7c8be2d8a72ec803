private import COpenSSL

/// Fills a buffer with random bytes that may become public, such as a nonce.
///
/// Ends the process if there are none: nothing may go on with bytes that can be guessed.
package func fillWithRandomBytes(_ buffer: UnsafeMutableRawBufferPointer) {
    guard let start = buffer.baseAddress, buffer.count > 0 else { return }
    precondition(RAND_bytes_ex(nil, start.assumingMemoryBound(to: UInt8.self), buffer.count, 0) == 1, "no random bytes")
}

/// Fills a buffer with random bytes that stay secret, such as a key, from a generator of their own.
func fillWithSecretRandomBytes(_ buffer: UnsafeMutableRawBufferPointer) {
    guard let start = buffer.baseAddress, buffer.count > 0 else { return }
    precondition(
        RAND_priv_bytes_ex(nil, start.assumingMemoryBound(to: UInt8.self), buffer.count, 0) == 1, "no random bytes")
}
