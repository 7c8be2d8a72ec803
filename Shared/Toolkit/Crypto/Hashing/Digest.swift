/// The result of a hash function.
///
/// Two digests are compared in constant time, since a digest may be an authentication code.
package protocol Digest: Hashable, Sendable, Sequence<UInt8>, CustomStringConvertible {
    /// The number of bytes.
    static var byteCount: Int { get }

    /// Gives the bytes without a copy.
    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R
}

extension Digest {
    @inlinable package func makeIterator() -> DigestIterator<Self> { DigestIterator(digest: self) }

    @inlinable package var underestimatedCount: Int { Self.byteCount }

    /// Gives the bytes without a copy.
    @inlinable
    package func withContiguousStorageIfAvailable<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R? {
        try withUnsafeBytes { try $0.withMemoryRebound(to: UInt8.self, body) }
    }

    /// In constant time.
    @inlinable
    package static func == (left: Self, right: Self) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { equalInConstantTime(left, $0) } }
    }

    /// Of the digest's bytes.
    package func hash(into hasher: inout Hasher) { withUnsafeBytes { hasher.combine(bytes: $0) } }

    /// Lower-case hexadecimal digits.
    package var description: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

/// Iterates over the bytes of a digest.
@frozen
package struct DigestIterator<D: Digest>: IteratorProtocol {
    @usableFromInline let digest: D
    @usableFromInline var position = 0

    @inlinable
    init(digest: D) { self.digest = digest }

    /// The next byte; nil after the last.
    @inlinable
    package mutating func next() -> UInt8? {
        guard position < D.byteCount else { return nil }
        defer { position += 1 }
        return digest.withUnsafeBytes { $0[position] }
    }
}

// One type for all lengths, generic over the number, isn't specialized by the compiler, which makes `Array(digest)` a
// hundred times as slow.

/// SHA-256's result.
@frozen
package struct SHA256Digest: Digest {
    @usableFromInline let bytes: InlineArray<32, UInt8>

    init(_ fill: (UnsafeMutablePointer<UInt8>) -> Void) { bytes = filled(fill) }

    @inlinable package static var byteCount: Int { 32 }

    /// Gives the bytes without a copy.
    @inlinable
    package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try bytes.span.withUnsafeBytes { try body($0) }
    }
}

/// SHA-384's result.
@frozen
package struct SHA384Digest: Digest {
    @usableFromInline let bytes: InlineArray<48, UInt8>

    init(_ fill: (UnsafeMutablePointer<UInt8>) -> Void) { bytes = filled(fill) }

    @inlinable package static var byteCount: Int { 48 }

    /// Gives the bytes without a copy.
    @inlinable
    package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try bytes.span.withUnsafeBytes { try body($0) }
    }
}

/// SHA-512's result.
@frozen
package struct SHA512Digest: Digest {
    @usableFromInline let bytes: InlineArray<64, UInt8>

    init(_ fill: (UnsafeMutablePointer<UInt8>) -> Void) { bytes = filled(fill) }

    @inlinable package static var byteCount: Int { 64 }

    /// Gives the bytes without a copy.
    @inlinable
    package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try bytes.span.withUnsafeBytes { try body($0) }
    }
}

extension Insecure {
    /// MD5's result.
    @frozen
    package struct MD5Digest: Digest {
        @usableFromInline let bytes: InlineArray<16, UInt8>

        init(_ fill: (UnsafeMutablePointer<UInt8>) -> Void) { bytes = filled(fill) }

        @inlinable package static var byteCount: Int { 16 }

        /// Gives the bytes without a copy.
        @inlinable
        package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
            try bytes.span.withUnsafeBytes { try body($0) }
        }
    }

    /// SHA-1's result.
    @frozen
    package struct SHA1Digest: Digest {
        @usableFromInline let bytes: InlineArray<20, UInt8>

        init(_ fill: (UnsafeMutablePointer<UInt8>) -> Void) { bytes = filled(fill) }

        @inlinable package static var byteCount: Int { 20 }

        /// Gives the bytes without a copy.
        @inlinable
        package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
            try bytes.span.withUnsafeBytes { try body($0) }
        }
    }
}

/// An array whose bytes the closure writes.
@inline(__always)
private func filled<let count: Int>(_ fill: (UnsafeMutablePointer<UInt8>) -> Void) -> InlineArray<count, UInt8> {
    var bytes = InlineArray<count, UInt8>(repeating: 0)
    var span = bytes.mutableSpan
    span.withUnsafeMutableBufferPointer { buffer in
        if let start = buffer.baseAddress { fill(start) }
    }
    return bytes
}
