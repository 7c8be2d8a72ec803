import Calling
import FoundationEssentials
import HTTPContract
import Running
import Serving
import Synchronization
import TLS
import TestSupport
import Testing

/// Renewal with real handshakes. `runtime.checkCertificates()` is the look that otherwise comes every ten seconds.
@Suite(.timeLimit(.minutes(5))) struct CertificateReloadTests {
    /// Two authorities: the second one replaces the first.
    private let old: TestCertificates
    private let new: TestCertificates

    init() throws {
        old = try TestCertificates()
        new = try TestCertificates()
    }

    /// TLS files that are written anew under the same names.
    private final class Folder: Sendable {
        let files: TLSFiles
        private let directory: String

        init(_ identity: CertificateAuthority.Identity, trusting authorities: TestCertificates...) throws {
            directory = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)").path()
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            files = TLSFiles(
                certificate: directory + "/own.pem", key: directory + "/own.key",
                authorities: directory + "/trusted.pem")
            try put(identity)
            try trust(authorities)
        }

        deinit {
            try? FileManager.default.removeItem(atPath: directory)
        }

        func put(_ identity: CertificateAuthority.Identity) throws {
            try write(identity.certificatePEM, to: files.certificate)
            try write(identity.privateKeyPEM, to: files.key)
        }

        func trust(_ authorities: [TestCertificates]) throws {
            try write(authorities.map(\.authorityPEM).joined(), to: directory + "/trusted.pem")
        }

        func write(_ text: String, to path: String) throws {
            try Data(text.utf8).write(to: URL(filePath: path))
        }
    }

    /// Greets over a new connection.
    private func greet(_ listener: Listener, _ files: TLSFiles) async throws -> Int {
        try await post(
            "https://localhost:\(try await listener.boundPort)/greet", #"{"name":"Ada"}"#, tls: files.caller
        ).status
    }

    /// A lab of one authority that trusts another one's server.
    private func lab(of own: TestCertificates, trusting authority: TestCertificates) throws -> TLSFiles {
        try own.files(role: .lab, trusting: authority)
    }

    @Test(
        "a renewed certificate is shown to every new connection, and those that are open go on",
        arguments: [true, false])
    func serverCertificate(mutual: Bool) async throws {
        let folder = try Folder(old.issue(role: .verificationServer, name: "server"), trusting: old, new)
        let listener = Listener.greeting(mutual ? .mutualTLS(folder.files) : .publicTLS(folder.files))
        let trustsOld = try lab(of: old, trusting: old)
        let trustsNew = try lab(of: old, trusting: new)
        try await withService(listeners: [listener]) { runtime in
            let open = try ServiceClient(
                base: "https://localhost:\(try await listener.boundPort)", tls: trustsOld, name: "greeter")
            _ = try await open.call(TestAPI.greet, Greeting(name: "Ada"))
            #expect(try await greet(listener, trustsOld) == 200)
            await #expect(throws: (any Error).self) { try await greet(listener, trustsNew) }

            try folder.put(new.issue(role: .verificationServer, name: "server"))
            await runtime.checkCertificates()
            #expect(try await greet(listener, trustsNew) == 200)
            await #expect(throws: (any Error).self) { try await greet(listener, trustsOld) }
            _ = try await open.call(TestAPI.greet, Greeting(name: "Bob"))
            await open.close()
        }
    }

    @Test("a certificate of an authority that is no longer trusted is refused on new connections")
    func authorities() async throws {
        let folder = try Folder(old.issue(role: .verificationServer, name: "server"), trusting: old)
        let listener = Listener.greeting(.mutualTLS(folder.files))
        let oldLab = try lab(of: old, trusting: old)
        let newLab = try lab(of: new, trusting: old)
        try await withService(listeners: [listener]) { runtime in
            #expect(try await greet(listener, oldLab) == 200)
            await #expect(throws: (any Error).self) { try await greet(listener, newLab) }

            // While callers change over, both are trusted.
            try folder.trust([old, new])
            await runtime.checkCertificates()
            #expect(try await greet(listener, oldLab) == 200)
            #expect(try await greet(listener, newLab) == 200)

            try folder.trust([new])
            await runtime.checkCertificates()
            await #expect(throws: (any Error).self) { try await greet(listener, oldLab) }
            #expect(try await greet(listener, newLab) == 200)
        }
    }

    /// Ways to spoil the files, and what the log calls it.
    private static let flaws: [(String, String, @Sendable (Folder, CertificateReloadTests) throws -> Void)] = [
        ("an empty certificate", "certificate", { folder, _ in try folder.write("", to: folder.files.certificate) }),
        (
            "no certificate", "certificate",
            { folder, _ in try FileManager.default.removeItem(atPath: folder.files.certificate) }
        ),
        (
            "half a certificate", "certificate",
            { folder, tests in
                let text = try tests.old.issue(role: nil, name: "server").certificatePEM
                try folder.write(String(text.prefix(text.count / 2)), to: folder.files.certificate)
            }
        ),
        (
            "a chain that is cut in its second certificate", "certificate",
            { folder, tests in
                let text = try tests.old.issue(role: nil, name: "server").certificatePEM + tests.old.authorityPEM
                try folder.write(String(text.dropLast(40)), to: folder.files.certificate)
            }
        ),
        (
            "a certificate whose key has not come yet", "pair",
            { folder, tests in
                try folder.write(
                    tests.old.issue(role: nil, name: "server").certificatePEM, to: folder.files.certificate)
            }
        ),
        ("no PEM in the key", "key", { folder, _ in try folder.write("secret", to: folder.files.key) }),
        (
            "an expired certificate", "expired",
            { folder, tests in try folder.put(tests.old.issue(role: .verificationServer, name: "late", for: -1)) }
        ),
        ("no authorities", "authorities", { folder, _ in try folder.trust([]) }),
        (
            "authorities that are cut", "authorities",
            { folder, tests in
                let text = tests.old.authorityPEM + tests.new.authorityPEM
                try folder.write(String(text.dropLast(40)), to: folder.files.authorities ?? "")
            }
        ),
    ]

    @Test("files that are not in order change nothing: they are logged once, counted, and tried again")
    func broken() async throws {
        for (name, flaw, spoil) in Self.flaws {
            let log = CapturedLog()
            let folder = try Folder(old.issue(role: .verificationServer, name: "server"), trusting: old)
            let listener = Listener.greeting(.mutualTLS(folder.files))
            let lab = try lab(of: old, trusting: old)
            try await withService(listeners: [listener], logger: log.logger()) { runtime in
                #expect(runtime.reloadFailures == 0, "\(name)")
                try spoil(folder, self)
                await runtime.checkCertificates()
                await runtime.checkCertificates()
                #expect(try await greet(listener, lab) == 200, "\(name)")
                #expect(runtime.reloadFailures >= 2, "\(name)")
                let lines = log.lines.filter { $0.contains("TLS files") }
                #expect(lines.count == 1, "\(name)")
                #expect(lines.first?.contains("\"flaw\":\"\(flaw)\"") == true, "\(name): \(lines)")
                #expect(!log.lines.contains { $0.contains("own.") || $0.contains("trusted.pem") }, "\(name)")

                try folder.put(old.issue(role: .verificationServer, name: "repaired"))
                try folder.trust([old])
                await runtime.checkCertificates()
                let failures = runtime.reloadFailures
                await runtime.checkCertificates()
                #expect(try await greet(listener, lab) == 200, "\(name)")
                #expect(runtime.reloadFailures == failures, "\(name)")
                #expect(log.lines.filter { $0.contains("new TLS files are in use") }.count == 1, "\(name)")
            }
        }
    }

    @Test("when the certificate in use expires is a metric of each listener and each client")
    func expiry() async throws {
        let folder = try Folder(old.issue(role: .verificationServer, name: "server"), trusting: old)
        let listener = Listener.greeting(.mutualTLS(folder.files))
        let client = try ServiceClient(base: "https://localhost:1", tls: folder.files, name: "nobody")
        try await withService(listeners: [listener], services: [client]) { runtime in
            func shown(_ label: String) throws -> Double {
                let name = "tls_certificate_expiry_seconds{\(label)} "
                let line = try #require(runtime.metrics.text.split(separator: "\n").first { $0.hasPrefix(name) })
                return try #require(Double(line.dropFirst(name.count)))
            }
            let now = WallClock.system.now.timeIntervalSince1970
            for label in ["listener=\"app\"", "peer=\"nobody\""] {
                #expect(try abs(shown(label) - now - 7200) < 120)
            }
            try folder.put(old.issue(role: .verificationServer, name: "server", for: 36_000))
            await runtime.checkCertificates()
            for label in ["listener=\"app\"", "peer=\"nobody\""] {
                #expect(try abs(shown(label) - now - 36_000) < 120)
            }
        }
    }

    @Test("a client shows its renewed certificate, and trusts its new authorities only")
    func client() async throws {
        let folder = try Folder(old.issue(role: .portal, name: "first"), trusting: old)
        // One server of each authority; both let labs and portals of either in.
        let folders = try [old, new].map { authority in
            try Folder(authority.issue(role: .verificationServer, name: "server"), trusting: old, new)
        }
        defer { withExtendedLifetime(folders) {} }
        let servers = zip(["one", "other"], folders).map { Listener.greeting(.mutualTLS($1.files), name: $0) }
        try await withService(listeners: servers) { _ in
            var clients: [ServiceClient] = []
            for server in servers {
                clients.append(
                    try ServiceClient(
                        base: "https://localhost:\(try await server.boundPort)", tls: folder.files, name: "greeter",
                        deadline: .seconds(5)))
            }
            try await withService(listeners: [], services: clients) { [clients] runtime in
                let first = try await clients[0].call(TestAPI.greet, Greeting(name: "Ada"))
                #expect(first.text == "Ada portal first")
                await #expect(throws: CallError.unavailable) {
                    try await clients[1].call(TestAPI.greet, Greeting(name: "Ada"))
                }

                try folder.put(new.issue(role: .portal, name: "second"))
                try folder.trust([new])
                await runtime.checkCertificates()
                await #expect(throws: CallError.unavailable) {
                    try await clients[0].call(TestAPI.greet, Greeting(name: "Ada"))
                }
                let second = try await clients[1].call(TestAPI.greet, Greeting(name: "Ada"))
                #expect(second.text == "Ada portal second")
            }
        }
    }

    @Test("a call that is under way when the certificate changes is answered, and the next one shows the new one")
    func underWay() async throws {
        let arrived = Gate()
        let gate = Gate()
        let waits = Mutex(true)
        let server = Listener(
            name: "app", host: "127.0.0.1", port: 0,
            security: .mutualTLS(try old.files(role: .verificationServer))
        ) { routes in
            routes.on(TestAPI.greet) { request, caller in
                let isFirst = waits.withLock { waits in
                    defer { waits = false }
                    return waits
                }
                if isFirst {
                    arrived.open()
                    await gate.pass()
                }
                return Welcome(text: "\(request.name) \(caller.name)")
            }
        }
        let folder = try Folder(old.issue(role: .portal, name: "first"), trusting: old)
        try await withService(listeners: [server]) { _ in
            let client = try ServiceClient(
                base: "https://localhost:\(try await server.boundPort)", tls: folder.files, name: "greeter",
                deadline: .seconds(20))
            try await withService(listeners: [], services: [client]) { runtime in
                async let slow = client.call(TestAPI.greet, Greeting(name: "Ada"))
                await arrived.pass()
                try folder.put(old.issue(role: .portal, name: "second"))
                await runtime.checkCertificates()
                let next = try await client.call(TestAPI.greet, Greeting(name: "Bob"))
                #expect(next.text == "Bob second")
                gate.open()
                let answer = try await slow
                #expect(answer.text == "Ada first")
            }
        }
    }
}
