import ExposureKeys
import FederationFormat
import FoundationEssentials
import Logging
import Running

/// Sends the batches that wait, each signed.
///
/// A batch that is sent again has the same bytes and the same tag, which the gateway then knows. So a lost answer, or a kill at any moment,
/// makes neither a double nor a loss, as long as the gateway remembers the tag: three days at the European one.
///
/// Never are two on their way: the gateway would mix their keys, and nobody could tell them apart (`DiagnosisKeyBatchService` numbers keys as
/// they come). So nothing is sent for two minutes after one whose end nobody knows, also by the next process.
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
    /// It stops at the first batch whose end nobody knows: the others wait for a later run.
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
            try await store.begin(current, at: clock.now)
            let reply = await client.upload(
                try current.batch.protobuf(), tag: current.batch.tag(of: plan.origin), signature: signature)
            metrics.count(reply)
            let verdict = UploadVerdict(reply, of: current.batch.keys.count, to: behaviour)
            delivered += try await settle(current, verdict, reply.said)
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
    private func settle(_ batch: OutgoingBatch, _ verdict: UploadVerdict, _ said: String?) async throws -> Int {
        let count = batch.batch.keys.count
        var settlement = Settlement()
        switch verdict {
        case .later(let reason):
            try await postpone(batch, reason: reason, said)
            return 0
        case .refused(let reason):
            settlement.successors = [refused(batch.batch, of: batch, reason, said)]
        case .split:
            let halves = KeyBatch.divide(batch.batch.keys, largest: (count + 1) / 2)
            settlement.successors =
                halves.count == 2 && count >= 2 * plan.smallestBatch
                ? halves.map { .init(batch: $0, state: .waiting, reason: nil) }
                : [refused(batch.batch, of: batch, "status_413", said)]
        case .mixed(let again, let failed):
            if let again = batch.batch.subset(again) {
                let isEnough = again.keys.count >= plan.smallestBatch
                settlement.successors.append(.init(batch: again, state: isEnough ? .waiting : .carried, reason: nil))
            }
            if let failed = batch.batch.subset(failed) {
                settlement.successors.append(refused(failed, of: batch, "not_stored", said))
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

    /// Keys that are only sent again on command.
    private func refused(
        _ keys: KeyBatch, of batch: OutgoingBatch, _ reason: String, _ said: String?
    ) -> Settlement.Successor {
        let tag = keys.tag(of: plan.origin)
        logger.error(
            "the gateway refuses a batch",
            metadata: ["batch": "\(tag)", "reason": "\(reason)", "answer": "\(said ?? "none")"])
        return Settlement.Successor(
            batch: keys, state: .refused, reason: reason, answer: said, attempts: batch.attempts + 1)
    }

    private func postpone(_ batch: OutgoingBatch, reason: String, _ said: String? = nil) async throws {
        logger.warning(
            "batch isn't delivered; trying again",
            metadata: [
                "batch": "\(batch.batch.tag(of: plan.origin))", "reason": "\(reason)", "answer": "\(said ?? "none")",
            ])
        let now = clock.now
        try await store.postpone(
            batch, until: Self.pause.end(after: batch.attempts, from: now), reason: reason, said, at: now)
    }
}
