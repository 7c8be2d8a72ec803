import COpenSSL
import Glibc
import Loop

@testable import TLS

/// A handshake between a context of ours and an OpenSSL without rules, which shows whatever chain it is told to.
struct Handshake {
    private let peer: OpaquePointer
    private let peerContext: OpaquePointer
    private let transport: any SecureTransport
    private let descriptors: [Int32]

    /// Why a handshake failed.
    enum Failure: Error, CustomStringConvertible {
        case refused(String)
        case stuck

        var description: String {
            switch self {
            case .refused(let words): words
            case .stuck: "both sides wait"
            }
        }
    }

    /// - Parameters:
    ///   - serverName: nil if the context of ours is the server's.
    ///   - chain: the peer's certificate and those that it sends with it.
    init(_ context: TLSContext, serverName: String?, chain: [[UInt8]], key: [UInt8]) throws {
        peerContext = try Self.context(isServer: serverName != nil, chain, key)
        var pair: [Int32] = [0, 0]
        let isPair = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &pair)
        precondition(isPair == 0, "no pair of sockets")
        descriptors = pair
        transport =
            serverName.map { context.connect(pair[0], serverName: $0) } ?? context.accept(pair[0])
        guard let peer = SSL_new(peerContext), SSL_set_fd(peer, pair[1]) == 1 else { throw CaseProblem.unsendable }
        self.peer = peer
        if serverName != nil { SSL_set_accept_state(peer) } else { SSL_set_connect_state(peer) }
    }

    /// Frees what it holds; a handshake isn't used afterwards.
    func end() {
        SSL_free(peer)
        SSL_CTX_free(peerContext)
        for descriptor in descriptors { close(descriptor) }
    }

    /// Lets both sides take turns, and returns the certificate that our side has then accepted.
    func run() throws -> [UInt8] {
        var idle = 0
        var isPeerDone = false
        while idle < 3 {
            switch transport.handshake() {
            case .done: return transport.peerCertificate ?? []
            case .wantsRead, .wantsWrite: break
            case .failed: throw Failure.refused(transport.failure)
            case let other: throw Failure.refused("\(other)")
            }
            idle += 1
            guard !isPeerDone else { continue }
            let before = (BIO_number_read(SSL_get_rbio(peer)), BIO_number_written(SSL_get_wbio(peer)))
            ERR_clear_error()
            isPeerDone = SSL_do_handshake(peer) == 1
            let after = (BIO_number_read(SSL_get_rbio(peer)), BIO_number_written(SSL_get_wbio(peer)))
            if before != after { idle = 0 }
        }
        throw Failure.stuck
    }

    private static func context(
        isServer: Bool, _ chain: [[UInt8]], _ key: [UInt8]
    ) throws(CaseProblem) -> OpaquePointer {
        guard let context = SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method()) else {
            throw .unsendable
        }
        SSL_CTX_set_security_level(context, 0)
        SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nil)
        defer { ERR_clear_error() }
        guard let leaf = chain.first, use(leaf, { SSL_CTX_use_certificate(context, $0) == 1 }), use(key, in: context),
            chain.dropFirst().allSatisfy({ use($0) { shim_SSL_CTX_add1_chain_cert(context, $0) == 1 } })
        else {
            SSL_CTX_free(context)
            throw .unsendable
        }
        return context
    }

    private static func use(_ key: [UInt8], in context: OpaquePointer) -> Bool {
        var start: UnsafePointer<UInt8>?
        let read = key.withUnsafeBufferPointer {
            start = $0.baseAddress
            return d2i_AutoPrivateKey(nil, &start, $0.count)
        }
        guard let read else { return false }
        defer { EVP_PKEY_free(read) }
        return SSL_CTX_use_PrivateKey(context, read) == 1
    }

    /// Fails unless it is sent as it was made: OpenSSL reads other encodings than DER, too, and writes DER.
    private static func use(_ bytes: [UInt8], _ body: (OpaquePointer) -> Bool) -> Bool {
        var start: UnsafePointer<UInt8>?
        let certificate = bytes.withUnsafeBufferPointer {
            start = $0.baseAddress
            return d2i_X509(nil, &start, $0.count)
        }
        guard let certificate else { return false }
        defer { X509_free(certificate) }
        var written = [UInt8](repeating: 0, count: bytes.count)
        let count = i2d_X509(certificate, nil)
        guard count == bytes.count else { return false }
        let isSame = written.withUnsafeMutableBufferPointer {
            var end = $0.baseAddress
            return i2d_X509(certificate, &end) == count
        }
        return isSame && written == bytes && body(certificate)
    }
}
