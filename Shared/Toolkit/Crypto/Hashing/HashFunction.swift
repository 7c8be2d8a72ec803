/// A hash function as a value: a copy hashes on by itself.
package protocol HashFunction: Sendable {
    associatedtype Digest: Crypto.Digest

    /// The number of bytes of the blocks that the function works on, which HMAC needs.
    static var blockByteCount: Int { get }

    init()

    mutating func update(bufferPointer: UnsafeRawBufferPointer)

    /// The digest of all bytes so far; more may follow.
    func finalize() -> Digest
}

extension HashFunction {
    /// The number of bytes of a digest.
    @inlinable package static var byteCount: Int { Digest.byteCount }

    /// The digest of some bytes.
    @inlinable
    package static func hash(data: some Collection<UInt8>) -> Digest {
        var function = Self()
        data.withContiguousBytes { function.update(bufferPointer: $0) }
        return function.finalize()
    }

    /// Appends bytes to what is hashed.
    @inlinable
    package mutating func update(data: some Collection<UInt8>) {
        data.withContiguousBytes { update(bufferPointer: $0) }
    }
}
