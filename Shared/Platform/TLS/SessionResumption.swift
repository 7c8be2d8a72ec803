import CHardening
import NIOSSL
import Running

extension NIOSSLContext {
    /// Creates a server's context that neither issues session tickets nor remembers sessions.
    ///
    /// Either would show that two connections belong to one caller (RFC 8446, appendix C.4). SwiftNIO SSL can't disable them,
    /// but BoringSSL can. The pointer to BoringSSL's context is a private member, found by reflection; if a version of the
    /// library keeps it elsewhere, this throws and the service doesn't start.
    convenience init(withoutResumption configuration: TLSConfiguration) throws {
        try self.init(configuration: configuration)
        guard
            let context = Mirror(reflecting: self).children.first(where: { $0.label == "sslContext" })?.value
                as? OpaquePointer
        else { throw TLSFlaw.library }
        let raw = UnsafeMutableRawPointer(context)
        _ = CNIOBoringSSL_SSL_CTX_set_options(raw, UInt32(VIGIL_SSL_OP_NO_TICKET))
        _ = CNIOBoringSSL_SSL_CTX_set_session_cache_mode(raw, VIGIL_SSL_SESS_CACHE_OFF)
    }
}
