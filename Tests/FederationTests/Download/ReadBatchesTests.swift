import DevelopmentGateway
import DevelopmentGatewayAPI
import ExposureKeys
import FederationFormat
import Foundation
import Postgres
import Running
import Synchronization
import TestSupport
import Testing

@testable import Federation

/// Reading what other countries uploaded, through a gateway that may lie.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct ReadBatchesTests {
    @Test(arguments: [GatewayMode.efgs, .chgs])
    func `what two countries signed is imported once, batch after batch`(_ mode: GatewayMode) async throws {
        try await GatewayStage.run(mode) { stage in
            var keys = try await stage.upload("FR", 150, batched: false)
            keys.formUnion(try await stage.upload("NL", 20))
            try await stage.run()
            #expect(try await stage.imported() == keys)
            // What follows the last batch is found by itself.
            keys.formUnion(try await stage.upload("NL", 30))
            keys.formUnion(try await stage.upload("FR", 40))
            try await stage.run(after: 600)
            #expect(try await stage.imported() == keys)
            try await stage.run(after: 600)
            #expect(try await stage.imported() == keys)
            #expect(try await stage.troubled() == [])
            let status = try await stage.database.status.status()
            #expect(status.keysImported == 240)
            #expect(Set(status.lastImports.keys.map(\.text)) == ["FR", "NL"])
        }
    }

    @Test func `a look without news asks once for what follows the last batch`() async throws {
        try await GatewayStage.run { stage in
            try await stage.upload("FR", 10)
            try await stage.run()
            try await stage.run(after: 3600)
            let before = stage.downloads
            // The two days before, and the last batch.
            try await stage.run(after: 3600)
            #expect(stage.downloads - before == 3)
        }
    }

    @Test func `the chain crosses midnight, and an outage of two days loses nothing`() async throws {
        try await GatewayStage.run { stage in
            var keys = try await stage.upload("FR", 10)
            stage.clock.advance(by: 86_400)
            keys.formUnion(try await stage.upload("NL", 10))
            stage.clock.advance(by: 86_400)
            keys.formUnion(try await stage.upload("FR", 10))
            try await stage.run()
            #expect(try await stage.imported() == keys)
        }
    }

    @Test func `days that the gateway has forgotten don't stop what comes after them`() async throws {
        try await GatewayStage.run(settings: ["gateway.days": "14"]) { stage in
            try await stage.upload("FR", 10)
            stage.clock.advance(by: 5 * 86_400)
            let keys = try await stage.upload("NL", 10)
            try await stage.run()
            #expect(try await stage.imported() == keys)
        }
    }

    @Test(arguments: [CountryUpload.Kind.forged, .replayed])
    func `an upload that its country didn't sign harms nobody else`(_ kind: CountryUpload.Kind) async throws {
        try await GatewayStage.run { stage in
            let first = try await stage.upload("NL", 5)
            let good = try await stage.upload("FR", 50, batched: false)
            try await stage.upload("NL", 60, kind)
            let after = try await stage.upload("NL", 70)
            try await stage.run()
            #expect(try await stage.imported() == first.union(good).union(after))
            let troubled = try await stage.troubled()
            #expect(troubled.count == 1 && troubled[0].hasPrefix("partial signature"))
        }
    }

    @Test func `bad keys cost only themselves`() async throws {
        try await GatewayStage.run { stage in
            let keys = try await stage.upload("FR", 40, .bad)
            try await stage.run()
            let imported = try await stage.imported()
            #expect(imported.count == 10 && imported.isSubset(of: keys))
            let left = try await stage.database.superuser.session { session in
                try session.rows(
                    "SELECT reason, keys FROM federation.left_out ORDER BY reason", as: String.self, Int32.self
                ).map { "\($0.0) \($0.1)" }
            }
            #expect(left == ["onset 10", "other_report_type 10", "unaligned 10"])
        }
    }

    @Test func `this country's keys that come back aren't imported`() async throws {
        try await GatewayStage.run { stage in
            try await stage.publish(200)
            try await stage.run()
            stage.gateway.batch()
            try await stage.upload("FR", 5)
            try stage.gateway.misbehave(GatewayBehaviour(.ownKeys, .download, times: 100))
            for _ in 0..<3 { try await stage.run(after: 600) }
            let home = Set(try Sample.homeKeys(200, seed: 1).map(\.data))
            #expect(try await stage.imported().isDisjoint(with: home))
        }
    }

    @Test(
        arguments: [
            (GatewayBehaviour.Fault.page, GatewayBehaviour.Operation.download), (.endless, .download),
            (.slow, .download), (.otherTag, .download), (.foreignOrigin, .download), (.unavailable, .download),
            (.hangUp, .download), (.endless, .audit), (.slow, .audit), (.page, .audit), (.wrongAmount, .audit),
            (.otherSignature, .audit), (.untrusted, .audit), (.withoutCertificates, .audit), (.withoutAudit, .audit),
            (.unavailable, .audit), (.hangUp, .audit),
        ])
    func `a gateway that lies once publishes nothing wrong, and loses nothing for ever`(
        _ fault: GatewayBehaviour.Fault, _ operation: GatewayBehaviour.Operation
    ) async throws {
        // Only what never ends is waited for.
        let deadline = fault == .slow ? "3" : "30"
        try await GatewayStage.run(settings: ["gateway.deadline": deadline]) { stage in
            // An earlier batch, whose signature a liar could use.
            let first = try await stage.upload("FR", 5)
            try await stage.run()
            let keys = try await stage.upload("FR", 20)
            try stage.gateway.misbehave(GatewayBehaviour(fault, operation, times: 1))
            // Without an answer to the look, the run fails, as the job does.
            try? await stage.run(after: 600)
            #expect(try await stage.imported().isSubset(of: first.union(keys)))
            let last = try await stage.upload("NL", 30)
            for _ in 0..<5 where try await !stage.imported().isSuperset(of: last) { try? await stage.run(after: 600) }
            #expect(try await stage.imported().isSuperset(of: last))
            // What was quarantined is read on command.
            let all = first.union(keys).union(last)
            for _ in 0..<5 where try await stage.imported() != all {
                _ = try await stage.database.incoming.retry(nil, at: stage.clock.now)
                try? await stage.run(after: 600)
            }
            #expect(try await stage.imported() == all)
        }
    }

    @Test func `uploads that a country sent at the same moment are left out, and no other country's`() async throws {
        try await GatewayStage.run { stage in
            var all = try await stage.upload("FR", 5, batched: false)
            all.formUnion(try await stage.upload("FR", 6, batched: false))
            let dutch = try await stage.upload("NL", 7)
            try stage.gateway.misbehave(GatewayBehaviour(.interleaved, .download))
            try await stage.run()
            #expect(try await stage.imported() == dutch)
            #expect(try await stage.troubled().map { $0.prefix(7) } == ["partial"])
            let explained = try await stage.database.status.explain(#require(BatchTag("20261124-1")))
            #expect(
                explained.flatMap(\.lines).contains {
                    $0.hasPrefix("2 uploads of FR don't match: if FR sent them at the same moment")
                })
            // Read again when the gateway gives them one by one.
            try stage.gateway.misbehave(GatewayBehaviour(.none))
            _ = try await stage.database.incoming.retry(nil, at: stage.clock.now)
            try await stage.run(after: 600)
            #expect(try await stage.imported() == all.union(dutch))
        }
    }

    @Test func `a country's certificate that is denied signs nothing from then on, without a restart`() async throws {
        let file = URL.temporaryDirectory.appending(path: "denied-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("# nobody\n".utf8).write(to: file)
        try await GatewayStage.run(settings: ["gateway.denied": file.path]) { stage in
            var keys = try await stage.upload("FR", 5)
            try await stage.run()
            #expect(try await stage.imported() == keys)
            let rows = Mutex<[String]>([])
            // The gateway's operator revokes it after an upload, and the audit goes on to show it.
            let uploaded = try await stage.upload("FR", 6, batched: false)
            stage.gateway.changeCertificates { table in
                for row in table.rows.indices {
                    guard table.rows[row].country.text == "FR", table.rows[row].kind == .signing else { continue }
                    table.rows[row].isRevoked = true
                    rows.withLock { $0.append(table.rows[row].thumbprint) }
                }
            }
            let thumbprint = try #require(rows.withLock { $0.first })
            try Data("\(thumbprint)\n".utf8).write(to: file)
            keys.formUnion(try await stage.upload("NL", 7))
            try await stage.run(after: 600)
            #expect(try await stage.imported() == keys)
            #expect(try await stage.troubled() == ["partial denied_signing"])
            // A list that is half-written believes nobody, and the batch is read later.
            try Data("\(thumbprint)".utf8).write(to: file)
            let more = try await stage.upload("NL", 8)
            try await stage.run(after: 600)
            #expect(try await stage.imported() == keys)
            #expect(try await stage.database.status.status().delayed.map(\.reason) == ["denied_unreadable"])
            try Data("\(thumbprint)\n".utf8).write(to: file)
            try await stage.run(after: 600)
            #expect(try await stage.imported() == keys.union(more))
            // The list alone keeps the upload out.
            try Data("# nobody\n".utf8).write(to: file)
            _ = try await stage.database.incoming.retry(nil, at: stage.clock.now)
            try await stage.run(after: 600)
            #expect(try await stage.imported() == keys.union(more).union(uploaded))
        }
        await #expect(throws: ConfigurationProblem.self) {
            try await GatewayStage.run(settings: ["gateway.denied": "/nowhere"]) { _ in }
        }
    }

    @Test func `an upload that fails, of a country that isn't imported, needs nobody`() async throws {
        try await GatewayStage.run(settings: ["download.countries": "NL"]) { stage in
            try await stage.upload("FR", 6, .forged, batched: false)
            let keys = try await stage.upload("NL", 7)
            try await stage.run()
            #expect(try await stage.imported() == keys)
            #expect(try await stage.troubled().isEmpty)
            #expect(!stage.runtime.metrics.text.contains("federation_audit_failures_total"))
            let explained = try await stage.database.status.explain(#require(BatchTag("20261124-1")))
            #expect(explained.flatMap(\.lines).contains { $0 == "Upload 1 of FR, 6 keys: country_left_out." })
        }
    }

    @Test(arguments: [GatewayBehaviour.Fault.loop, .endlessChain])
    func `a chain without end ends`(_ fault: GatewayBehaviour.Fault) async throws {
        try await GatewayStage.run { stage in
            let keys = try await stage.upload("FR", 20)
            try stage.gateway.misbehave(GatewayBehaviour(fault, .download, times: 20))
            for _ in 0..<3 { try await stage.run(after: 600) }
            #expect(try await stage.imported() == keys)
            try stage.gateway.misbehave(GatewayBehaviour(.none))
            let more = try await stage.upload("NL", 20)
            for _ in 0..<2 { try await stage.run(after: 3600) }
            #expect(try await stage.imported() == keys.union(more))
        }
    }
}
