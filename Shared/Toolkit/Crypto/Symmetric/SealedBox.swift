package import FoundationEssentials

/// A nonce of 12 bytes, for one message by one key: a second message by both would give both away.
package struct AEADNonce: Sendable, Sequence {
    let bytes: [UInt8]

    static let byteCount = 12

    /// A new random nonce.
    package init() {
        bytes = [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
            fillWithRandomBytes(UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: Self.byteCount))
            count = Self.byteCount
        }
    }

    /// A nonce of exactly 12 bytes.
    package init(data: some Sequence<UInt8>) throws(CryptoKitError) {
        bytes = Array(data)
        guard bytes.count == Self.byteCount else { throw .incorrectParameterSize }
    }

    init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    package func makeIterator() -> Array<UInt8>.Iterator { bytes.makeIterator() }
}

/// A message that was sealed: its nonce, ciphertext and tag.
package struct SealedBox<Algorithm: AEAD>: Sendable {
    static var tagByteCount: Int { 16 }

    /// Nonce, ciphertext and tag, one after the other.
    let bytes: Data

    /// The three parts, one after the other.
    package init(combined: some Sequence<UInt8>) throws(CryptoKitError) {
        bytes = Data(combined)
        guard bytes.count >= AEADNonce.byteCount + Self.tagByteCount else { throw .incorrectParameterSize }
    }

    /// The three parts. The tag has 16 bytes.
    package init(
        nonce: AEADNonce, ciphertext: some Sequence<UInt8>, tag: some Sequence<UInt8>
    ) throws(CryptoKitError) {
        let tag = Array(tag)
        guard tag.count == Self.tagByteCount else { throw .incorrectParameterSize }
        bytes = Data(nonce.bytes + Array(ciphertext) + tag)
    }

    init(unchecked bytes: Data) { self.bytes = bytes }

    /// 12 bytes.
    package var nonce: AEADNonce { AEADNonce(unchecked: Array(bytes.prefix(AEADNonce.byteCount))) }

    /// As long as the plaintext.
    package var ciphertext: Data { bytes.dropFirst(AEADNonce.byteCount).dropLast(Self.tagByteCount) }

    /// The authentication code: 16 bytes.
    package var tag: Data { bytes.suffix(Self.tagByteCount) }
}

extension SealedBox where Algorithm == AES.GCM {
    /// Nonce, ciphertext and tag, one after the other; never nil, since each nonce has 12 bytes.
    package var combined: Data? { bytes }
}

extension SealedBox where Algorithm == ChaChaPoly {
    /// Nonce, ciphertext and tag, one after the other.
    package var combined: Data { bytes }
}
