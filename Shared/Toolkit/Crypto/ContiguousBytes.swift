extension Sequence<UInt8> {
    /// Gives the bytes as one buffer: the sequence's own memory if it is contiguous, else a copy.
    @inlinable
    package func withContiguousBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        if let result = try withContiguousStorageIfAvailable({ try body(UnsafeRawBufferPointer($0)) }) {
            return result
        }
        return try ContiguousArray(self).withUnsafeBytes(body)
    }
}
