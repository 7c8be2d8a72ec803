import ExposureKeys
import FederationFormat
import Foundation
import TestSupport
import Testing

@testable import DevelopmentGateway

/// What `federation` and the suite rely on: uploads become batches that others download and audit.
@Suite(.timeLimit(.minutes(5))) struct ExchangeTests {
    @Test("an upload in either form is stored, and downloaded in either")
    func forms() async throws {
        try await Stage.with { stage in
            let keys = try stage.keys(2)
            for (number, key) in keys.enumerated() {
                let answer = try await stage.send(stage.parcel([key], tag: "DE-\(number)", isJSON: number == 1))
                #expect(answer.status == 201)
                #expect(answer["batchTag"] == "DE-\(number)")
                #expect(answer.body.isEmpty)
            }
            #expect(stage.gateway.batch().map(\.text) == ["20300317-1"])
            let answer = try await stage.download(as: stage.austria)
            #expect(try answer.keys == keys)
            #expect(answer["batchTag"] == "20300317-1")
            #expect(answer["nextBatchTag"] == "null")
            #expect(answer["content-type"] == "application/protobuf;version=1.0")
            let json = try await stage.download(accept: Stage.json, as: stage.austria)
            #expect(try ReceivedBatch(json: json.body, limit: 1 << 20).keys == keys)
            // The caller's own keys are left out.
            let own = try await stage.download()
            #expect(own.status == 200 && own.body.isEmpty)
            #expect(try await stage.download(accept: Stage.json).text == "{}")
            // No keys are a good upload that leaves no trace.
            let empty = try await stage.parcel([], tag: "empty", isJSON: true)
            for _ in 0..<2 { #expect(try await stage.send(empty).status == 201) }
            #expect(stage.gateway.batch().isEmpty)
        }
    }

    @Test("every upload has an entry in the audit that proves its country, the caller's own too")
    func audit() async throws {
        try await Stage.with { stage in
            try await stage.upload(stage.keys(2, from: Stage.austria), of: stage.austria)
            try await stage.upload(stage.keys(3))
            try await stage.frenchUpload(keys: 4)
            try await stage.upload(stage.keys(5, from: Stage.austria), of: stage.austria)
            let tag = try #require(stage.gateway.batch().first).text
            func entries() async throws -> [AuditEntry] {
                try #require(AuditEntry.list(json: try await stage.audit(tag).body, limit: 1 << 20))
            }
            let all = try await entries()
            #expect(all.map(\.country) == ["AT", "DE", "FR", "AT"])
            #expect(all.map(\.amount) == [2, 3, 4, 5])
            #expect(all.allSatisfy { $0.uploadedTime == "2030-03-17T12:00:00.000Z" })
            let audit = try await stage.verdicts(tag)
            #expect(audit.verdicts.map(\.outcome) == [.verified, .own, .verified, .verified])
            #expect(audit.unclaimed.isEmpty)
            // Of the same batch Austria gets other keys.
            #expect(
                try await stage.verdicts(tag, as: stage.austria).verdicts.map(\.outcome)
                    == [.own, .verified, .verified, .own])
            // A revoked certificate is shown, one that is gone isn't.
            stage.gateway.changeCertificates { table in
                for row in table.rows.indices { table.rows[row].isRevoked = table.rows[row].country == Stage.france }
                table.rows.removeAll { $0.country == Stage.france && $0.kind == .authentication }
            }
            let french = try await entries()[2]
            #expect(french.uploaderCertificate == nil && french.uploaderOperatorSignature == nil)
            #expect(french.signingCertificate == stage.france.signing.certificate.pem)
        }
    }

    @Test("links lead across midnight, and an earlier day does for a later batch")
    func links() async throws {
        try await Stage.with { stage in
            let tomorrow = Stage.today.advanced(by: 1)
            for _ in 0..<2 {
                try await stage.frenchUpload()
                stage.gateway.batch()
            }
            stage.clock.set(tomorrow.firstHour.start.addingTimeInterval(60))
            try await stage.frenchUpload()
            stage.gateway.batch()
            #expect(try await stage.download(Stage.today, "20300317-1")["nextBatchTag"] == "20300317-2")
            #expect(try await stage.download(Stage.today, "20300317-2")["nextBatchTag"] == "20300318-1")
            #expect(try await stage.download(Stage.today, "20300318-1").status == 200)
            #expect(try await stage.download(tomorrow, "20300317-2").status == 400)
            // Without a tag, the first batch of the day or of a later one.
            #expect(try await stage.download(Stage.today.advanced(by: -1))["batchTag"] == "20300317-1")
            #expect(try await stage.download(tomorrow)["batchTag"] == "20300318-1")
        }
    }

    @Test("a batch takes whole uploads, up to 5,000 keys")
    func batches() async throws {
        try await Stage.with { stage in
            for count in [2000, 3000, 1, 4999, 2] { try await stage.upload(stage.keys(count)) }
            #expect(stage.gateway.batch().map(\.text) == ["20300317-1", "20300317-2", "20300317-3"])
            let counts = stage.gateway.state.with(at: stage.clock.now) {
                $0.batches.map { $0.uploads.map(\.keys.count) }
            }
            #expect(counts == [[2000, 3000], [1, 4999], [2]])
        }
    }

    @Test("keys, tags and duplicates are forgotten at midnight two days after their own, and batches stay")
    func retention() async throws {
        try await Stage.with { stage in
            let keys = try stage.keys(2)
            try await stage.upload(keys, tag: "same")
            stage.gateway.batch()
            stage.clock.set(Stage.today.advanced(by: 2).lastHour.end.addingTimeInterval(-1))
            #expect(try await stage.upload(keys, tag: "same").status == 409)
            #expect(try await stage.upload(keys, tag: "other").status == 207)
            stage.clock.advance(by: 1)
            #expect(try await stage.upload(keys, tag: "same").status == 201)
            #expect(stage.gateway.batch().map(\.text) == ["20300320-1"])
            #expect(
                stage.gateway.state.with(at: stage.clock.now) { $0.batches.map(\.uploads.count) } == [0, 1])
        }
    }

    // MARK: 207

    @Test(
        "of a batch with a duplicate, the European gateway stores nothing and the Swiss the rest",
        arguments: GatewayMode.allCases)
    func duplicates(mode: GatewayMode) async throws {
        try await Stage.with(mode) { stage in
            let keys = try stage.keys(4)
            try await stage.upload([keys[1]])
            let answer = try await stage.upload(keys, tag: "again")
            #expect(answer.status == 207)
            #expect(answer["batchTag"] == nil)
            #expect(answer["content-type"] == "application/json")
            #expect(answer.text == #"{"201":[0,2,3],"409":[1],"500":[]}"#)
            let next = try await stage.upload([keys[0], keys[2], keys[3]], tag: "again")
            #expect(next.status == (mode == .efgs ? 201 : 409))
            #expect(try await stage.upload([keys[0]]).text == #"{"201":[],"409":[0],"500":[]}"#)
            // Another origin makes another record of the same key.
            let austrian = try stage.keys(1, from: Stage.austria, data: [keys[0].data])
            #expect(try await stage.upload(austrian, of: stage.austria).status == 201)
        }
    }

    @Test("a key of an unknown type can't be stored, nor a tag that is too long", arguments: GatewayMode.allCases)
    func unstorable(mode: GatewayMode) async throws {
        try await Stage.with(mode) { stage in
            let keys = try stage.keys(2)
            var unchecked = keys.map { UncheckedKey($0) }
            unchecked[1].reportType = 9
            var parcel = try await stage.parcel(keys)
            let second = try KeyBatch.protobuf([keys[1]])
            // The field comes once more at the end of the message, and counts.
            parcel.body = try KeyBatch.protobuf([keys[0]]) + [second[0], second[1] + 2] + second[2...] + [0x38, 0x09]
            parcel["batchSignature"] =
                try await BatchSignature.make(
                    over: KeyRecords(unchecked).signedBytes, by: stage.germany.signing.signer
                ).field
            let expected = mode == .efgs ? #"{"201":[0],"409":[],"500":[1]}"# : #"{"201":[],"409":[],"500":[1,0]}"#
            let answer = try await stage.send(parcel)
            #expect(answer.status == 207 && answer.text == expected)
            let long = try await stage.upload(stage.keys(1), tag: String(repeating: "t", count: 65))
            #expect(long.status == 207)
            #expect(
                long.text
                    == (mode == .efgs ? #"{"201":[],"409":[0],"500":[]}"# : #"{"201":[],"409":[],"500":[0]}"#))
            #expect(stage.gateway.batch().isEmpty)
        }
    }
}
