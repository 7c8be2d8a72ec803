import CHardening
import Foundation
import NIOSSL
import TestSupport
import Testing

@testable import TLS

/// What `SessionResumption` needs of SwiftNIO SSL's inside. Each new version of the library has to be held against this.
struct SessionResumptionTests {
    @Test("the library's context is where it is looked for, and what is switched off there stays off")
    func contextOfBoringSSL() throws {
        let certificates = try TestCertificates()
        let files = try certificates.files(role: nil)
        let configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(files.certificate).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: files.key, format: .pem)))
        let usual = try Self.settings(of: NIOSSLContext(configuration: configuration))
        let ours = try Self.settings(of: NIOSSLContext(withoutResumption: configuration))
        #expect(ours.options & UInt32(VIGIL_SSL_OP_NO_TICKET) != 0)
        #expect(ours.cacheMode == VIGIL_SSL_SESS_CACHE_OFF)
        // By itself the library gives out tickets and remembers sessions: else nothing would need to be switched off.
        #expect(usual.options & UInt32(VIGIL_SSL_OP_NO_TICKET) == 0)
        #expect(usual.cacheMode != VIGIL_SSL_SESS_CACHE_OFF)
    }

    @Test("the bits are those of the library's own header")
    func bits() throws {
        let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let header = try String(
            contentsOf: checkout.appending(
                path: ".build/checkouts/swift-nio-ssl/Sources/CNIOBoringSSL/include/CNIOBoringSSL_ssl.h"),
            encoding: .utf8)
        #expect(try Self.value(of: "SSL_OP_NO_TICKET", in: header) == Int(VIGIL_SSL_OP_NO_TICKET))
        #expect(try Self.value(of: "SSL_SESS_CACHE_OFF", in: header) == Int(VIGIL_SSL_SESS_CACHE_OFF))
    }

    private static func value(of name: String, in header: String) throws -> Int {
        let line = try #require(header.split(separator: "\n").first { $0.hasPrefix("#define \(name) 0x") })
        return try #require(Int(line.dropFirst("#define \(name) 0x".count).prefix(while: \.isHexDigit), radix: 16))
    }

    private static func settings(of context: NIOSSLContext) throws -> (options: UInt32, cacheMode: Int32) {
        let pointer = try #require(
            Mirror(reflecting: context).children.first { $0.label == "sslContext" }?.value as? OpaquePointer)
        let raw = UnsafeMutableRawPointer(pointer)
        return (CNIOBoringSSL_SSL_CTX_get_options(raw), CNIOBoringSSL_SSL_CTX_get_session_cache_mode(raw))
    }
}
