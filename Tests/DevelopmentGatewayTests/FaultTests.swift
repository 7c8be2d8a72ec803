import DevelopmentGatewayAPI
import FederationFormat
import Foundation
import HTTPContract
import HTTPTypes
import OutsideCalls
import TestSupport
import Testing

@testable import DevelopmentGateway

/// How the gateway misbehaves when it is told to, and what a client that audits makes of it.
@Suite(.timeLimit(.minutes(5))) struct FaultTests {
    private static let tag = "20300317-1"

    /// A batch with an upload of Germany and one of France, and then a fault.
    private func with(
        _ fault: GatewayBehaviour.Fault, _ operation: GatewayBehaviour.Operation? = nil, times: Int? = nil,
        _ body: (Stage) async throws -> Void
    ) async throws {
        try await Stage.with { stage in
            try await stage.upload(stage.keys(2))
            try await stage.frenchUpload()
            stage.gateway.batch()
            try stage.gateway.misbehave(GatewayBehaviour(fault, operation, times: times))
            try await body(stage)
        }
    }

    @Test("a fault comes as often as it was asked for, with its operation only, until it is forgotten")
    func counting() async throws {
        try await with(.unavailable, .download, times: 2) { stage in
            try stage.gateway.misbehave(GatewayBehaviour(.tooManyRequests, .download, times: 1))
            #expect(try await stage.audit(Self.tag).status == 200)
            for status in [503, 503, 429, 200] { #expect(try await stage.download().status == status) }
            try stage.gateway.misbehave(GatewayBehaviour(.tooManyRequests))
            #expect(try await stage.upload(stage.keys(1)).status == 429)
            #expect(try await stage.send(.get, "/diagnosiskeys/callback").status == 429)
            try stage.gateway.misbehave(GatewayBehaviour(.none))
            #expect(try await stage.upload(stage.keys(1)).status == 201)
            for behaviour in [
                GatewayBehaviour(.loop, .upload), .init(.partial, .download), .init(.untrusted, .callbacks),
                .init(.unavailable, times: 0),
            ] {
                #expect(throws: Problem.badRequest) { try stage.gateway.misbehave(behaviour) }
            }
        }
    }

    // MARK: Connections

    @Test("a page in front looks like success, and an answer that is lost like no connection")
    func connections() async throws {
        try await with(.page, times: 1) { stage in
            let page = try await stage.upload(stage.keys(1))
            #expect(page.status == 200 && page["content-type"] == "text/html")
            // The upload is stored, or isn't, by when the connection ended.
            for (fault, status) in [(GatewayBehaviour.Fault.lostAnswer, 409), (.hangUp, 201)] {
                try stage.gateway.misbehave(GatewayBehaviour(fault, .upload, times: 1))
                let parcel = try await stage.parcel(stage.keys(1))
                await #expect(throws: OutsideProblem.malformed) { try await stage.send(parcel) }
                #expect(try await stage.send(parcel).status == status)
            }
        }
    }

    @Test("a slow answer lasts longer, and an endless one is longer, than anybody reads")
    func endless() async throws {
        try await with(.slow, times: 1) { stage in
            let path = "/diagnosiskeys/download/2030-03-17"
            await #expect(throws: OutsideProblem.timedOut) {
                try await stage.send(.get, path, ["Accept": Stage.protobuf], within: .seconds(1))
            }
            try stage.gateway.misbehave(GatewayBehaviour(.endless))
            await #expect(throws: OutsideProblem.tooLarge) {
                try await stage.send(.get, path, ["Accept": Stage.protobuf], upTo: 20 << 20)
            }
        }
    }

    @Test("a refusal has the gateway's words or none, and a later version's answers have more in them")
    func refusals() async throws {
        try await with(.refused, .download, times: 1) { stage in
            let refused = try await stage.download()
            #expect(refused.status == 403 && refused.text.contains(#""detail":"Client certificate is revoked""#))
            try stage.gateway.misbehave(GatewayBehaviour(.refusedSilently, .download, times: 1))
            let silent = try await stage.download()
            #expect(silent.status == 403 && silent.text == "")
            let usual = try await stage.download()
            try stage.gateway.misbehave(GatewayBehaviour(.addedFields, times: 2))
            let later = try await stage.download()
            #expect(
                later.status == 200 && later["x-added-later"] == "1" && later.text.utf8.count > usual.text.utf8.count)
            #expect(try later.keys == usual.keys)
            let audit = try await stage.audit(Self.tag)
            #expect(audit.status == 200 && audit.text.contains(#"{"addedLater":[1],""#))
        }
    }

    @Test("a partial answer names known keys and failed ones, and nothing is stored")
    func partial() async throws {
        try await with(.partial, times: 1) { stage in
            let keys = try stage.keys(8)
            let answer = try await stage.upload(keys, tag: "again")
            #expect(answer.status == 207)
            #expect(answer.text == #"{"201":[0,1,3,4,7],"409":[2,5],"500":[6]}"#)
            #expect(try await stage.upload(keys, tag: "again").status == 201)
        }
    }

    // MARK: Chains

    @Test("an endless chain leads to ever new batches, a loop to the same one, and a tag may be another batch's")
    func chains() async throws {
        try await with(.endlessChain) { stage in
            var answer = try await stage.download()
            #expect(try answer.keys.count == 3)
            var tags: Set<String> = []
            for _ in 0..<3 {
                let next = try #require(answer["nextBatchTag"])
                #expect(BatchTag(next)?.day == Stage.today)
                #expect(tags.insert(next).inserted)
                answer = try await stage.download(Stage.today, next)
                #expect(answer.status == 200 && answer["batchTag"] == next)
            }
            try stage.gateway.misbehave(GatewayBehaviour(.none))
            try stage.gateway.misbehave(GatewayBehaviour(.loop, times: 1))
            #expect(try await stage.download()["nextBatchTag"] == Self.tag)
            try stage.gateway.misbehave(GatewayBehaviour(.otherTag, times: 1))
            #expect(try await stage.download(Stage.today, Self.tag)["batchTag"] != Self.tag)
        }
    }

    // MARK: Audits

    @Test(
        "an audit finds what is wrong with it",
        arguments: [
            (GatewayBehaviour.Fault.none, nil), (.wrongAmount, AuditFlaw.amount),
            (.otherSignature, .signature(.mismatch)), (.untrusted, .operatorSignature(.uploader)),
            (.withoutCertificates, .missing(.uploader)),
        ])
    func audit(fault: GatewayBehaviour.Fault, flaw: AuditFlaw?) async throws {
        try await with(fault) { stage in
            let outcomes = try await stage.verdicts(Self.tag).verdicts.map(\.outcome)
            #expect(outcomes == [.own, flaw.map { .failed($0) } ?? .verified])
        }
    }

    @Test("uploads of one country that take turns fail its audit, and no other's")
    func interleaved() async throws {
        try await with(.interleaved) { stage in
            #expect(try await stage.verdicts(Self.tag).verdicts.map(\.outcome) == [.own, .verified])
            try stage.gateway.misbehave(GatewayBehaviour(.none))
            for _ in 0..<2 { try await stage.frenchUpload() }
            try await stage.upload(stage.keys(2, from: Stage.austria), of: stage.austria)
            stage.gateway.batch()
            try stage.gateway.misbehave(GatewayBehaviour(.interleaved))
            let mismatch = BatchAudit.Outcome.failed(.signature(.mismatch))
            #expect(
                try await stage.verdicts("20300317-2").verdicts.map(\.outcome) == [mismatch, mismatch, .verified])
        }
    }

    @Test("an audit may be missing, and keys may have another origin, or be the caller's own")
    func others() async throws {
        try await with(.withoutAudit, times: 1) { stage in
            #expect(try await stage.audit(Self.tag).status == 404)
            #expect(try await stage.audit(Self.tag).status == 200)
            try stage.gateway.misbehave(GatewayBehaviour(.ownKeys))
            for _ in 0..<2 {
                let keys = try await stage.download().keys
                #expect(keys.count == 5)
                #expect(keys.allSatisfy { $0.origin == Stage.france })
                // Nothing in the audit is wrong: only the keys themselves tell.
                let audit = try await stage.verdicts(Self.tag)
                #expect(audit.verdicts.map(\.outcome) == [.own, .verified, .verified])
            }
            try stage.gateway.misbehave(GatewayBehaviour(.none))
            try await stage.upload(stage.keys(2, from: Stage.austria), of: stage.austria)
            stage.gateway.batch()
            try stage.gateway.misbehave(GatewayBehaviour(.foreignOrigin))
            let audit = try await stage.verdicts("20300317-2")
            #expect(audit.verdicts.map(\.outcome) == [.failed(.amount)])
            #expect(audit.unclaimed == [0, 1])
        }
    }
}
