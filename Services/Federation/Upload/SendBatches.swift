import ExposureKeys
import FederationFormat
import FoundationEssentials
import Logging
import Running

/// Sends the batches that wait, each signed.
///
/// A batch that is sent again has the same bytes and the same tag, which the gateway then knows. So a lost answer, or a kill at any moment,
/// makes neither a double nor a loss, as long as the gateway remembers the tag: three days at the European one.
struct SendBatches: Sendable {
    let store: OutgoingStore
    let client: GatewayClient
    let signer: any BatchSigner
    let behaviour: GatewayPlan.Behaviour
    let plan: UploadPlan
    let clock: WallClock
    let metrics: FederationMetrics
    let logger: Logger

    private static let pause = RetryPause(longest: 3600)

    /// Sends everything that is due.
    ///
    /// It stops at the first batch without an answer: the others wait for the next run.
    /// - Returns: how many keys arrived.
    func run() async throws -> Int {
        var delivered = 0
        var last: Int64 = 0
        while let batch = try await store.next(after: last, dueAt: clock.now) {
            try Task.checkCancellation()
            last = batch.id
            guard let current = try await withoutExpired(batch) else { continue }
            let signature: BatchSignature
            do {
                signature = try await BatchSignature.make(over: current.batch.records.signedBytes, by: signer)
            } catch {
                // Nothing unsigned leaves.
                logger.error("a batch can't be signed", metadata: ["reason": "\(type(of: error))"])
                try await postpone(current, reason: "unsigned")
                continue
            }
            let reply = await client.upload(
                try current.batch.protobuf(), tag: current.batch.tag(of: plan.origin), signature: signature)
            metrics.count(reply)
            let verdict = UploadVerdict(reply, of: current.batch.keys.count, to: behaviour)
            delivered += try await settle(current, verdict)
            if reply.status == nil { break }
        }
        return delivered
    }

    /// Takes out keys that the gateway wouldn't take any more, or that are not published any more: one of them would make it refuse
    /// the batch.
    /// - Returns: nil if no key is left.
    private func withoutExpired(_ batch: OutgoingBatch) async throws -> OutgoingBatch? {
        let now = clock.now
        let starts = FederatedKey.starts(acceptedAt: now)
        let kept = batch.batch.keys.filter {
            starts.contains($0.rollingPeriod.start) && !$0.rollingPeriod.hasExpired(at: now)
        }
        guard kept.count < batch.batch.keys.count, let left = KeyBatch(kept) else { return batch }
        metrics.leaveOut("expired", batch.batch.keys.count - kept.count)
        guard !kept.isEmpty else {
            try await store.settle(batch, Settlement(), at: now)
            return nil
        }
        // Those that are left were chosen among enough.
        try await store.replace(batch, by: left, at: now)
        return OutgoingBatch(id: batch.id, hour: batch.hour, batch: left, attempts: batch.attempts)
    }

    /// - Returns: how many keys have arrived.
    private func settle(_ batch: OutgoingBatch, _ verdict: UploadVerdict) async throws -> Int {
        let count = batch.batch.keys.count
        var settlement = Settlement()
        switch verdict {
        case .later(let reason):
            try await postpone(batch, reason: reason)
            return 0
        case .refused(let reason):
            settlement.successors = [.init(batch: batch.batch, state: .refused, reason: reason)]
        case .split:
            let halves = KeyBatch.divide(batch.batch.keys, largest: (count + 1) / 2)
            settlement.successors =
                halves.count == 2 && count >= 2 * plan.smallestBatch
                ? halves.map { .init(batch: $0, state: .waiting, reason: nil) }
                : [.init(batch: batch.batch, state: .refused, reason: "status_413")]
        case .mixed(let again, let failed):
            if let again = batch.batch.subset(again) {
                let isEnough = again.keys.count >= plan.smallestBatch
                settlement.successors.append(.init(batch: again, state: isEnough ? .waiting : .carried, reason: nil))
            }
            if let failed = batch.batch.subset(failed) {
                settlement.successors.append(.init(batch: failed, state: .refused, reason: "not_stored"))
            }
        case .delivered: break
        }
        try await store.settle(batch, settlement, at: clock.now)
        let arrived = count - settlement.successors.map(\.batch.keys.count).reduce(0, +)
        metrics.send(arrived)
        logger.info(
            "batch settled",
            metadata: [
                "batch": "\(batch.batch.tag(of: plan.origin))", "keys": "\(count)", "arrived": "\(arrived)",
                "states": "\(settlement.successors.map(\.state.rawValue).joined(separator: " "))",
            ])
        return arrived
    }

    private func postpone(_ batch: OutgoingBatch, reason: String) async throws {
        logger.warning(
            "batch isn't delivered; trying again",
            metadata: ["batch": "\(batch.batch.tag(of: plan.origin))", "reason": "\(reason)"])
        let now = clock.now
        try await store.postpone(
            batch, until: Self.pause.end(after: batch.attempts, from: now), reason: reason, at: now)
    }
}
