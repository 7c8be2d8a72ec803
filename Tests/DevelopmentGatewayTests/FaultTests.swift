import AsyncHTTPClient
import DevelopmentGatewayAPI
import FederationFormat
import Foundation
import HTTPContract
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import DevelopmentGateway

/// How the gateway misbehaves when it is told to, and what a client that audits makes of it.
@Suite(.timeLimit(.minutes(5))) struct FaultTests {
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

    private static let tag = "20300317-1"

    @Test func `a fault comes as often as it was asked for, with its operation only`() async throws {
        try await with(.unavailable, .download, times: 2) { stage in
            try stage.gateway.misbehave(GatewayBehaviour(.tooManyRequests, .download, times: 1))
            #expect(try await stage.upload(stage.keys(1)).status == 201)
            #expect(try await stage.audit(Self.tag).status == 200)
            for status in [503, 503, 429, 200] { #expect(try await stage.download().status == status) }
        }
    }

    @Test func `faults of every operation are there until they are forgotten`() async throws {
        try await with(.tooManyRequests) { stage in
            #expect(try await stage.upload(stage.keys(1)).status == 429)
            #expect(try await stage.download().status == 429)
            #expect(try await stage.audit(Self.tag).status == 429)
            #expect(try await stage.send(.GET, "/diagnosiskeys/callback").status == 429)
            try stage.gateway.misbehave(GatewayBehaviour(.none))
            #expect(try await stage.download().status == 200)
        }
    }

    @Test func `an operation has its own faults only`() async throws {
        try await Stage.with { stage in
            for behaviour in [
                GatewayBehaviour(.loop, .upload), .init(.partial, .download), .init(.untrusted, .callbacks),
                .init(.unavailable, times: 0),
            ] {
                #expect(throws: Problem.badRequest) { try stage.gateway.misbehave(behaviour) }
            }
            for fault in GatewayBehaviour.Fault.allCases {
                for operation in fault.operations {
                    try stage.gateway.misbehave(GatewayBehaviour(fault, operation, times: 1))
                }
            }
        }
    }

    // MARK: Connections

    @Test func `a page in front of the gateway looks like success`() async throws {
        try await with(.page) { stage in
            let answer = try await stage.upload(stage.keys(1))
            #expect(answer.status == 200)
            #expect(answer["content-type"] == "text/html")
            #expect(answer.text.hasPrefix("<!DOCTYPE html>"))
        }
    }

    @Test func `an upload whose answer is lost is stored`() async throws {
        try await with(.lostAnswer, .upload, times: 1) { stage in
            let parcel = try await stage.parcel(stage.keys(1))
            await #expect(throws: (any Error).self) { try await stage.send(parcel) }
            #expect(try await stage.send(parcel).status == 409)
        }
    }

    @Test func `an upload whose connection is closed early isn't`() async throws {
        try await with(.hangUp, .upload, times: 1) { stage in
            let parcel = try await stage.parcel(stage.keys(1))
            await #expect(throws: (any Error).self) { try await stage.send(parcel) }
            #expect(try await stage.send(parcel).status == 201)
        }
    }

    @Test(arguments: [GatewayBehaviour.Operation.download, .audit]) func `a slow answer goes on`(
        operation: GatewayBehaviour.Operation
    ) async throws {
        try await with(.slow, operation) { stage in
            let path = operation == .audit ? "audit/download/2030-03-17/\(Self.tag)" : "download/2030-03-17"
            let response = try await stage.open(
                .GET, "/diagnosiskeys/\(path)", [("Accept", operation == .audit ? "*/*" : Stage.protobuf)])
            #expect(response.status == .ok)
            #expect(response.headers["content-length"].isEmpty)
            var bytes = 0
            for try await chunk in response.body {
                bytes += chunk.readableBytes
                if bytes > 2 { break }
            }
            #expect(bytes == 3)
        }
    }

    @Test func `an endless answer is longer than anybody reads`() async throws {
        try await with(.endless) { stage in
            await #expect(throws: (any Error).self) {
                try await stage.send(
                    .GET, "/diagnosiskeys/download/2030-03-17", [("Accept", Stage.protobuf)], upTo: 1 << 20)
            }
        }
    }

    // MARK: Uploads

    @Test func `a partial answer names known keys and failed ones, and nothing is stored`() async throws {
        try await with(.partial, times: 1) { stage in
            let keys = try stage.keys(8)
            let answer = try await stage.upload(keys, tag: "again")
            #expect(answer.status == 207)
            #expect(answer.text == #"{"201":[0,1,3,4,7],"409":[2,5],"500":[6]}"#)
            #expect(try await stage.upload(keys, tag: "again").status == 201)
        }
    }

    // MARK: Chains

    @Test func `an endless chain leads to ever new batches`() async throws {
        try await with(.endlessChain) { stage in
            var answer = try await stage.download()
            #expect(try answer.keys.count == 3)
            var tags: Set<String> = []
            for _ in 0..<5 {
                let next = try #require(answer["nextBatchTag"])
                #expect(BatchTag(next)?.day == Stage.today)
                #expect(tags.insert(next).inserted)
                answer = try await stage.download(Stage.today, next)
                #expect(answer.status == 200)
                #expect(answer["batchTag"] == next)
            }
        }
    }

    @Test func `a loop leads back to the same batch`() async throws {
        try await with(.loop) { stage in
            let answer = try await stage.download()
            #expect(answer["nextBatchTag"] == Self.tag)
            #expect(answer["batchTag"] == Self.tag)
        }
    }

    @Test func `another batch's tag is in the answer`() async throws {
        try await with(.otherTag) { stage in
            let answer = try await stage.download(Stage.today, Self.tag)
            #expect(answer.status == 200)
            #expect(answer["batchTag"] != Self.tag)
        }
    }

    // MARK: Audits

    private func flaw(_ fault: GatewayBehaviour.Fault) async throws -> AuditFlaw? {
        var found: AuditFlaw?
        try await with(fault) { stage in
            let outcomes = try await stage.verdicts(Self.tag).verdicts.map(\.outcome)
            #expect(outcomes.count == 2)
            #expect(outcomes.first == .own)
            if case .failed(let flaw) = outcomes.last { found = flaw }
        }
        return found
    }

    @Test func `an audit finds what is wrong with it`() async throws {
        #expect(try await flaw(.none) == nil)
        #expect(try await flaw(.wrongAmount) == .amount)
        #expect(try await flaw(.otherSignature) == .signature(.mismatch))
        #expect(try await flaw(.untrusted) == .operatorSignature(.uploader))
        #expect(try await flaw(.withoutCertificates) == .missing(.uploader))
    }

    @Test func `an audit may be missing`() async throws {
        try await with(.withoutAudit, times: 1) { stage in
            let missing = try await stage.audit(Self.tag)
            #expect(missing.status == 404)
            #expect(try await stage.audit(Self.tag).status == 200)
        }
    }

    @Test func `a foreign origin is nobody's in the audit`() async throws {
        try await Stage.with { stage in
            try await stage.upload(stage.keys(2, from: Stage.austria), of: stage.austria)
            stage.gateway.batch()
            try stage.gateway.misbehave(GatewayBehaviour(.foreignOrigin))
            #expect(try await stage.download().keys.map(\.origin.text) == ["FR", "FR"])
            let audit = try await stage.verdicts(Self.tag)
            #expect(audit.verdicts.map(\.outcome) == [.failed(.amount)])
            #expect(audit.unclaimed == [0, 1])
        }
    }

    @Test func `the caller's own keys come back with another country's name and signature`() async throws {
        try await Stage.with { stage in
            let own = try stage.keys(2)
            try await stage.upload(own)
            try await stage.frenchUpload(keys: 1)
            stage.gateway.batch()
            try stage.gateway.misbehave(GatewayBehaviour(.ownKeys))
            for _ in 0..<2 {
                let keys = try await stage.download().keys
                #expect(keys.count == 3)
                #expect(keys.allSatisfy { $0.origin == Stage.france })
                #expect(Set(keys.map(\.data)).isSuperset(of: own.map(\.data)))
                // Nothing in the audit is wrong: only the keys themselves tell.
                let audit = try await stage.verdicts(Self.tag)
                #expect(audit.verdicts.map(\.outcome) == [.own, .verified, .verified])
            }
        }
    }
}
