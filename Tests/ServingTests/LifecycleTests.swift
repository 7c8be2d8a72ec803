import HTTPContract
import HTTPTypes
import Running
import ServiceLifecycle
import Serving
import Synchronization
import TLS
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct LifecycleTests {
    @Test("the admin port tells that the service lives, whether it is ready, and its metrics")
    func admin() async throws {
        let isWell = Mutex(true)
        let listener = Listener.greeting(.plain)
        let readiness = [
            ReadinessCheck("database") { isWell.withLock { $0 } }, ReadinessCheck("migrations") { true },
        ]
        try await withService(listeners: [listener], readiness: readiness) { runtime in
            try await runtime.opened()
            let url = "http://127.0.0.1:\(try await runtime.adminPort)"
            #expect(try await send(.GET, url + "/health").status == 200)
            #expect(try await send(.GET, url + "/ready").body == "{\"failing\":[]}\n")
            isWell.withLock { $0 = false }
            let answer = try await send(.GET, url + "/ready")
            #expect(answer.status == 503)
            #expect(answer.body == "{\"failing\":[\"database\"]}\n")
            #expect(try await send(.GET, url + "/health").status == 200)
            let metrics = try await send(.GET, url + "/metrics")
            #expect(metrics.fields["content-type"] == ["text/plain; version=0.0.4"])
            #expect(metrics.body.contains(#"http_requests_total{listener="admin",route="/ready",status="503"} 1"#))
            for name in ["process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds"] {
                #expect(metrics.body.contains("\n\(name) "))
            }
            #expect(metrics.body.contains("\nservice_ready 0\n"))
            isWell.withLock { $0 = true }
            #expect(try await send(.GET, url + "/metrics").body.contains("\nservice_ready 1\n"))
            #expect(try await send(.POST, url + "/metrics").status == 405)
            #expect(try await send(.GET, url + "/").status == 404)
        }
    }

    @Test("a warning is in the answer of a service that stays ready")
    func warning() async throws {
        let warnings = ["The file \"a/b\" isn't published."]
        try await withService(listeners: [.greeting(.plain)], warnings: { warnings }) { runtime in
            try await runtime.opened()
            let url = "http://127.0.0.1:\(try await runtime.adminPort)"
            let answer = try await send(.GET, url + "/ready")
            #expect(answer.status == 200)
            #expect(
                answer.body == "{\"failing\":[],\"warnings\":[\"The file \\\"a/b\\\" isn't published.\"]}\n")
            #expect(try await send(.GET, url + "/metrics").body.contains("\nservice_ready 1\n"))
        }
    }

    @Test("what a service is configured with for trials is in the answer, apart from warnings")
    func simulated() async throws {
        let listener = Listener.greeting(.plain)
        try await withRunningService("a", settings: ["apns.host": "development-apns", "other": "development-gateway"]) {
            _ = $0.configuration.optionalString("apns.host")
            try await $0.run(listeners: [listener])
        } _: { runtime in
            let url = "http://127.0.0.1:\(try await runtime.adminPort)"
            let answer = try await becomes(200, url + "/ready")
            #expect(
                answer.body == "{\"failing\":[],\"simulated\":[\"apns.host names the simulator development-apns.\"]}\n")
        }
    }

    /// Asks until the answer has a status; readiness comes a moment after the ports.
    private func becomes(_ status: Int, _ url: String) async throws -> Answer {
        while true {
            let answer = try await send(.GET, url)
            if answer.status == status { return answer }
            await Task.yield()
        }
    }

    @Test("a graceful shutdown says not ready, lets a request finish, and only then stops services")
    func gracefulShutdown() async throws {
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        let gate = Gate()
        let order = Mutex<[String]>([])
        let listener = Listener.plain { routes in
            routes.on(TestAPI.greet) { request, _ in
                arrived.yield()
                await gate.pass()
                order.withLock { $0.append("answered") }
                return Welcome(text: request.name)
            }
        }
        let service = Recorder(name: "database", order: { name in order.withLock { $0.append(name) } })
        let runtime = ServiceRuntime(name: "test", settings: [:], clock: .system, logger: CapturedLog().logger())
        let group = ServiceGroup(
            configuration: .init(
                services: [Program(runtime: runtime, listener: listener, service: service)],
                logger: runtime.logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let url = "http://127.0.0.1:\(try await listener.boundPort)"
            let admin = "http://127.0.0.1:\(try await runtime.adminPort)"
            try await runtime.opened()
            async let answer = post(url + "/greet", #"{"name":"Ada"}"#)
            for await _ in arrivals { break }
            await group.triggerGracefulShutdown()
            #expect(try await becomes(503, admin + "/ready").body == "{\"failing\":[\"stopping\"]}\n")
            #expect(order.withLock { $0 }.isEmpty)
            gate.open()
            let finished = try await answer
            #expect(finished.status == 200)
            #expect(finished.body == #"{"text":"Ada"}"#)
            try await tasks.waitForAll()
        }
        #expect(order.withLock { $0 } == ["answered", "database"])
    }

    /// A whole program as one service, so that a test can shut it down.
    private struct Program: Service {
        let runtime: ServiceRuntime
        let listener: Listener
        let service: any Service

        func run() async throws {
            try await runtime.run(listeners: [listener], services: [service])
        }
    }

    private struct Recorder: Service {
        let name: String
        let order: @Sendable (String) -> Void

        func run() async throws {
            try await ServiceLifecycle.gracefulShutdown()
            order(name)
        }
    }

    @Test("a port that is taken is told in one sentence")
    func portTaken() async throws {
        let first = Listener.greeting(.plain)
        try await withService(listeners: [first]) { _ in
            let port = try await first.boundPort
            let second = Listener(name: "app", host: "127.0.0.1", port: port, security: .plain) { _ in }
            let runtime = ServiceRuntime(
                name: "verification-server", settings: [:], clock: .system, logger: CapturedLog().logger())
            let error = await #expect(throws: ListenProblem.self) { try await runtime.run(listeners: [second]) }
            #expect(
                error?.description
                    == "Port \(port) (verification-server, app listener) is already in use; "
                    + "stop the other process or set app.port.")
            await #expect(throws: ListenProblem.self) { try await second.boundPort }
        }
    }

    @Test("a service that fails ends the program with its error")
    func failingService() async throws {
        let runtime = ServiceRuntime(name: "test", settings: [:], clock: .system, logger: CapturedLog().logger())
        await #expect(throws: ConfigurationProblem("no")) {
            try await runtime.run(listeners: [], services: [Failing()])
        }
    }

    private struct Failing: Service {
        func run() async throws { throw ConfigurationProblem("no") }
    }

    @Test("TLS files that don't fit are told before a port opens")
    func wrongFiles() async throws {
        let certificates = try TestCertificates()
        let (one, other) = (try certificates.files(role: .lab), try certificates.files(role: .lab))
        let mixed = TLSFiles(certificate: one.certificate, key: other.key, authorities: one.authorities)
        let runtime = ServiceRuntime(name: "test", settings: [:], clock: .system, logger: CapturedLog().logger())
        let error = await #expect(throws: ConfigurationProblem.self) {
            try await runtime.run(listeners: [Listener.greeting(.mutualTLS(mixed))])
        }
        #expect(error?.description.hasSuffix("don't belong together.") == true)
    }
}
