internal import COpenSSL
package import Loop
internal import Running

/// What the connections of one listener or one client have in common: certificates, trust and rules (OpenSSL's `SSL_CTX`).
///
/// All contexts have the same rules where nothing else is said: TLS 1.3 with its own suites, and TLS 1.2 with AEAD and forward
/// secrecy alone (RFC 9325, 4.2); no resumption, since tickets and remembered sessions would show that two connections belong to
/// one caller (RFC 8446, C.4), and would outlive certificates; no renegotiation; at most ``mostKeyUpdates`` changes of keys; no
/// signatures with SHA-1 and no keys below 112 bits of strength (security level 2); chains of at most four certificates between the
/// peer's and the authority.
///
/// `@unchecked Sendable`: OpenSSL's context may be used by all threads once it is complete, and nothing changes it later.
package final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer
    /// The names of application protocols in their wire form (RFC 7301, 3.1), at an address that stays.
    private let protocols: UnsafeMutableBufferPointer<UInt8>

    /// The suites of TLS 1.2: one for each kind of key.
    ///
    /// It is the suite that HTTP/2 requires (RFC 9113, 9.2.2), and the same for ECDSA. A single suite leaves nothing to downgrade to,
    /// and makes phones harder to distinguish. Neither uses CBC, whose padding is vulnerable to the Lucky Thirteen attack.
    private static let serverSuites = "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256"
    /// The suites of TLS 1.2 for servers of others.
    private static let clientSuites = "ECDHE+AESGCM:ECDHE+CHACHA20"
    private static let suites = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
    /// OpenSSL has the hybrid one from 3.5 on, and then also knows the asterisk: a client sends a share of both, so that a server
    /// without the hybrid one needs no second greeting (`SSL_CTX_set1_groups_list(3)`).
    private static let groups = ["*X25519MLKEM768:*X25519:P-256:P-384", "X25519:P-256:P-384"]
    /// A change of keys costs a peer a few bytes and us a computation, for which other connections wait. Who sends as much as one
    /// change allows needs none in years.
    static let mostKeyUpdates = 32

    /// A version of TLS.
    enum Version {
        case tls12
        case tls13
    }

    /// - Throws: ``TLSFlaw/library`` if OpenSSL can't do what every context needs.
    init(isServer: Bool, minimum: Version, protocols names: [String]) throws(TLSFlaw) {
        guard let pointer = SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method()) else {
            throw TLSFlaw.library
        }
        self.pointer = pointer
        let wire = names.flatMap { [UInt8(truncatingIfNeeded: $0.utf8.count)] + Array($0.utf8) }
        protocols = .allocate(capacity: wire.count)
        _ = protocols.initialize(from: wire)
        // From here on deinit frees both, also if this throws.
        let version = minimum == .tls12 ? TLS1_2_VERSION : TLS1_3_VERSION
        guard shim_SSL_CTX_set_min_proto_version(pointer, version) == 1,
            SSL_CTX_set_cipher_list(pointer, isServer ? Self.serverSuites : Self.clientSuites) == 1,
            SSL_CTX_set_ciphersuites(pointer, Self.suites) == 1,
            Self.groups.contains(where: { shim_SSL_CTX_set1_groups_list(pointer, $0) == 1 })
        else { throw TLSFlaw.library }
        setRules()
        if isServer {
            setServerRules()
        } else if !wire.isEmpty {
            SSL_CTX_set_alpn_protos(pointer, protocols.baseAddress, UInt32(wire.count))
        }
        ERR_clear_error()
    }

    deinit {
        SSL_CTX_free(pointer)
        protocols.deallocate()
    }

    private func setRules() {
        SSL_CTX_set_security_level(pointer, 2)
        SSL_CTX_set_options(
            pointer,
            shim_SSL_OP_NO_RENEGOTIATION | shim_SSL_OP_NO_TICKET | shim_SSL_OP_NO_COMPRESSION)
        SSL_CTX_set_num_tickets(pointer, 0)
        shim_SSL_CTX_set_session_cache_mode(pointer, Int(SSL_SESS_CACHE_OFF))
        SSL_CTX_set_verify_depth(pointer, 4)
        // Without RELEASE_BUFFERS an idle connection costs 33 KB more. The output's address changes between attempts.
        shim_SSL_CTX_set_mode(
            pointer,
            Int(SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER))
        // A header and its record come in one system call.
        shim_SSL_CTX_set_read_ahead(pointer, 1)
        SSL_CTX_set_msg_callback(pointer, countKeyUpdates)
    }

    private func setServerRules() {
        // Clients send one certificate, perhaps with one of an intermediate authority.
        SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MAX_CERT_LIST, 16 << 10, nil)
        // Required as soon as client certificates are.
        SSL_CTX_set_session_id_context(pointer, "vigil", 5)
        if !protocols.isEmpty {
            SSL_CTX_set_alpn_select_cb(pointer, selectProtocol, Unmanaged.passUnretained(self).toOpaque())
        }
    }

    /// Our protocol that the client offers, too. With none in common the connection goes on without, as HTTP/1.1.
    fileprivate func select(
        _ offered: UnsafePointer<UInt8>?, _ count: UInt32, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
        _ length: UnsafeMutablePointer<UInt8>?
    ) -> Int32 {
        var name: UnsafeMutablePointer<UInt8>?
        let status = SSL_select_next_proto(
            &name, length, protocols.baseAddress, UInt32(protocols.count), offered, count)
        guard status == OPENSSL_NPN_NEGOTIATED else { return SSL_TLSEXT_ERR_NOACK }
        chosen?.pointee = UnsafePointer(name)
        return SSL_TLSEXT_ERR_OK
    }

    // MARK: Connections

    /// TLS for a connection that a listener has accepted.
    package func accept(_ descriptor: Int32) -> any SecureTransport {
        guard let connection = TLSConnection(self, descriptor) else { return UnusableTLS() }
        SSL_set_accept_state(connection.ssl)
        return connection
    }

    /// TLS for a connection to a server, whose certificate must have this name.
    ///
    /// - Parameter serverName: the host's name, or its IP address, which a certificate has in another field.
    package func connect(_ descriptor: Int32, serverName: String) -> any SecureTransport {
        guard let connection = TLSConnection(self, descriptor), connection.expect(serverName) else {
            return UnusableTLS()
        }
        SSL_set_connect_state(connection.ssl)
        return connection
    }
}

private func selectProtocol(
    _ ssl: OpaquePointer?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ length: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?, _ count: UInt32,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context else { return SSL_TLSEXT_ERR_NOACK }
    return Unmanaged<TLSContext>.fromOpaque(context).takeUnretainedValue().select(offered, count, chosen, length)
}

/// OpenSSL handles changes of keys within one call, and has no limit for them. Its callback for messages can end that by shutting the
/// socket.
private func countKeyUpdates(
    _ isSent: Int32, _ version: Int32, _ type: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ ssl: OpaquePointer?,
    _ context: UnsafeMutableRawPointer?
) {
    guard isSent == 0, type == SSL3_RT_HANDSHAKE, count > 0,
        bytes?.load(as: UInt8.self) == UInt8(SSL3_MT_KEY_UPDATE)
    else { return }
    TLSConnection.countKeyUpdate(of: ssl)
}
