private import COpenSSL

// OpenSSL's contexts of hashes are plain structures, which are stored in place. EVP, which OpenSSL recommends, allocates a
// context for each hash and counts references to the algorithm across threads: three times the cost of a short hash. The
// functions are deprecated in 3.0, and all their uses are in this file. They fail only for a context of another algorithm.

/// SHA-256 (FIPS 180-4).
package struct SHA256: HashFunction {
    private var context = SHA256_CTX()

    /// The length of a block.
    package static var blockByteCount: Int { 64 }

    /// A hash of nothing so far.
    package init() { SHA256_Init(&context) }

    /// Adds bytes.
    package mutating func update(bufferPointer: UnsafeRawBufferPointer) {
        SHA256_Update(&context, bufferPointer.baseAddress, bufferPointer.count)
    }

    /// The digest of all bytes so far; more may follow.
    package func finalize() -> SHA256Digest {
        var context = context
        return SHA256Digest { SHA256_Final($0, &context) }
    }
}

/// SHA-384 (FIPS 180-4).
package struct SHA384: HashFunction {
    private var context = SHA512_CTX()

    /// The length of a block.
    package static var blockByteCount: Int { 128 }

    /// A hash of nothing so far.
    package init() { SHA384_Init(&context) }

    /// Adds bytes.
    package mutating func update(bufferPointer: UnsafeRawBufferPointer) {
        SHA384_Update(&context, bufferPointer.baseAddress, bufferPointer.count)
    }

    /// The digest of all bytes so far; more may follow.
    package func finalize() -> SHA384Digest {
        var context = context
        return SHA384Digest { SHA384_Final($0, &context) }
    }
}

/// SHA-512 (FIPS 180-4).
package struct SHA512: HashFunction {
    private var context = SHA512_CTX()

    /// The length of a block.
    package static var blockByteCount: Int { 128 }

    /// A hash of nothing so far.
    package init() { SHA512_Init(&context) }

    /// Adds bytes.
    package mutating func update(bufferPointer: UnsafeRawBufferPointer) {
        SHA512_Update(&context, bufferPointer.baseAddress, bufferPointer.count)
    }

    /// The digest of all bytes so far; more may follow.
    package func finalize() -> SHA512Digest {
        var context = context
        return SHA512Digest { SHA512_Final($0, &context) }
    }
}

/// Hash functions whose collisions are found in practice. Protocols that name them still need them.
package enum Insecure {
    /// MD5 (RFC 1321), for S3's Content-MD5.
    package struct MD5: HashFunction {
        private var context = MD5_CTX()

        /// The length of a block.
        package static var blockByteCount: Int { 64 }

        /// A hash of nothing so far.
        package init() { MD5_Init(&context) }

        /// Adds bytes.
        package mutating func update(bufferPointer: UnsafeRawBufferPointer) {
            MD5_Update(&context, bufferPointer.baseAddress, bufferPointer.count)
        }

        /// The digest of all bytes so far; more may follow.
        package func finalize() -> MD5Digest {
            var context = context
            return MD5Digest { MD5_Final($0, &context) }
        }
    }

    /// SHA-1 (FIPS 180-4), for one-time codes (RFC 6238).
    package struct SHA1: HashFunction {
        private var context = SHA_CTX()

        /// The length of a block.
        package static var blockByteCount: Int { 64 }

        /// A hash of nothing so far.
        package init() { SHA1_Init(&context) }

        /// Adds bytes.
        package mutating func update(bufferPointer: UnsafeRawBufferPointer) {
            SHA1_Update(&context, bufferPointer.baseAddress, bufferPointer.count)
        }

        /// The digest of all bytes so far; more may follow.
        package func finalize() -> SHA1Digest {
            var context = context
            return SHA1Digest { SHA1_Final($0, &context) }
        }
    }
}
