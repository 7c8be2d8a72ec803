import ExposureKeys
import FederationFormat
import FoundationEssentials
import Logging
import Metrics
import Postgres
import Running
import Schema
import Synchronization

/// The exchange with one gateway: its parts as the configuration makes them, and its jobs.
struct GatewayExchange: Sendable {
    let plan: GatewayPlan
    let client: GatewayClient
    let rules: ImportRules
    let incoming: IncomingStore
    let status: StatusStore
    let failing: FailingCalls
    /// Nil while `upload.enabled` is false.
    let upload: Upload?
    private let find: FindBatches
    private let read: ReadBatches
    private let isReading: Bool
    /// Seconds between two looks for batches that nobody announced.
    private let lookEvery: Duration
    private let clock: DatabaseClock
    let runtime: ServiceRuntime
    let metrics: FederationMetrics

    /// The parts of an upload.
    struct Upload: Sendable {
        let plan: UploadPlan
        let store: OutgoingStore
        let share: ShareKeys
        let send: SendBatches
    }

    init(_ database: PostgresClient, by clock: DatabaseClock, _ runtime: ServiceRuntime) async throws {
        let settings = runtime.configuration
        _ = try await settings.agreed(on: .origin, in: database)
        let plan = try GatewayPlan(settings)
        let metrics = FederationMetrics(runtime.metrics)
        let client = try GatewayClient(plan, metrics: runtime.metrics, logger: runtime.logger)
        let rules = try ImportRules(settings)
        let incoming = IncomingStore(database, gateway: plan.name)
        self.plan = plan
        self.client = client
        self.rules = rules
        self.incoming = incoming
        self.clock = clock
        self.runtime = runtime
        self.metrics = metrics
        status = StatusStore(database, gateway: plan.name)
        failing = FailingCalls(database, gateway: plan.name)
        find = FindBatches(store: incoming, client: client, plan: plan, logger: runtime.logger)
        read = ReadBatches(
            store: incoming, client: client, plan: plan, rules: rules, clock: runtime.clock, metrics: metrics,
            logger: runtime.logger)
        isReading = try settings.bool("download.enabled", default: true)
        lookEvery = try settings.duration(
            "download.seconds", default: .seconds(300), in: .seconds(10) ... .seconds(3600))
        guard try settings.bool("upload.enabled", default: true) else {
            upload = nil
            // They may be set nevertheless: the switch is turned and turned back.
            for key in UploadPlan.keys + BatchSigning.keys { _ = settings.optionalString(key) }
            metrics.show(signing: nil, anchor: plan.anchor.certificate)
            return
        }
        let uploadPlan = try UploadPlan(settings)
        let signing = try await BatchSigning(settings)
        metrics.show(signing: signing.signer.certificate, anchor: plan.anchor.certificate)
        let store = OutgoingStore(database, gateway: plan.name, origin: plan.origin, policy: uploadPlan.policy)
        upload = Upload(
            plan: uploadPlan, store: store, share: ShareKeys(store: store, plan: uploadPlan),
            send: SendBatches(
                store: store, client: client, signer: signing.signer, behaviour: plan.behaviour, plan: uploadPlan,
                clock: runtime.clock, metrics: metrics, logger: runtime.logger))
    }

    // MARK: Jobs

    /// How often the database is asked for something to do.
    private static let pace: TimeInterval = 20

    /// Decides slots and sends batches.
    func uploads() -> RecurringJob? {
        guard let upload else { return nil }
        return RecurringJob("federation-upload", in: runtime) {
            $0.addingTimeInterval(Self.pace)
        } work: { now in
            try await clock.require(now)
            return try await upload.store.exclusively {
                try await send(upload, slot: upload.plan.lastSlot(at: now), at: now)
            }
        }
    }

    /// Finds and reads batches.
    func downloads() -> RecurringJob? {
        guard isReading else { return nil }
        let lastLook = LastLook()
        return RecurringJob("federation-download", in: runtime) {
            $0.addingTimeInterval(Self.pace)
        } work: { now in
            try await clock.require(now)
            return try await incoming.exclusively {
                guard lastLook.isDue(at: now, every: lookEvery) else {
                    return ["imported": "\(try await read.run())"]
                }
                let imported = try await lookAndRead(at: now)
                lastLook.note(now)
                return ["imported": "\(imported)"]
            }
        }
    }

    /// Ends hours of import, and shows how things stand.
    func hours() -> RecurringJob {
        RecurringJob("federation-hour", in: runtime) { now in
            min(Hour(containing: now).end.addingTimeInterval(2), now.addingTimeInterval(60))
        } work: { now in
            try await endHours(asOf: now)
            try await metrics.show(status.status(), countries: rules.countries, at: now)
            return [:]
        }
    }

    /// Batches that are known are read also when the gateway doesn't say which others there are.
    private func lookAndRead(at now: Date) async throws -> Int {
        do {
            try await failing.noting(.look, at: now) { try await find.run(at: now) }
        } catch {
            _ = try await read.run()
            throw error
        }
        return try await read.run()
    }

    private func endHours(asOf now: Date) async throws {
        try await clock.require(now)
        try await incoming.endHours(through: Hour(endedBy: now))
    }

    private func send(_ upload: Upload, slot: Hour, at now: Date) async throws -> Logger.Metadata {
        let taken = try await upload.share.decide(slot, at: now)
        return ["taken": "\(taken ?? 0)", "arrived": "\(try await upload.send.run())"]
    }

    /// Everything once: a slot that ends with the last published hour, a look and a reading, and the end of an hour of import.
    func run(asOf instant: Date) async throws -> Logger.Metadata {
        var done: Logger.Metadata = [:]
        try await clock.require(instant)
        if let upload {
            let sent = try await upload.store.exclusively {
                try await send(upload, slot: Hour(endedBy: instant), at: instant)
            }
            done.merge(sent) { $1 }
        }
        if isReading {
            done["imported"] = try await incoming.exclusively {
                "\(try await lookAndRead(at: instant))"
            }
        }
        try await endHours(asOf: instant)
        return done
    }
}

/// When batches were last looked for, by this process.
private final class LastLook: Sendable {
    private let time = Mutex<Date?>(nil)

    func isDue(at now: Date, every pause: Duration) -> Bool {
        time.withLock { $0.map { now.timeIntervalSince($0) >= pause / .seconds(1) } ?? true }
    }

    func note(_ now: Date) { time.withLock { $0 = now } }
}
