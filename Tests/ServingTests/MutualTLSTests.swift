import HTTPContract
import HTTPTypes
import Serving
import TLS
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct MutualTLSTests {
    private let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates()
    }

    /// Starts a listener and calls it as its client.
    private func greet(
        _ client: (ClientTLS) throws -> ClientTLS = { $0 }, role: Role? = .lab, name: String? = nil
    ) async throws -> Answer {
        let listener = Listener.greeting(.mutualTLS(try certificates.files(role: .verificationServer)))
        let configuration = try client(certificates.files(role: role, name: name).caller)
        return try await withService(listeners: [listener]) { _ in
            try await post(
                "https://localhost:\(try await listener.boundPort)/greet", #"{"name":"Ada"}"#, tls: configuration)
        }
    }

    @Test("a role that may call is let in, and the handler knows role and name")
    func allowed() async throws {
        let answer = try await greet(name: "Laboratory 7")
        #expect(answer.status == 200)
        #expect(answer.body == #"{"text":"Ada lab Laboratory 7"}"#)
    }

    @Test("a role that may not call is refused with 403", arguments: [Role.quickTest, .metadataProxy, .prometheus])
    func forbidden(role: Role) async throws {
        let answer = try await greet(role: role)
        #expect(answer.status == 403)
        #expect(answer.body.isEmpty)
    }

    @Test("a certificate without a role is refused with 403")
    func noRole() async throws {
        #expect(try await greet(role: nil).status == 403)
    }

    @Test("a client without certificate doesn't get through the handshake")
    func noCertificate() async throws {
        await #expect(throws: (any Error).self) {
            try await greet { configuration in
                var configuration = configuration
                configuration.certificate = nil
                return configuration
            }
        }
    }

    @Test("a certificate of another authority doesn't get through the handshake")
    func foreignAuthority() async throws {
        let foreign = try TestCertificates()
        await #expect(throws: (any Error).self) {
            try await greet { _ in try foreign.files(role: .lab, trusting: certificates).caller }
        }
    }

    @Test("an expired certificate doesn't get through the handshake")
    func expired() async throws {
        let listener = Listener.greeting(.mutualTLS(try certificates.files(role: .verificationServer)))
        let old = try certificates.files(role: .lab, expired: true).caller
        try await withService(listeners: [listener]) { _ in
            let port = try await listener.boundPort
            await #expect(throws: (any Error).self) {
                try await post("https://localhost:\(port)/greet", #"{"name":"Ada"}"#, tls: old)
            }
        }
    }

    @Test("TLS 1.2 is refused")
    func oldProtocol() async throws {
        await #expect(throws: (any Error).self) {
            try await greet { configuration in
                var configuration = configuration
                configuration.minimumVersion = .tlsv12
                configuration.maximumVersion = .tlsv12
                return configuration
            }
        }
    }

    @Test("plain HTTP is refused")
    func plain() async throws {
        let listener = Listener.greeting(.mutualTLS(try certificates.files(role: .verificationServer)))
        try await withService(listeners: [listener]) { _ in
            let port = try await listener.boundPort
            await #expect(throws: (any Error).self) { try await send(.GET, "http://localhost:\(port)/ping") }
        }
    }

    @Test("a connection whose handshake doesn't end is closed")
    func slowHandshake() async throws {
        var limits = Limits.inner
        limits.handshake = .milliseconds(100)
        let listener = Listener.greeting(.mutualTLS(try certificates.files(role: .verificationServer)), limits: limits)
        try await withService(listeners: [listener]) { _ in
            let answer = try await RawConnection.open(port: try await listener.boundPort) { connection in
                try? await connection.write("\u{16}")
                return await connection.readToEnd()
            }
            #expect(answer.isEmpty)
        }
    }

    @Test("a client refuses a server whose name is not in its certificate")
    func wrongName() async throws {
        let files = try certificates.files(role: .verificationServer, dnsNames: ["other.example"], ipAddresses: [])
        let listener = Listener.greeting(.mutualTLS(files))
        let client = try certificates.files(role: .lab).caller
        try await withService(listeners: [listener]) { _ in
            let port = try await listener.boundPort
            await #expect(throws: (any Error).self) {
                try await post("https://localhost:\(port)/greet", #"{"name":"Ada"}"#, tls: client)
            }
        }
    }
}
