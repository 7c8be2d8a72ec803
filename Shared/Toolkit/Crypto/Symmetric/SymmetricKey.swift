/// A secret of any length. It has no description, and two are compared in constant time.
package struct SymmetricKey: Hashable, Sendable {
    @usableFromInline let secret: SecretBytes

    /// The key of some bytes.
    @inlinable
    package init(data: some Sequence<UInt8>) {
        secret = data.withContiguousBytes { bytes in
            SecretBytes(byteCount: bytes.count) { $0.copyMemory(from: bytes) }
        }
    }

    /// A new random key.
    package init(size: SymmetricKeySize) {
        secret = SecretBytes(byteCount: size.bitCount / 8) { fillWithSecretRandomBytes($0) }
    }

    /// A key whose bytes the closure writes, all of which are 0 before.
    @inlinable
    init(byteCount: Int, _ fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        secret = try SecretBytes(byteCount: byteCount, fill)
    }

    /// The key's length.
    @inlinable package var bitCount: Int { secret.bytes.count * 8 }

    /// Gives the bytes without a copy.
    @inlinable
    package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try secret.withUnsafeBytes(body)
    }

    /// In constant time for keys of the same length.
    package static func == (left: SymmetricKey, right: SymmetricKey) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { equalInConstantTime(left, $0) } }
    }

    /// Of the key's bytes.
    package func hash(into hasher: inout Hasher) { withUnsafeBytes { hasher.combine(bytes: $0) } }
}

/// The length of a new key.
package struct SymmetricKeySize: Sendable {
    /// A multiple of 8.
    package let bitCount: Int

    /// 16 bytes.
    package static var bits128: SymmetricKeySize { SymmetricKeySize(bitCount: 128) }
    /// 32 bytes.
    package static var bits256: SymmetricKeySize { SymmetricKeySize(bitCount: 256) }
}
