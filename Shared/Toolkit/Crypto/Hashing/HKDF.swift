/// Derives keys from a secret (RFC 5869).
package struct HKDF<H: HashFunction> {
    /// Extracts and expands.
    /// - Parameters:
    ///   - inputKeyMaterial: the secret.
    ///   - salt: not secret; none is as good as zeros.
    ///   - info: the purpose. Keys for different purposes don't tell of each other.
    ///   - outputByteCount: at most 255 times the digest's length.
    @inlinable
    package static func deriveKey(
        inputKeyMaterial: SymmetricKey, salt: some Collection<UInt8> = [UInt8](),
        info: some Collection<UInt8> = [UInt8](), outputByteCount: Int
    ) -> SymmetricKey {
        expand(
            pseudoRandomKey: extract(inputKeyMaterial: inputKeyMaterial, salt: salt), info: info,
            outputByteCount: outputByteCount)
    }

    /// The first step: a uniform key of the digest's length.
    @inlinable
    package static func extract(
        inputKeyMaterial: SymmetricKey, salt: some Collection<UInt8> = [UInt8]()
    ) -> HMAC<H>.MAC {
        inputKeyMaterial.withUnsafeBytes { HMAC<H>.authenticationCode(for: $0, using: SymmetricKey(data: salt)) }
    }

    /// The second step: as many bytes as are wanted, at most 255 times the digest's length.
    @inlinable
    package static func expand(
        pseudoRandomKey: some Sequence<UInt8>, info: some Collection<UInt8> = [UInt8](), outputByteCount: Int
    ) -> SymmetricKey {
        let blocks = (outputByteCount + H.byteCount - 1) / H.byteCount
        precondition((0...255).contains(blocks), "HKDF gives at most 255 digests")
        let start = HMAC<H>(key: SymmetricKey(data: pseudoRandomKey))
        return SymmetricKey(byteCount: outputByteCount) { output in
            var previous: HMAC<H>.MAC?
            for number in 0..<blocks {
                var block = start
                previous?.withUnsafeBytes { block.update(data: $0) }
                block.update(data: info)
                block.update(data: CollectionOfOne(UInt8(number + 1)))
                let code = block.finalize()
                let place = output[(number * H.byteCount)..<min((number + 1) * H.byteCount, outputByteCount)]
                code.withUnsafeBytes {
                    UnsafeMutableRawBufferPointer(rebasing: place).copyMemory(
                        from: .init(rebasing: $0.prefix(place.count)))
                }
                previous = code
            }
        }
    }
}
