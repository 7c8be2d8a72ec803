private import COpenSSL

/// Secret bytes, which are overwritten before their memory is given back, so that they aren't found in what reuses it.
@usableFromInline
final class SecretBytes: @unchecked Sendable {
    // Written by the initializer alone.
    @usableFromInline let bytes: UnsafeMutableRawBufferPointer

    /// Memory that the closure fills, all zeros before.
    @usableFromInline
    init(byteCount: Int, _ fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        bytes = .allocate(byteCount: byteCount, alignment: 8)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        // What throws here leaves the freeing to `deinit`, since all properties are set.
        try fill(bytes)
    }

    deinit {
        OPENSSL_cleanse(bytes.baseAddress, bytes.count)
        bytes.deallocate()
    }

    @usableFromInline
    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        // The object must outlive the body: nothing else holds the memory.
        try withExtendedLifetime(self) { try body(UnsafeRawBufferPointer(bytes)) }
    }
}
