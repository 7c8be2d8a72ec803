import DevelopmentGateway
import DevelopmentGatewayAPI
import ExposureKeys
import FederationFormat
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Federation

/// Sending to a gateway that answers in every way.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct SendBatchesTests {
    @Test(arguments: [GatewayMode.efgs, .chgs])
    func `every key of the stream arrives once, signed`(_ mode: GatewayMode) async throws {
        try await GatewayStage.run(mode) { stage in
            let keys = try await stage.publish(300)
            try await stage.run()
            #expect(try stage.arrived().map(Set.init) == [keys])
            try await stage.run(after: 3600)
            #expect(try stage.arrived().count == 1)
            #expect(try await stage.database.status.status().keysSent == 300)
        }
    }

    @Test func `more keys than fit are divided evenly`() async throws {
        try await GatewayStage.run(settings: ["upload.largestBatch": "280"]) { stage in
            let keys = try await stage.publish(281)
            try await stage.run()
            let arrived = try stage.arrived()
            #expect(arrived.map(\.count).sorted() == [140, 141])
            #expect(Set(arrived.flatMap { $0 }) == keys)
        }
    }

    @Test(arguments: [GatewayBehaviour.Fault.lostAnswer, .unavailable, .tooManyRequests, .page, .hangUp])
    func `whatever is lost, the keys arrive once`(_ fault: GatewayBehaviour.Fault) async throws {
        try await GatewayStage.run { stage in
            let keys = try await stage.publish(200)
            try stage.gateway.misbehave(GatewayBehaviour(fault, .upload, times: 2))
            try await stage.run()
            #expect(try await stage.database.status.status().keysSent == 0)
            // The first pause is a minute at most.
            for _ in 0..<4 { try await stage.run(after: 240) }
            #expect(try stage.arrived().map(Set.init) == [keys])
            #expect(try await stage.database.status.status().keysSent == 200)
        }
    }

    @Test func `the European gateway has stored nothing of a mixed batch, so what is new is sent again`() async throws {
        try await GatewayStage.run { stage in
            let keys = try await stage.publish(600)
            try stage.gateway.misbehave(GatewayBehaviour(.partial, .upload, times: 1))
            try await stage.run()
            // Every third key was known, every seventh of the others can't be stored, says the answer.
            let arrived = try stage.arrived()
            #expect(arrived.count == 1)
            let refused = Set(try await stage.database.shared(.refused).flatMap { $0 }.map(\.data))
            let sent = Set(arrived.flatMap { $0 })
            #expect(!sent.isEmpty && !refused.isEmpty)
            #expect(sent.isDisjoint(with: refused))
            #expect(sent.union(refused).isSubset(of: keys))
            #expect(try await stage.troubled() == ["refused not_stored"])
            // On command, the rest is sent again; now the gateway takes it.
            #expect(try await stage.database.outgoing.retry(nil, at: stage.clock.now) == 1)
            try await stage.run()
            #expect(Set(try stage.arrived().flatMap { $0 }) == sent.union(refused))
        }
    }

    @Test func `a rest that is too small joins the next slot's keys`() async throws {
        try await GatewayStage.run { stage in
            let keys = try await stage.publish(200)
            try stage.gateway.misbehave(GatewayBehaviour(.partial, .upload, times: 1))
            try await stage.run()
            #expect(try stage.arrived().isEmpty)
            let carried = Set(try await stage.database.shared(.carried).flatMap { $0 }.map(\.data))
            #expect(!carried.isEmpty && carried.isSubset(of: keys))
            stage.clock.advance(by: 3600)
            let more = try await stage.publish(150, seed: 2)
            try await stage.run()
            #expect(try stage.arrived().map(Set.init) == [more.union(carried)])
        }
    }

    @Test func `keys that the gateway wouldn't take leave their batch, and the others arrive`() async throws {
        try await GatewayStage.run { stage in
            let old = try Sample.homeKeys(150, seed: 1, daysAgo: 13, at: stage.clock.now)
            let new = try Sample.homeKeys(150, seed: 2, at: stage.clock.now)
            try await stage.database.fold(stage.lastHour, (old + new).map { StreamedKey($0, .federated) })
            try await stage.database.publish(stage.lastHour...stage.lastHour)
            try stage.gateway.misbehave(GatewayBehaviour(.unavailable, .upload, times: 1))
            try await stage.run()
            try await stage.run(after: 2 * 86_400)
            #expect(try stage.arrived().map(Set.init) == [Set(new.map(\.data))])
        }
    }

    @Test func `a certificate that the gateway doesn't know sends nothing, and loses nothing`() async throws {
        try await GatewayStage.run { stage in
            let keys = try await stage.publish(200)
            stage.gateway.changeCertificates { table in
                for row in table.rows.indices where table.rows[row].country.text == "DE" {
                    table.rows[row].isRevoked = true
                }
            }
            // Looking for batches is refused as well.
            let said = "Client certificate is revoked"
            await #expect(throws: GatewayClient.Problem.refused(403, said: said)) { try await stage.run() }
            #expect(try stage.arrived().isEmpty)
            let status = try await stage.database.status.status()
            let waiting = try #require(status.delayed.first)
            #expect(waiting.reason == "status_403" && waiting.answer == said && waiting.direction == "out")
            let lines = status.lines(gateway: "efgs")
            #expect(
                lines.contains {
                    $0.hasPrefix("Looking for batches has failed since")
                        && $0.hasSuffix("status_403, and the gateway says: \(said)")
                })
            #expect(lines.contains { $0.contains("(out) is waiting: status_403, and the gateway says: \(said)") })
            let explained = try await stage.database.status.explain(#require(BatchTag(waiting.tag))).flatMap(\.lines)
            #expect(explained.contains("The gateway says: \(said)"))
            #expect(explained.contains { $0.contains("Tried 1 times") })
            #expect(try await Set(stage.database.shared().flatMap { $0 }.map(\.data)) == keys)
            stage.gateway.changeCertificates { table in
                for row in table.rows.indices { table.rows[row].isRevoked = false }
            }
            try await stage.run(after: 240)
            #expect(try stage.arrived().map(Set.init) == [keys])
        }
    }

    @Test func `a batch that is refused keeps the gateway's words, and how often it was sent`() async throws {
        try await GatewayStage.run { stage in
            try await stage.publish(200)
            stage.gateway.changeCertificates { table in
                table.rows.removeAll { $0.country.text == "DE" && $0.kind == .signing }
            }
            try await stage.run()
            let batch = try #require(try await stage.database.status.status().troubled.first)
            #expect(batch.state == "refused" && batch.reason == "status_400" && batch.answer == "Invalid signature")
            let lines = try await stage.database.status.explain(#require(BatchTag(batch.tag))).flatMap(\.lines)
            #expect(lines.contains("The gateway says: Invalid signature"))
            #expect(lines.contains { $0.contains("Tried 1 times") })
        }
    }

    @Test(arguments: [GatewayBehaviour.Fault.gatewayTimeout, .lostAnswer, .hangUp])
    func `while one batch may still be on its way, no other is sent, by no process`(
        _ fault: GatewayBehaviour.Fault
    ) async throws {
        try await GatewayStage.run(settings: ["upload.largestBatch": "280"]) { stage in
            let keys = try await stage.publish(281)
            try stage.gateway.misbehave(GatewayBehaviour(fault, .upload, times: 1))
            try await stage.run()
            let first = try stage.arrived().count
            #expect(first <= 1)
            // The jobs come every twenty seconds; the batch itself is due after a minute at most.
            for _ in 0..<5 { try await stage.run(after: 20) }
            #expect(try stage.arrived().count == first)
            try await stage.run(after: 30)
            #expect(Set(try stage.arrived().flatMap { $0 }) == keys)
            #expect(try await stage.database.status.status().keysSent == 281)
        }
    }

    @Test func `a process that is killed while it sends keeps the next one from sending`() async throws {
        try await GatewayStage.run { stage in
            let keys = try await stage.publish(200)
            let upload = try #require(stage.exchange.upload)
            _ = try await upload.share.decide(stage.lastHour, at: stage.clock.now)
            let batch = try #require(try await upload.store.next(after: 0, dueAt: stage.clock.now))
            try await upload.store.begin(batch, at: stage.clock.now)
            try await stage.run(after: 100)
            #expect(try stage.arrived().isEmpty)
            try await stage.run(after: 30)
            #expect(try stage.arrived().map(Set.init) == [keys])
        }
    }

    @Test func `keys that another country has sent are no reason to send the batch again and again`() async throws {
        try await GatewayStage.run { stage in
            let keys = try await stage.publish(200)
            // The same batch, by an earlier process of which nobody knows any more.
            try await stage.run()
            try await stage.database.superuser.session { session in
                _ = try session.execute("DELETE FROM federation.outgoing_batch")
                _ = try session.execute("DELETE FROM federation.shared_slot")
            }
            try await stage.run()
            #expect(try stage.arrived().map(Set.init) == [keys])
            #expect(try await stage.database.status.status().keysSent == 200)
        }
    }
}
