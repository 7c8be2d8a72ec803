import Calling
import Crypto
import FoundationEssentials
import HTTPContract
import Running
import Serving
import SwiftASN1
import TLS
import TestSupport
import Testing

/// The deny list with real handshakes. `runtime.checkCertificates()` is the look that otherwise comes every ten seconds.
@Suite(.timeLimit(.minutes(5))) struct DeniedCertificateTests {
    private let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates()
    }

    /// As `openssl x509 -noout -fingerprint -sha256` prints it.
    private static func fingerprint(of files: TLSFiles) throws -> String {
        let text = try String(contentsOf: URL(filePath: files.certificate), encoding: .utf8)
        let digest = SHA256.hash(data: try PEMDocument(pemString: text).derBytes)
        let pairs = digest.map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        return "sha256 Fingerprint=" + pairs.joined(separator: ":")
    }

    private static let empty = "# Certificates that no listener accepts.\n"

    /// A list, and a server that reads it.
    private func server(_ list: String) throws -> (path: String, listener: Listener) {
        let path = "\(certificates.directory)/denied"
        try list.write(toFile: path, atomically: false, encoding: .utf8)
        let own = try certificates.files(role: .verificationServer)
        let files = TLSFiles(
            certificate: own.certificate, key: own.key, authorities: own.authorities, denied: path)
        return (path, Listener.greeting(.mutualTLS(files)))
    }

    /// Greets over a new connection.
    private func greet(_ listener: Listener, _ files: TLSFiles) async throws -> Int {
        try await post(
            "https://localhost:\(try await listener.boundPort)/greet", #"{"name":"Ada"}"#, tls: files.caller
        ).status
    }

    @Test("a certificate that is put on the list is refused on open and new connections, its role's others are not")
    func denied() async throws {
        let stolen = try certificates.files(role: .lab, name: "stolen")
        let other = try certificates.files(role: .lab, name: "other")
        let (path, listener) = try server(Self.empty)
        try await withService(listeners: [listener]) { runtime in
            let base = "https://localhost:\(try await listener.boundPort)"
            try await RawClient.with(base, tls: stolen) { open in
                #expect(try await open.post("/greet", #"{"name":"Ada"}"#).status == 200)
                #expect(try await greet(listener, stolen) == 200)

                try (Self.empty + Self.fingerprint(of: stolen) + "  # reported on Monday\n")
                    .write(toFile: path, atomically: false, encoding: .utf8)
                await runtime.checkCertificates()
                // Whatever it asks for, also what nobody offers.
                await #expect(throws: (any Error).self) { try await open.post("/greet", #"{"name":"Ada"}"#) }
                await #expect(throws: (any Error).self) { try await open.send("GET", "/nothing") }
                await #expect(throws: (any Error).self) { try await greet(listener, stolen) }
                #expect(try await greet(listener, other) == 200)
                #expect(!runtime.metrics.text.contains("tls_denied_connections_total{listener=\"app\"} 0\n"))

                // Whoever takes it off again lets it in.
                try Self.empty.write(toFile: path, atomically: false, encoding: .utf8)
                await runtime.checkCertificates()
                #expect(try await greet(listener, stolen) == 200)
            }
        }
    }

    @Test("a connection that was open before is closed at its next request, without an answer")
    func open() async throws {
        let stolen = try certificates.files(role: .lab, name: "stolen")
        let (path, listener) = try server(Self.empty)
        try await withService(listeners: [listener]) { runtime in
            let request = "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"
            try await RawTLSConnection.open(port: try await listener.boundPort, tls: stolen.caller) { open in
                try await open.write(request)
                #expect(await open.read().starts(with: "HTTP/1.1 404 ".utf8))
                try (Self.fingerprint(of: stolen) + "\n").write(toFile: path, atomically: false, encoding: .utf8)
                await runtime.checkCertificates()
                try? await open.write(request)
                #expect(await open.read().isEmpty)
                // The request came over the open connection: no new one was tried and refused in its place.
                #expect(runtime.metrics.text.contains("tls_denied_connections_total{listener=\"app\"} 0\n"))
            }
        }
    }

    @Test("a fingerprint counts in any form that openssl prints", arguments: [0, 1, 2, 3])
    func forms(form: Int) async throws {
        let stolen = try certificates.files(role: .lab, name: "stolen")
        let printed = try Self.fingerprint(of: stolen)
        let bare = String(printed.dropFirst("sha256 Fingerprint=".count))
        let line = [printed, bare, bare.replacing(":", with: "").lowercased(), "  \(bare) # x\r"][form]
        let other = try certificates.files(role: .lab)
        let (_, listener) = try server("\n\(line)\n")
        try await withService(listeners: [listener]) { _ async throws in
            await #expect(throws: (any Error).self) { try await greet(listener, stolen) }
            #expect(try await greet(listener, other) == 200)
        }
    }

    @Test("a list that is not in order leaves the old one in force, and raises the counter")
    func malformed() async throws {
        let stolen = try certificates.files(role: .lab, name: "stolen")
        let fingerprint = try Self.fingerprint(of: stolen)
        let other = try certificates.files(role: .lab, name: "other")
        let (path, listener) = try server("\(fingerprint)\n")
        try await withService(listeners: [listener]) { runtime in
            let bad = [
                "", "serial=0A1B2C\n", "\(fingerprint.dropLast())\n", String(fingerprint.dropLast()), fingerprint,
                "\(Self.empty)\(fingerprint)0\n", "\(fingerprint) \(fingerprint)\n", "é\n",
            ]
            for list in bad {
                let failures = runtime.reloadFailures
                try list.write(toFile: path, atomically: false, encoding: .utf8)
                await runtime.checkCertificates()
                await #expect(throws: (any Error).self, "\(list)") { try await greet(listener, stolen) }
                #expect(try await greet(listener, other) == 200)
                #expect(runtime.reloadFailures > failures, "\(list)")
            }
            let failures = runtime.reloadFailures
            try FileManager.default.removeItem(atPath: path)
            await runtime.checkCertificates()
            await #expect(throws: (any Error).self) { try await greet(listener, stolen) }
            #expect(runtime.reloadFailures > failures)
        }
    }

    @Test("a service doesn't start with a list that is not in order")
    func badStart() async throws {
        let (_, listener) = try server("serial=0A1B2C\n")
        let runtime = ServiceRuntime(name: "test", settings: [:], clock: .system, logger: CapturedLog().logger())
        let error = await #expect(throws: ConfigurationProblem.self) { try await runtime.run(listeners: [listener]) }
        #expect(error?.description.contains("fingerprint") == true)
    }

    @Test("a client of ours doesn't mind the list, which is about callers")
    func client() async throws {
        let (_, listener) = try server(Self.empty)
        let own = try certificates.files(role: .lab)
        let files = TLSFiles(
            certificate: own.certificate, key: own.key, authorities: own.authorities, denied: "/nowhere")
        try await withService(listeners: [listener]) { _ in
            let client = try ServiceClient(
                base: "https://localhost:\(try await listener.boundPort)", tls: files, name: "greeter")
            _ = try await client.call(TestAPI.greet, Greeting(name: "Ada"))
            await client.close()
        }
    }
}
