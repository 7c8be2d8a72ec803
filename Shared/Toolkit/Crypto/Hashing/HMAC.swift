/// A keyed hash (RFC 2104).
@frozen
package struct HMAC<H: HashFunction>: Sendable {
    /// An authentication code. Two are compared in constant time.
    package typealias MAC = H.Digest

    @usableFromInline var inner: H
    @usableFromInline var outer: H

    /// A key of any length; what is longer than a block of the hash function is hashed first.
    // Inlined where H is known. Otherwise the type is looked up at run time, which costs as much as a hash.
    @inlinable
    @inline(__always)
    package init(key: SymmetricKey) {
        (inner, outer) = (H(), H())
        key.withUnsafeBytes { bytes in
            guard bytes.count > H.blockByteCount else { return start(bytes) }
            H.hash(data: bytes).withUnsafeBytes { start($0) }
        }
    }

    /// Hashes the block of the padded key, which both hashes begin with.
    @inlinable
    mutating func start(_ key: UnsafeRawBufferPointer) {
        withUnsafeTemporaryAllocation(byteCount: H.blockByteCount, alignment: 8) { block in
            block.initializeMemory(as: UInt8.self, repeating: 0x36)
            for index in key.indices { block[index] ^= key[index] }
            inner.update(bufferPointer: UnsafeRawBufferPointer(block))
            for index in block.indices { block[index] ^= 0x36 ^ 0x5C }
            outer.update(bufferPointer: UnsafeRawBufferPointer(block))
            block.initializeMemory(as: UInt8.self, repeating: 0)
        }
    }

    /// Appends bytes to what is authenticated.
    @inlinable
    package mutating func update(data: some Collection<UInt8>) { inner.update(data: data) }

    /// The code of all bytes so far.
    @inlinable
    package func finalize() -> MAC {
        var outer = outer
        inner.finalize().withUnsafeBytes { outer.update(bufferPointer: $0) }
        return outer.finalize()
    }

    /// The code of some bytes.
    @inlinable
    package static func authenticationCode(for data: some Collection<UInt8>, using key: SymmetricKey) -> MAC {
        var code = HMAC(key: key)
        code.update(data: data)
        return code.finalize()
    }

    /// Whether a code is the one of these bytes; compares in constant time.
    @inlinable
    package static func isValidAuthenticationCode(
        _ code: some Sequence<UInt8>, authenticating data: some Collection<UInt8>, using key: SymmetricKey
    ) -> Bool {
        let expected = authenticationCode(for: data, using: key)
        return expected.withUnsafeBytes { expected in
            code.withContiguousBytes { equalInConstantTime($0, expected) }
        }
    }
}

/// Whether two buffers are the same, in a time that depends on their lengths alone.
@inlinable
package func equalInConstantTime(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
}
