import HTTPContract
import InMemoryLogging
import Logging
import Running
import Serving
import TLS
import TestSupport
import Testing

/// Figures outside the machine: whoever reads them proves to be Prometheus.
@Suite(.timeLimit(.minutes(5))) struct MetricsListenerTests {
    private let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates()
    }

    /// Starts a service with a port for metrics, and hands on its URL.
    private func withMetrics(_ body: (String) async throws -> Void) async throws {
        let own = try certificates.files(role: .submissionServer)
        let settings = [
            "metrics.port": "0", "tls.certificate": own.certificate, "tls.key": own.key,
            "tls.authorities": own.authorities ?? "",
        ]
        try await withService(listeners: [.greeting(.plain)], settings: settings) { runtime in
            try await runtime.opened()
            try await body("https://localhost:\(try await runtime.metricsPort)")
        }
    }

    @Test("the role prometheus reads the metrics, and finds nothing else on the port")
    func prometheus() async throws {
        try await withMetrics { url in
            let tls = try certificates.files(role: .prometheus).caller
            let answer = try await send(.GET, url + "/metrics", tls: tls)
            #expect(answer.status == 200)
            #expect(answer.fields["content-type"] == ["text/plain; version=0.0.4"])
            #expect(answer.body.contains("\nservice_ready 1\n"))
            #expect(answer.body.contains("\nprocess_open_fds "))
            for path in ["/health", "/ready", "/openapi/greeting.json"] {
                #expect(try await send(.GET, url + path, tls: tls).status == 404)
            }
        }
    }

    @Test(
        "every other role, and a certificate without one, is refused with 403",
        arguments: Role.allCases.filter { $0 != .prometheus } + [nil])
    func others(role: Role?) async throws {
        try await withMetrics { url in
            let tls = try certificates.files(role: role).caller
            let answer = try await send(.GET, url + "/metrics", tls: tls)
            #expect(answer.status == 403)
            #expect(answer.body.isEmpty)
        }
    }

    @Test("a caller without certificate, or without TLS, gets nothing")
    func nobody() async throws {
        try await withMetrics { url in
            var tls = try certificates.files(role: .prometheus).caller
            tls.certificate = nil
            await #expect(throws: (any Error).self) { try await send(.GET, url + "/metrics", tls: tls) }
            await #expect(throws: (any Error).self) {
                try await send(.GET, url.replacing("https:", with: "http:") + "/metrics")
            }
        }
    }

    @Test("a port for metrics without certificates doesn't start")
    func noCertificates() async throws {
        let runtime = ServiceRuntime(
            name: "test-service", settings: ["metrics.port": "0"], clock: .system,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        await #expect(throws: ConfigurationProblem.self) { try await runtime.run(listeners: []) }
    }

    @Test(
        "no service warns of the settings of a port for metrics, open or not, but of those that are misspelt",
        arguments: [
            ([:], nil), (["metrics.port": "0", "metrics.host": "127.0.0.1"], nil),
            (["metrics.prot": "0"], "metrics.prot"),
            (["metrics.port": "0", "metrics.hots": "127.0.0.1"], "metrics.hots"),
        ] as [([String: String], String?)])
    func known(settings: [String: String], misspelt: String?) async throws {
        let own = try certificates.files(role: .submissionServer)
        let log = InMemoryLogHandler()
        var settings = settings
        settings["tls.certificate"] = own.certificate
        settings["tls.key"] = own.key
        settings["tls.authorities"] = own.authorities ?? ""
        try await withService(
            listeners: [.greeting(.plain)], settings: settings, logger: Logger(label: "test") { _ in log }
        ) { try await $0.opened() }
        let warned = log.entries.filter { $0.level >= .warning }.map { "\($0.metadata["keys", default: "no keys"])" }
        #expect(warned == (misspelt.map { ["[\"\($0)\"]"] } ?? []))
    }

    @Test("the admin port, which asks for no certificate, is on the loopback address whatever is configured")
    func loopback() async throws {
        try await withService(listeners: [.greeting(.plain)], settings: ["admin.host": "0.0.0.0"]) { runtime in
            try await runtime.opened()
            let port = try await runtime.adminPort
            #expect(try await send(.GET, "http://127.0.0.1:\(port)/health").status == 200)
            // Another address of this machine, at which a port that is open to all addresses would answer.
            await #expect(throws: (any Error).self) { try await send(.GET, "http://127.0.0.2:\(port)/health") }
        }
    }
}
