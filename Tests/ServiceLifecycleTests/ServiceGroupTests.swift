import Glibc
import ServiceLifecycle
import Testing
import UnixSignals

struct ServiceGroupTests {
    /// Runs until it is told to shut down, and says so.
    private func waiting(_ name: String, _ record: Record, _ started: Signal = Signal()) -> Work {
        Work {
            started.happened()
            try await gracefulShutdown()
            record.add("\(name) told")
            await Task.yield()
            record.add("\(name) ends")
        }
    }

    /// Runs until it is cancelled, whatever else it is told.
    private func stubborn(_ record: Record) -> Work {
        Work {
            try? await Task.sleep(for: .seconds(3600))
            record.add("cancelled")
        }
    }

    @Test("services stop in reverse order, each before the next one is told")
    func order() async throws {
        let record = Record()
        let started = Signal()
        let group = ServiceGroup(
            services: [waiting("a", record), waiting("b", record), waiting("c", record, started)], logger: quiet)
        async let run: Void = group.run()
        await started.wait()
        await group.triggerGracefulShutdown()
        await group.triggerGracefulShutdown()
        try await run
        #expect(record.all == ["c told", "c ends", "b told", "b ends", "a told", "a ends"])
    }

    @Test("a shutdown before the start takes effect then")
    func early() async throws {
        let record = Record()
        let group = ServiceGroup(services: [waiting("a", record)], logger: quiet)
        await group.triggerGracefulShutdown()
        try await group.run()
        #expect(record.all == ["a told", "a ends"])
    }

    @Test("a group within a group is shut down in its turn")
    func nested() async throws {
        let record = Record()
        let started = Signal()
        let inner = ServiceGroup(services: [waiting("b", record), waiting("c", record, started)], logger: quiet)
        let outer = ServiceGroup(
            services: [waiting("a", record), Work { try await inner.run() }, waiting("d", record)], logger: quiet)
        async let run: Void = outer.run()
        await started.wait()
        await outer.triggerGracefulShutdown()
        try await run
        #expect(
            record.all == ["d told", "d ends", "c told", "c ends", "b told", "b ends", "a told", "a ends"])
    }

    @Test("a service that returns early cancels the others, and is the error")
    func returned() async throws {
        let record = Record()
        let group = ServiceGroup(services: [stubborn(record), Work {}], logger: quiet)
        let error = await #expect(throws: ServiceGroupError.self) { try await group.run() }
        #expect(error?.description == "the service Work ended before it was told to")
        #expect(record.all == ["cancelled"])
    }

    @Test("a service that throws cancels the others, and its error is thrown")
    func threw() async throws {
        let record = Record()
        let group = ServiceGroup(services: [stubborn(record), Work { throw Broken(name: "a") }], logger: quiet)
        await #expect(throws: Broken(name: "a")) { try await group.run() }
        #expect(record.all == ["cancelled"])
    }

    @Test("a failure that shuts down does so in order, and the first error is thrown")
    func failedGracefully() async throws {
        let record = Record()
        let last = Work {
            try? await gracefulShutdown()
            record.add("c told")
            throw Broken(name: "c")
        }
        let services = [waiting("a", record), Work { throw Broken(name: "b") }, last]
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map { .init(service: $0, failureTerminationBehavior: .gracefullyShutdownGroup) },
                logger: quiet))
        await #expect(throws: Broken(name: "b")) { try await group.run() }
        #expect(record.all == ["c told", "a told", "a ends"])
    }

    @Test("a shutdown that takes too long becomes a cancellation")
    func tooLong() async throws {
        let record = Record()
        var configuration = ServiceGroupConfiguration(services: [stubborn(record)], logger: quiet)
        configuration.maximumGracefulShutdownDuration = .milliseconds(1)
        let group = ServiceGroup(configuration: configuration)
        await group.triggerGracefulShutdown()
        try await group.run()
        #expect(record.all == ["cancelled"])
    }

    @Test("cancelling the task cancels the services, and is the error")
    func cancelled() async throws {
        let record = Record()
        let started = Signal()
        let group = ServiceGroup(services: [stubborn(record), waiting("a", record, started)], logger: quiet)
        let task = Task { try await group.run() }
        await started.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(record.all == ["cancelled"])
    }

    @Test("a signal begins the shutdown")
    func signals() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let service = Work {
                kill(getpid(), SIGTERM)
                try await gracefulShutdown()
            }
            try await ServiceGroup(
                configuration: .init(services: [service], gracefulShutdownSignals: [.sigterm], logger: quiet)
            ).run()
            exit(7)
        }
    }

    @Test("a cancellation that takes too long ends the process")
    func stuck() async {
        await #expect(processExitsWith: .exitCode(1)) {
            let stuck = Work { await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in } }
            var configuration = ServiceGroupConfiguration(services: [stuck, Work {}], logger: quiet)
            configuration.maximumCancellationDuration = .milliseconds(1)
            try await ServiceGroup(configuration: configuration).run()
            exit(7)
        }
    }
}
