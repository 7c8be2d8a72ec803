internal import COpenSSL
internal import Running

/// A certificate, the chain to its authority, and the key, all in DER.
struct TLSIdentity: Sendable {
    let chain: [[UInt8]]
    let key: [UInt8]
}

extension TLSContext {
    /// What a server asks of its clients.
    enum ClientCertificate {
        /// Nothing.
        case none
        /// A certificate, if the client has one, of these authorities, whose names it is told.
        case optional([[UInt8]])
        /// A certificate of these authorities.
        case required([[UInt8]])
    }

    /// Who certifies the servers that a client trusts.
    enum ServerAuthorities {
        /// These.
        case certificates([[UInt8]])
        /// Those of the machine.
        case system
    }

    /// A server's context.
    static func server(
        _ identity: TLSIdentity, clients: ClientCertificate, minimum: Version, protocols: [String]
    ) throws(TLSFlaw) -> TLSContext {
        let context = try TLSContext(isServer: true, minimum: minimum, protocols: protocols)
        try context.use(identity)
        switch clients {
        case .none: break
        case .optional(let authorities):
            try context.trust(authorities)
            try context.tellNames(of: authorities)
            SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, nil)
        case .required(let authorities):
            try context.trust(authorities)
            SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        }
        return context
    }

    /// A client's context. The server's name is verified with each connection.
    static func client(
        _ identity: TLSIdentity?, trusting authorities: ServerAuthorities, minimum: Version, protocols: [String]
    ) throws(TLSFlaw) -> TLSContext {
        let context = try TLSContext(isServer: false, minimum: minimum, protocols: protocols)
        if let identity { try context.use(identity) }
        switch authorities {
        case .certificates(let certificates): try context.trust(certificates)
        case .system:
            guard SSL_CTX_set_default_verify_paths(context.pointer) == 1 else { throw .authorities }
        }
        SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, nil)
        return context
    }

    private func use(_ identity: TLSIdentity) throws(TLSFlaw) {
        defer { ERR_clear_error() }
        guard let own = identity.chain.first, SSL_CTX_use_certificate_ASN1(pointer, Int32(own.count), own) == 1 else {
            throw .certificate
        }
        for bytes in identity.chain.dropFirst() {
            // The context keeps a reference of its own.
            try withCertificate(bytes, .certificate) { shim_SSL_CTX_add1_chain_cert(pointer, $0) == 1 }
        }
        var start: UnsafePointer<UInt8>?
        let key = identity.key.withUnsafeBufferPointer {
            start = $0.baseAddress
            return d2i_AutoPrivateKey(nil, &start, $0.count)
        }
        guard let key else { throw .key }
        defer { EVP_PKEY_free(key) }
        guard SSL_CTX_use_PrivateKey(pointer, key) == 1, SSL_CTX_check_private_key(pointer) == 1 else { throw .pair }
    }

    private func trust(_ authorities: [[UInt8]]) throws(TLSFlaw) {
        let store = SSL_CTX_get_cert_store(pointer)
        for bytes in authorities {
            try withCertificate(bytes, .authorities) { X509_STORE_add_cert(store, $0) == 1 }
        }
    }

    private func tellNames(of authorities: [[UInt8]]) throws(TLSFlaw) {
        for bytes in authorities {
            try withCertificate(bytes, .authorities) { SSL_CTX_add_client_CA(pointer, $0) == 1 }
        }
    }

    private func withCertificate(
        _ bytes: [UInt8], _ flaw: TLSFlaw, _ use: (OpaquePointer) -> Bool
    ) throws(TLSFlaw) {
        defer { ERR_clear_error() }
        let certificate = bytes.withUnsafeBufferPointer {
            var start = $0.baseAddress
            return d2i_X509(nil, &start, $0.count)
        }
        guard let certificate else { throw flaw }
        defer { X509_free(certificate) }
        guard use(certificate) else { throw flaw }
    }
}
