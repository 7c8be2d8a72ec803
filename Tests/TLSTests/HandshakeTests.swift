import COpenSSL
import Crypto
import HTTPContract
import Loop
import SwiftASN1
import Testing
import X509

@testable import TLS

@Suite struct HandshakeTests {
    private let authority: Authority
    private let foreign: Authority

    init() throws {
        authority = try Authority()
        foreign = try Authority("Foreign authority")
    }

    private func stage(
        _ client: TLSMaterial? = nil, _ server: TLSMaterial? = nil, serverName: String = "localhost"
    ) throws -> Stage {
        Stage(
            try (client ?? authority.material()).client(), try (server ?? authority.material()).mutualServer().context,
            serverName: serverName)
    }

    @Test("a connection that OpenSSL can't set up fails with its handshake, and isn't opened without its name")
    func unusable() throws {
        // Longer than a name in a greeting may be.
        let transport = try authority.material().client().connect(-1, serverName: String(repeating: "a", count: 300))
        guard case .failed = transport.handshake() else {
            Issue.record("the handshake goes on")
            return
        }
        #expect(!transport.failure.isEmpty)
    }

    @Test("with certificates of one authority both get in, by TLS 1.3, and know each other's certificate")
    func mutual() throws {
        let identity = try authority.issue("Laboratory 7", role: .lab)
        let stage = try stage(try TLSMaterial(authority.contents(identity)))
        #expect(stage.opens())
        #expect(SSL_version(stage.serverTLS) == TLS1_3_VERSION)
        let peer = try #require(PeerCertificate(of: stage.server))
        let own = try PEMDocument(pemString: identity.certificatePEM).derBytes
        #expect(peer.derBytes == own)
        #expect(peer.fingerprint == Array(SHA256.hash(data: own)))
        #expect(try Certificate(derEncoded: peer.derBytes).subject.description == "CN=Laboratory 7")
        #expect(PeerCertificate(of: stage.client) != nil)
        #expect(stage.server.negotiatedProtocol == nil)
    }

    @Test("byte by byte a handshake works as at once")
    func byteByByte() throws {
        let stage = try stage()
        stage.toClient.atATime = 1
        stage.toServer.atATime = 1
        #expect(stage.opens())
        stage.client.write(Array("hello".utf8))
        #expect(stage.turns { stage.serverHandler.text == "hello" })
    }

    @Test("data that comes with the end of the handshake is delivered")
    func early() throws {
        let stage = try stage()
        stage.toServer.isHeld = true
        stage.start()
        stage.turn()
        // The client's certificate and its first data arrive together.
        stage.client.write(Array("first".utf8))
        stage.toServer.isHeld = false
        stage.release()
        #expect(stage.turns { stage.clientHandler.isOpen })
        #expect(stage.turns { stage.serverHandler.text == "first" })
    }

    @Test("a client without a certificate is refused by a mutual server")
    func noCertificate() throws {
        let stage = Stage(
            try authority.anonymous(), try authority.material().mutualServer().context)
        #expect(stage.fails())
        #expect(stage.serverHandler.failure == "peer did not return a certificate")
        #expect(stage.clientHandler.failure?.contains("alert") == true)
    }

    @Test("a certificate of another authority is refused, the client's and the server's")
    func foreignAuthority() throws {
        let client = try stage(foreign.material(trusting: [authority]))
        #expect(client.fails())
        #expect(client.serverHandler.failure?.hasPrefix("certificate verify failed: ") == true)
        let server = try stage(nil, foreign.material(trusting: [authority]))
        #expect(server.fails())
        #expect(server.clientHandler.failure?.hasPrefix("certificate verify failed: ") == true)
    }

    @Test("an expired certificate is refused, the client's and the server's")
    func expired() throws {
        let client = try stage(authority.material(isExpired: true))
        #expect(client.fails())
        #expect(client.serverHandler.failure == "certificate verify failed: certificate has expired")
        let server = try stage(nil, authority.material(isExpired: true))
        #expect(server.fails())
        #expect(server.clientHandler.failure == "certificate verify failed: certificate has expired")
    }

    @Test(
        "the server's name must be one of its certificate's",
        arguments: [
            ("localhost", true), ("a.example.org", true), ("b.example.org", true), ("example.org", false),
            ("x.b.example.org", false), ("other", false), ("somebody", false), ("LOCALHOST", true),
            ("127.0.0.1", true), ("127.0.0.2", false), ("::1", true), ("::2", false), ("10.0.0.1", false),
        ])
    func names(name: String, isIn: Bool) throws {
        // The common name isn't a host's, and an address that is written as a name is none.
        let server = try authority.material(
            dnsNames: ["localhost", "a.example.org", "*.example.org", "10.0.0.1"], ipAddresses: ["127.0.0.1", "::1"])
        let stage = try stage(nil, server, serverName: name)
        #expect(stage.opens() == isIn)
        if !isIn {
            #expect(stage.turns { stage.clientHandler.failure != nil })
            #expect(stage.clientHandler.failure?.contains("mismatch") == true)
        }
    }

