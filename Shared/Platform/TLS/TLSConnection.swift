internal import COpenSSL
internal import Glibc
internal import Loop

/// TLS on one socket (OpenSSL's `SSL`). It works on the descriptor itself, which saves copies and buffers.
final class TLSConnection: SecureTransport {
    let ssl: OpaquePointer
    /// Its callbacks use it.
    private let context: TLSContext
    private(set) var failure = ""

    /// Where a connection keeps the number of its changes of keys.
    private static let updates = shim_SSL_get_ex_new_index()

    /// Nil without memory.
    init?(_ context: TLSContext, _ descriptor: Int32) {
        guard let ssl = SSL_new(context.pointer) else { return nil }
        guard SSL_set_fd(ssl, descriptor) == 1 else {
            SSL_free(ssl)
            return nil
        }
        self.ssl = ssl
        self.context = context
    }

    deinit {
        SSL_free(ssl)
    }

    /// Requires a certificate with a name, or with an IP address; either stands in a field of its own.
    ///
    /// - Returns: false without memory. The connection must not be used then: it would accept any name.
    func expect(_ name: String) -> Bool {
        let parameters = SSL_get0_param(ssl)
        if IPAddress.bytes(name) != nil {
            return X509_VERIFY_PARAM_set1_ip_asc(parameters, name) == 1
        } else {
            // Names stand in the alternative names, never in the subject, and `*` is a whole label (RFC 9525, 6.3).
            X509_VERIFY_PARAM_set_hostflags(
                parameters, UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
            return X509_VERIFY_PARAM_set1_host(parameters, name, 0) == 1
                && shim_SSL_set_tlsext_host_name(ssl, name) == 1
        }
    }

    func handshake() -> SecureOutcome {
        ERR_clear_error()
        let status = SSL_do_handshake(ssl)
        return status == 1 ? .done(0) : outcome(status)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> SecureOutcome {
        var count = 0
        ERR_clear_error()
        let status = SSL_read_ex(ssl, buffer.baseAddress, buffer.count, &count)
        return status == 1 ? .done(count) : outcome(status)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> SecureOutcome {
        var count = 0
        ERR_clear_error()
        let status = SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &count)
        return status == 1 ? .done(count) : outcome(status)
    }

    func shutDown() -> SecureOutcome {
        // Within a handshake there is nothing to end.
        guard SSL_in_init(ssl) == 0 else { return .done(0) }
        ERR_clear_error()
        let status = SSL_shutdown(ssl)
        return status >= 0 ? .done(0) : outcome(status)
    }

    var hasPending: Bool { SSL_has_pending(ssl) == 1 }

    var negotiatedProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &count)
        guard let name, count > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }

    var peerCertificate: [UInt8]? {
        guard let certificate = SSL_get0_peer_certificate(ssl) else { return nil }
        let count = i2d_X509(certificate, nil)
        guard count > 0 else { return nil }
        return [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, written in
            var start = buffer.baseAddress
            written = max(0, Int(i2d_X509(certificate, &start)))
        }
    }

    private func outcome(_ status: Int32) -> SecureOutcome {
        let reason = errno
        switch SSL_get_error(ssl, status) {
        case SSL_ERROR_WANT_READ: return .wantsRead
        case SSL_ERROR_WANT_WRITE: return .wantsWrite
        case SSL_ERROR_ZERO_RETURN: return .ended
        case SSL_ERROR_SYSCALL: return reason == 0 ? .truncated : .broken(reason)
        default:
            let code = ERR_peek_error()
            defer { ERR_clear_error() }
            if ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING { return .truncated }
            failure = words(for: code)
            return .failed
        }
    }

    /// OpenSSL's words for an error, with the reason why a certificate isn't trusted.
    private func words(for code: UInt) -> String {
        let words = ERR_reason_error_string(code).map { String(cString: $0) } ?? "TLS failed"
        guard ERR_GET_REASON(code) == SSL_R_CERTIFICATE_VERIFY_FAILED,
            let reason = X509_verify_cert_error_string(SSL_get_verify_result(ssl))
        else { return words }
        return words + ": " + String(cString: reason)
    }

    /// Counts a change of keys that the peer demands, and hangs up when there are too many.
    static func countKeyUpdate(of ssl: OpaquePointer?) {
        let count = Int(bitPattern: SSL_get_ex_data(ssl, updates)) + 1
        SSL_set_ex_data(ssl, updates, UnsafeMutableRawPointer(bitPattern: count))
        if count > TLSContext.mostKeyUpdates { shutdown(SSL_get_fd(ssl), Int32(SHUT_RDWR)) }
    }
}
