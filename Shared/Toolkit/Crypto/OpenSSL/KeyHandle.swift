private import COpenSSL

/// A key of OpenSSL and its one owner. The key isn't changed after it was made, so threads may share it.
package final class KeyHandle: @unchecked Sendable {
    /// An EVP_PKEY.
    package let pointer: OpaquePointer

    /// Takes a key over.
    /// - Throws: OpenSSL's error if the call that should have made it gave nil.
    package init(owning pointer: OpaquePointer?) throws(CryptoKitError) {
        guard let pointer else { throw .openSSL() }
        self.pointer = pointer
    }

    deinit { EVP_PKEY_free(pointer) }

    /// A number or a text that a key is made of, by OpenSSL's name for it.
    package enum Component {
        case text(String, String)
        case bytes(String, [UInt8])
        /// A number, the highest byte first.
        case number(String, [UInt8])
    }

    /// Makes a key from its components.
    /// - Parameters:
    ///   - type: OpenSSL's name for it: `EC` or `RSA`.
    ///   - selection: which components there are, as `EVP_PKEY_fromdata` names them.
    /// - Throws: if components are missing or impossible; OpenSSL doesn't check whether they belong together.
    package init(_ type: String, selection: Int32, _ components: [Component]) throws(CryptoKitError) {
        guard let builder = OSSL_PARAM_BLD_new() else { throw .openSSL() }
        defer { OSSL_PARAM_BLD_free(builder) }
        // The builder, and the parameters that it makes, point to what is added and to its names.
        var numbers: [OpaquePointer] = []
        var copies: [UnsafeMutableRawBufferPointer] = []
        defer {
            for number in numbers { BN_clear_free(number) }
            for copy in copies {
                OPENSSL_cleanse(copy.baseAddress, copy.count)
                copy.deallocate()
            }
        }
        func copied(_ bytes: some Collection<UInt8>) -> UnsafeMutableRawBufferPointer {
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
            copy.copyBytes(from: bytes)
            copies.append(copy)
            return copy
        }
        func copied(name: String) -> UnsafePointer<CChar>? {
            UnsafePointer(copied(name.utf8 + [0]).assumingMemoryBound(to: CChar.self).baseAddress)
        }
        for component in components {
            let status: Int32
            switch component {
            case .text(let name, let text):
                let (name, text) = (copied(name: name), copied(text.utf8))
                status = OSSL_PARAM_BLD_push_utf8_string(builder, name, text.baseAddress, text.count)
            case .bytes(let name, let bytes):
                let (name, bytes) = (copied(name: name), copied(bytes))
                status = OSSL_PARAM_BLD_push_octet_string(builder, name, bytes.baseAddress, bytes.count)
            case .number(let name, let bytes):
                let name = copied(name: name)
                guard let number = BN_bin2bn(bytes, Int32(bytes.count), nil) else { throw .openSSL() }
                numbers.append(number)
                status = OSSL_PARAM_BLD_push_BN(builder, name, number)
            }
            guard status == 1 else { throw .openSSL() }
        }
        guard let parameters = OSSL_PARAM_BLD_to_param(builder) else { throw .openSSL() }
        defer { OSSL_PARAM_free(parameters) }
        guard let context = EVP_PKEY_CTX_new_from_name(nil, type, nil) else { throw .openSSL() }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_fromdata_init(context) == 1, EVP_PKEY_fromdata(context, &key, selection, parameters) == 1,
            let key
        else { throw .openSSL() }
        pointer = key
    }

    /// A number of the key, the highest byte first, with zeros in front up to a length; without any, as short as it is.
    package func number(_ name: String, byteCount: Int? = nil) throws(CryptoKitError) -> [UInt8] {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(pointer, name, &number) == 1, let number else { throw .openSSL() }
        defer { BN_clear_free(number) }
        let count = byteCount ?? Int(BN_num_bits(number) + 7) / 8
        var bytes = [UInt8](repeating: 0, count: count)
        guard BN_bn2binpad(number, &bytes, Int32(count)) == Int32(count) else { throw .openSSL() }
        return bytes
    }

    /// Bytes of the key, such as a point; at most 256.
    package func bytes(_ name: String) throws(CryptoKitError) -> [UInt8] {
        var (bytes, count) = ([UInt8](repeating: 0, count: 256), 0)
        guard EVP_PKEY_get_octet_string_param(pointer, name, &bytes, bytes.count, &count) == 1 else { throw .openSSL() }
        return Array(bytes.prefix(count))
    }

    // MARK: Signatures

    /// Signs a digest.
    /// - Parameter configure: sets options of the EVP_PKEY_CTX; false is a failure of OpenSSL's.
    package func sign(
        _ digest: some Digest, _ configure: (OpaquePointer) -> Bool = { _ in true }
    ) throws(CryptoKitError) -> [UInt8] {
        guard let context = EVP_PKEY_CTX_new(pointer, nil) else { throw .openSSL() }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_sign_init(context) == 1, configure(context) else { throw .openSSL() }
        var count = Int(EVP_PKEY_get_size(pointer))
        var signature = [UInt8](repeating: 0, count: count)
        let status = digest.withUnsafeBytes { digest in
            EVP_PKEY_sign(
                context, &signature, &count, digest.baseAddress?.assumingMemoryBound(to: UInt8.self), digest.count)
        }
        guard status == 1 else { throw .openSSL() }
        return Array(signature.prefix(count))
    }

    /// Whether a signature over a digest is this key's.
    package func verifies(
        _ signature: [UInt8], _ digest: some Digest, _ configure: (OpaquePointer) -> Bool = { _ in true }
    ) -> Bool {
        guard let context = EVP_PKEY_CTX_new(pointer, nil) else { return false }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_verify_init(context) == 1, configure(context) else {
            ERR_clear_error()
            return false
        }
        let status = digest.withUnsafeBytes { digest in
            EVP_PKEY_verify(
                context, signature, signature.count, digest.baseAddress?.assumingMemoryBound(to: UInt8.self),
                digest.count)
        }
        if status != 1 { ERR_clear_error() }
        return status == 1
    }
}