    @Test("a name is announced to the server, an address is not")
    func announced() throws {
        for (name, announced) in [("localhost", "localhost"), ("127.0.0.1", nil)] {
            let stage = try stage(serverName: name)
            #expect(stage.opens())
            let seen = SSL_get_servername(stage.serverTLS, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) }
            #expect(seen == announced)
        }
    }

    @Test("keys are agreed on by X25519 with ML-KEM if the library knows it, and by X25519 with a peer that doesn't")
    func groups() throws {
        let hybrid = EVP_KEYMGMT_fetch(nil, "X25519MLKEM768", nil)
        defer { EVP_KEYMGMT_free(hybrid) }
        let ours = try stage()
        #expect(ours.opens())
        #expect(group(of: ours) == (hybrid == nil ? "x25519" : "X25519MLKEM768"))
        let older = try authority.material().mutualServer().context
        shim_SSL_CTX_set1_groups_list(older.pointer, "X25519")
        let server = Stage(try authority.material().client(), older)
        #expect(server.opens())
        #expect(group(of: server) == "x25519")
        // A second greeting would be one more record of type 22: those after it are encrypted.
        #expect(server.toServer.records.count { $0.type == 22 } == 1)
        let client = try authority.anonymous()
        shim_SSL_CTX_set1_groups_list(client.pointer, "X25519:P-256")
        let phone = Stage(client, try authority.material().publicServer(protocols: []))
        #expect(phone.opens())
        #expect(group(of: phone) == "x25519")
    }

    private func group(of stage: Stage) -> String? {
        SSL_group_to_name(stage.serverTLS, shim_SSL_get_negotiated_group(stage.serverTLS)).map { String(cString: $0) }
    }

    @Test("TLS 1.2 is refused by a mutual server, and accepted by a public one with one suite")
    func oldVersion() throws {
        let old = try authority.anonymous()
        shim_SSL_CTX_set_max_proto_version(old.pointer, TLS1_2_VERSION)
        let mutual = Stage(old, try authority.material().mutualServer().context)
        #expect(mutual.fails())
        #expect(mutual.serverHandler.failure == "unsupported protocol")
        let open = Stage(old, try authority.material().publicServer(protocols: []))
        #expect(open.opens())
        #expect(SSL_version(open.serverTLS) == TLS1_2_VERSION)
        let suite = try #require(shim_SSL_get_cipher_name(open.serverTLS).map { String(cString: $0) })
        #expect(suite == "ECDHE-ECDSA-AES128-GCM-SHA256")
        // Others aren't spoken.
        SSL_CTX_set_cipher_list(old.pointer, "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-SHA")
        let other = Stage(old, try authority.material().publicServer(protocols: []))
        #expect(other.fails())
        #expect(other.serverHandler.failure == "no shared cipher")
    }

    @Test("TLS 1.1 is refused everywhere")
    func olderVersion() throws {
        let old = try authority.anonymous()
        shim_SSL_CTX_set_min_proto_version(old.pointer, TLS1_VERSION)
        shim_SSL_CTX_set_max_proto_version(old.pointer, TLS1_1_VERSION)
        SSL_CTX_set_security_level(old.pointer, 0)
        SSL_CTX_set_cipher_list(old.pointer, "ALL:@SECLEVEL=0")
        #expect(Stage(old, try authority.material().publicServer(protocols: [])).fails())
    }

    @Test("a public server asks for no certificate and takes clients without")
    func publicServer() throws {
        let stage = Stage(
            try authority.material().outsideClient(), try authority.material().publicServer(protocols: ["h2"]))
        #expect(stage.opens())
        #expect(PeerCertificate(of: stage.server) == nil)
        #expect(Stage(try authority.anonymous(), try authority.material().publicServer(protocols: [])).opens())
    }

    @Test("an optional certificate is verified if there is one")
    func optional() throws {
        let server = try authority.material().optionalServer(protocols: ["h2"])
        let without = Stage(try authority.anonymous(), server)
        #expect(without.opens())
        #expect(PeerCertificate(of: without.server) == nil)
        let with = Stage(try authority.material().outsideClient(), server)
        #expect(with.opens())
        #expect(PeerCertificate(of: with.server) != nil)
        #expect(Stage(try foreign.material(trusting: [authority]).outsideClient(), server).fails())
        #expect(Stage(try authority.material(isExpired: true).outsideClient(), server).fails())
    }

    @Test(
        "the server's first protocol that the client knows is spoken; with none in common there is none",
        arguments: [
            (["h2", "http/1.1"], "h2"), (["http/1.1", "h2"], "h2"), (["http/1.1"], "http/1.1"),
            (["spdy/1"], nil), ([], nil),
        ] as [([String], String?)])
    func protocols(offered: [String], spoken: String?) throws {
        let stage = Stage(
            try authority.anonymous(protocols: offered),
            try authority.material().publicServer(protocols: ["h2", "http/1.1"]))
        #expect(stage.opens())
        #expect(stage.server.negotiatedProtocol == spoken)
        #expect(stage.client.negotiatedProtocol == spoken)
    }

    @Test("clear text to a TLS port ends the connection")
    func clearText() throws {
        let context = try authority.material().publicServer(protocols: [])
        let core = Core(manual: Moment(nanoseconds: 0))
        let (server, client) = Connection.pair(on: core, secure: { context.accept($0) })
        let (handler, far) = (Recorder(), Recorder())
        server.start(handler)
        client.start(far)
        client.write(Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
        for _ in 0..<10 { core.turn() }
        #expect(handler.failure == "http request")
        #expect(!handler.isOpen)
    }

    @Test("a list of certificates that is too long is refused")
    func longList() throws {
        let identity = try authority.issue()
        let chain = identity.certificatePEM + String(repeating: authority.pem, count: 50)
        let client = try TLSMaterial(
            TLSContents(
                certificate: Array(chain.utf8), key: Array(identity.privateKeyPEM.utf8),
                authorities: Array(authority.pem.utf8), denied: nil))
        let stage = try stage(client)
        #expect(stage.fails())
        #expect(stage.serverHandler.failure == "excessive message size")
    }
}
