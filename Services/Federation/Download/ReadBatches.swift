import ExposureKeys
import FederationFormat
import FoundationEssentials
import Logging
import Postgres
import Running
import TLS

/// Reads batches that are announced: downloads, audits, filters, and stores each in one transaction.
///
/// No key is stored whose country didn't sign it. A bad key costs only itself, a bad upload only its country's keys, a bad batch only itself:
/// nothing stops the batches behind it.
struct ReadBatches: Sendable {
    let store: IncomingStore
    let client: GatewayClient
    let plan: GatewayPlan
    let rules: ImportRules
    let clock: WallClock
    let metrics: FederationMetrics
    let logger: Logger

    private static let pause = RetryPause(longest: 1800)
    /// In one run, so that a chain without end doesn't keep a run from ending; the next run goes on.
    private static let mostBatches = 500

    /// Reads everything that is due, and what it links to.
    ///
    /// It stops at the first batch that the gateway doesn't answer for.
    /// - Returns: how many keys were imported.
    func run() async throws -> Int {
        var imported = 0
        for _ in 0..<Self.mostBatches {
            try Task.checkCancellation()
            guard let batch = try await store.next(dueAt: clock.now) else { break }
            guard let denied = plan.denied.current else {
                logger.error("the list of denied countries' certificates can't be read")
                try await postpone(batch, "denied_unreadable")
                return imported
            }
            switch await outcome(of: batch, denying: denied) {
            case .success(let read): imported += try await keepOrPostpone(read, of: batch)
            case .failure(.malformed(let what)):
                _ = try await keepOrPostpone(.quarantined(what.rawValue), of: batch)
            case .failure(let problem):
                try await postpone(batch, problem.reason, problem.said)
                if case .unavailable = problem { return imported }
            }
        }
        return imported
    }

    // MARK: Reading

    private func outcome(
        of batch: AnnouncedBatch, denying denied: DeniedCertificates
    ) async -> Result<ReadBatch, GatewayClient.Problem> {
        do throws(GatewayClient.Problem) {
            return .success(try await read(batch, denying: denied))
        } catch {
            return .failure(error)
        }
    }

    /// - Throws: if it can be read later, or its download is malformed.
    private func read(
        _ batch: AnnouncedBatch, denying denied: DeniedCertificates
    ) async throws(GatewayClient.Problem) -> ReadBatch {
        let download: GatewayClient.Download
        do throws(GatewayClient.Problem) {
            download = try await client.download(batch.day, batch.tag)
        } catch .refused(let status, let said) where GatewayClient.Problem.missing.contains(status) {
            return ReadBatch(state: .gone, reason: "status_\(status)", answer: said)
        }
        guard download.tag == batch.tag else { return .quarantined("other_tag") }
        var read = try await read(download, of: batch, denying: denied)
        // What follows is noted also of a batch that can't be used itself.
        if case .next(let next)? = download.link { read.next = next }
        return read
    }

    private func read(
        _ download: GatewayClient.Download, of batch: AnnouncedBatch, denying denied: DeniedCertificates
    ) async throws(GatewayClient.Problem) -> ReadBatch {
        let received: ReceivedBatch
        do throws(BatchFlaw) {
            received = try ReceivedBatch(protobuf: download.body, limit: GatewayClient.largestBatch)
        } catch {
            return .quarantined(error.rawValue)
        }
        guard !received.entries.isEmpty else { return ReadBatch(state: .imported) }
        do throws(GatewayClient.Problem) {
            // The audit has to name the batch's own day, which a link that crossed midnight doesn't.
            return check(
                received, try await client.audit(batch.tag.day ?? batch.day, batch.tag), denying: denied)
        } catch .refused(let status, let said) where GatewayClient.Problem.missing.contains(status) {
            return .quarantined("no_audit", said)
        } catch .malformed {
            return .quarantined("unreadable_audit")
        }
    }

    /// Audits a batch and applies the rules.
    func check(
        _ received: ReceivedBatch, _ entries: [AuditEntry], denying denied: DeniedCertificates = .none
    ) -> ReadBatch {
        let now = clock.now
        let audit = BatchAudit(
            of: received, entries, trusting: plan.anchor, own: plan.origin, at: now,
            smallestRSA: plan.smallestSigningKey, denying: denied.contains)
        var read = ReadBatch(state: .imported, count: received.entries.count)
        read.uploads = audit.verdicts.map {
            ReadBatch.Upload(
                country: $0.country, keys: $0.keys.count,
                outcome: isUnwanted($0) ? ReadBatch.Upload.unwanted : $0.outcome.label)
        }
        let verified = audit.verified
        let unwanted = audit.verdicts.filter(isUnwanted).map(\.keys.count).reduce(0, +)
        read.leaveOut("unverified", received.entries.count - verified.count - audit.unclaimed.count - unwanted)
        read.leaveOut(ImportRules.Refusal.country.rawValue, unwanted)
        read.leaveOut("unclaimed", audit.unclaimed.count)
        let failed = audit.verdicts.first { $0.hasFailed && !isUnwanted($0) }
        if failed != nil || !audit.unclaimed.isEmpty {
            read.state = verified.isEmpty ? .quarantined : .partial
            read.reason = failed?.outcome.label ?? "unclaimed"
        }
        for position in verified {
            switch received.entries[position].key {
            case .failure(let flaw): read.leaveOut(flaw.rawValue)
            case .success(let key):
                do throws(ImportRules.Refusal) {
                    read.keys.append(try rules.foreignKey(key, at: now))
                } catch {
                    read.leaveOut(error.rawValue)
                }
            }
        }
        return read
    }

    /// Whether an upload failed of which nothing would be imported: nobody has to do anything about it.
    private func isUnwanted(_ verdict: BatchAudit.Verdict) -> Bool {
        guard verdict.hasFailed, let country = verdict.country, let wanted = rules.countries else { return false }
        return !wanted.contains(country)
    }

    // MARK: Keeping

    /// A batch that the database refuses doesn't keep those behind it from being read.
    private func keepOrPostpone(_ read: ReadBatch, of batch: AnnouncedBatch) async throws -> Int {
        do {
            return try await keep(read, of: batch)
        } catch let error as PostgresError where !error.isUnavailable {
            logger.error("batch can't be stored", metadata: ["batch": "\(batch.tag)", "reason": "\(error)"])
            try await postpone(batch, "not_stored")
            return 0
        }
    }

    private func keep(_ read: ReadBatch, of batch: AnnouncedBatch) async throws -> Int {
        let outcome = try await store.keep(read, of: batch, days: plan.days, at: clock.now)
        metrics.count(read, outcome, at: clock.now)
        var metadata: Logger.Metadata = [
            "batch": "\(batch.tag)", "state": "\(read.state.rawValue)", "keys": "\(read.count)",
            "imported": "\(outcome.imported)",
        ]
        if let reason = read.reason { metadata["reason"] = "\(reason)" }
        switch read.state {
        case .announced, .imported: logger.info("batch read", metadata: metadata)
        case .gone: logger.warning("the gateway doesn't have the batch", metadata: metadata)
        case .partial, .quarantined: logger.error("batch not fully used", metadata: metadata)
        }
        return outcome.imported
    }

    private func postpone(_ batch: AnnouncedBatch, _ reason: String, _ said: String? = nil) async throws {
        logger.warning(
            "batch can't be read yet; trying again",
            metadata: ["batch": "\(batch.tag)", "reason": "\(reason)", "answer": "\(said ?? "none")"])
        let now = clock.now
        try await store.postpone(
            batch, until: Self.pause.end(after: batch.attempts, from: now), reason: reason, said, at: now)
    }
}

extension BatchAudit.Verdict {
    fileprivate var hasFailed: Bool {
        if case .failed = outcome { true } else { false }
    }
}

extension BatchAudit.Outcome {
    /// As it is stored and counted.
    var label: String {
        switch self {
        case .verified: "verified"
        case .own: "own"
        case .failed(let flaw): flaw.label
        }
    }
}
