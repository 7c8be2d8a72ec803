import ExposureKeys
import FederationFormat
import Foundation
import TestSupport
import Testing

@testable import DevelopmentGateway

/// `POST /diagnosiskeys/upload` (efgs-federation-gateway, `UploadController` and its tests).
@Suite(.timeLimit(.minutes(5))) struct UploadTests {
    @Test(arguments: [false, true]) func `a good upload is stored, and its tag repeated`(isJSON: Bool) async throws {
        try await Stage.with { stage in
            let keys = try stage.keys(3)
            let answer = try await stage.send(stage.parcel(keys, tag: "DE-1", isJSON: isJSON))
            #expect(answer.status == 201)
            #expect(answer["batchTag"] == "DE-1")
            #expect(answer.body.isEmpty)
            let tag = try #require(stage.gateway.batch().first)
            #expect(try await stage.download(Stage.today, tag.text, as: stage.austria).keys == keys)
        }
    }

    @Test func `the tag and the signature are required, and so is a body`() async throws {
        try await Stage.with { stage in
            let good = try await stage.parcel(stage.keys(1))
            for field in ["batchTag", "batchSignature"] {
                var parcel = good
                parcel[field] = nil
                let answer = try await stage.send(parcel)
                #expect(answer.status == 400)
                #expect(answer["content-type"] == "application/problem+json")
                #expect(answer.detail == "Required header '\(field)' is not present.")
            }
            for type in [Stage.protobuf, Stage.json] {
                var parcel = good
                parcel.body = []
                parcel["Content-Type"] = type
                #expect(try await stage.send(parcel).status == 400)
            }
        }
    }

    @Test func `the media type is checked before the caller, the version after`() async throws {
        try await Stage.with { stage in
            let good = try await stage.parcel(stage.keys(1))
            func status(_ type: String?, as identity: FederationIdentity? = nil) async throws -> Int {
                var parcel = good
                parcel["Content-Type"] = type
                return try await stage.send(parcel, as: identity).status
            }
            for type in [nil, "text/plain", "application/x-protobuf; version=1.0", "protobuf"] {
                #expect(try await status(type, as: stage.stranger.authentication) == 415)
            }
            #expect(try await status("application/protobuf", as: stage.stranger.authentication) == 403)
            for type in ["", "; version=1", "; version=a.b", "; version=1.0.0"] {
                #expect(try await status("application/protobuf\(type)") == 400)
            }
            for version in ["1.1", "0.9", "2.0"] {
                #expect(try await status("application/protobuf; version=\(version)") == 406)
            }
            #expect(try await status("APPLICATION/Protobuf;version=1.0") == 201)
        }
    }

    @Test func `a caller that takes no JSON gets no answer to an upload`() async throws {
        try await Stage.with { stage in
            var parcel = try await stage.parcel(stage.keys(1))
            parcel["Accept"] = "application/protobuf; version=1.0"
            #expect(try await stage.send(parcel).status == 406)
            parcel["Accept"] = "*/*"
            #expect(try await stage.send(parcel).status == 201)
        }
    }

    @Test func `what isn't a batch is refused`() async throws {
        try await Stage.with { stage in
            let good = try await stage.parcel(stage.keys(1))
            func status(_ body: String, _ type: String) async throws -> Int {
                var parcel = good
                parcel.body = Array(body.utf8)
                parcel["Content-Type"] = type
                return try await stage.send(parcel).status
            }
            #expect(try await status("nonsense", Stage.protobuf) == 400)
            #expect(try await status("nonsense", Stage.json) == 400)
            #expect(try await status(#"{"keys":[{"keyData":"*"}]}"#, Stage.json) == 400)
            #expect(try await status(#"{"keys":[{"reportType":"HEARSAY"}]}"#, Stage.json) == 400)
        }
    }

    @Test func `the first key that breaks a rule is named`() async throws {
        try await Stage.with { stage in
            let now = Int(stage.clock.now.timeIntervalSince1970) / 600
            let oldest = Int(Stage.today.firstInterval.rawValue) - 15 * 144
            let rules: [(change: String, detail: String?)] = [
                (#""keyData":"AAAA""#, "The keydata is not 16 bytes."),
                (#""rollingStartIntervalNumber":\#(oldest - 1)"#, "Invalid rolling start interval number."),
                (#""rollingStartIntervalNumber":\#(now + 2)"#, "Invalid rolling start interval number."),
                (#""rollingStartIntervalNumber":2147483648"#, "Invalid rolling start interval number."),
                (#""rollingPeriod":145"#, "Invalid rolling period."),
                (#""rollingPeriod":0"#, "Invalid rolling period."),
                (#""transmissionRiskLevel":9"#, "Invalid transmission risk level."),
                (#""transmissionRiskLevel":-1"#, "Invalid transmission risk level."),
                // These are good, so that the signature, which isn't theirs, is refused.
                (#""rollingStartIntervalNumber":\#(oldest)"#, nil),
                (#""rollingStartIntervalNumber":\#(now + 1)"#, nil),
                (#""transmissionRiskLevel":2147483647"#, nil),
                (#""days_since_onset_of_symptoms":-30000"#, nil),
            ]
            for (change, detail) in rules {
                var parcel = try await stage.parcel(stage.keys(1), isJSON: true)
                let name = change.prefix { $0 != ":" }
                let members = [
                    #""keyData":"AAECAwQFBgcICQoLDA0ODw==""#, #""rollingStartIntervalNumber":\#(now - 144)"#,
                    #""rollingPeriod":144"#, #""origin":"DE""#,
                ].filter { !$0.hasPrefix(name) }
                parcel.body = Array(#"{"keys":[{\#((members + [change]).joined(separator: ","))}]}"#.utf8)
                let answer = try await stage.send(parcel)
                #expect(answer.status == 400)
                #expect(
                    answer.detail == detail.map { "Validation of diagnosis key failed: \($0)" } ?? "Invalid signature",
                    "\(change)")
                #expect(answer["content-type"] == (detail == nil ? "application/problem+json" : "application/json"))
            }
        }
    }

    @Test func `more than 5,000 keys are refused`() async throws {
        try await Stage.with { stage in
            var parcel = try await stage.parcel(stage.keys(1))
            parcel.body = [UInt8]((0..<5001).flatMap { _ in [0x0A, 0x00] as [UInt8] })
            #expect(try await stage.send(parcel).status == 413)
            parcel.body.removeLast(2)
            #expect(
                try await stage.send(parcel).detail
                    == "Validation of diagnosis key failed: The keydata is not 16 bytes.")
            parcel.body = [UInt8](repeating: 0, count: (8 << 20) + 1)
            #expect(try await stage.send(parcel).status == 413)
        }
    }

    @Test func `a tag is used once by all countries together, before anything of the signature is looked at`()
        async throws
    {
        try await Stage.with { stage in
            #expect(try await stage.upload(stage.keys(1), tag: "same").status == 201)
            var parcel = try await stage.parcel(stage.keys(1, from: Stage.austria), tag: "same", of: stage.austria)
            parcel["batchSignature"] = "none"
            let answer = try await stage.send(parcel, as: stage.austria.authentication)
            #expect(answer.status == 409)
            #expect(answer.detail == "BatchTag already exists.")
        }
    }

    @Test func `every flaw of a signature has one answer`() async throws {
        try await Stage.with { stage in
            let keys = try stage.keys(2)
            let good = try await stage.parcel(keys)
            func expectRefusal(_ signature: String?, sourceLocation: SourceLocation = #_sourceLocation) async throws {
                var parcel = good
                parcel["batchSignature"] = signature
                let answer = try await stage.send(parcel)
                #expect(answer.status == 400, sourceLocation: sourceLocation)
                #expect(answer.detail == "Invalid signature", sourceLocation: sourceLocation)
            }
            try await expectRefusal("bm9uZQ==")
            try await expectRefusal("no base 64!")
            try await expectRefusal(stage.parcel(stage.keys(2))["batchSignature"])
            let impostor = try SimulatedCountry.make(Stage.germany, validity: Stage.validity)
            try await expectRefusal(stage.parcel(keys, of: impostor)["batchSignature"])
            try await expectRefusal(stage.parcel(keys, of: stage.austria)["batchSignature"])
            // The certificate for TLS is in the table, but not for signatures.
            let records = KeyRecords(keys.map { UncheckedKey($0) })
            try await expectRefusal(
                BatchSignature.make(over: records.signedBytes, by: stage.germany.authentication.signer).field)
            let thumbprint = stage.germany.signing.certificate.thumbprint
            stage.gateway.changeCertificates { table in
                for row in table.rows.indices where table.rows[row].thumbprint == thumbprint {
                    table.rows[row].isRevoked = true
                }
            }
            try await expectRefusal(good["batchSignature"])
            stage.gateway.changeCertificates { table in
                for row in table.rows.indices { table.rows[row].isRevoked = false }
            }
            #expect(try await stage.send(good).status == 201)
        }
    }

    @Test func `a certificate that has expired by the gateway's clock signs nothing`() async throws {
        try await Stage.with { stage in
            stage.clock.set(Stage.validity.upperBound.addingTimeInterval(1))
            let answer = try await stage.upload(stage.keys(1))
            #expect(answer.detail == "Invalid signature")
        }
    }

    @Test func `keys come from the country of the connection's certificate`() async throws {
        try await Stage.with { stage in
            let parcel = try await stage.parcel(stage.keys(1, from: Stage.austria), of: stage.austria)
            let answer = try await stage.send(parcel)
            #expect(answer.status == 400)
            #expect(answer.detail == "One or more keys are not originated from uploader country")
        }
    }

    // MARK: 207

    @Test func `the European gateway stores nothing of a batch with a duplicate`() async throws {
        try await Stage.with { stage in
            let keys = try stage.keys(4)
            try await stage.upload([keys[1]])
            let answer = try await stage.upload(keys, tag: "again")
            #expect(answer.status == 207)
            #expect(answer["batchTag"] == nil)
            #expect(answer["content-type"] == "application/json")
            #expect(answer.text == #"{"201":[0,2,3],"409":[1],"500":[]}"#)
            // Neither the tag nor the other keys are taken.
            #expect(try await stage.upload([keys[0], keys[2], keys[3]], tag: "again").status == 201)
        }
    }

    @Test func `the Swiss gateway leaves duplicates out, and stores the rest`() async throws {
        try await Stage.with(.chgs) { stage in
            let keys = try stage.keys(4)
            try await stage.upload([keys[1]])
            let answer = try await stage.upload(keys, tag: "again")
            #expect(answer.status == 207)
            #expect(answer.text == #"{"201":[0,2,3],"409":[1],"500":[]}"#)
            #expect(try await stage.upload([keys[0]], tag: "again").status == 409)
            #expect(try await stage.upload([keys[0]]).text == #"{"201":[],"409":[0],"500":[]}"#)
        }
    }

    @Test func `a duplicate is one of the whole record, from whichever country`() async throws {
        try await Stage.with { stage in
            let key = try stage.keys(1)
            let same = try await stage.upload(key + key)
            #expect(same.text == #"{"201":[0],"409":[1],"500":[]}"#)
            try await stage.upload(key)
            // Another origin makes another record of the same key.
            let austrian = try stage.keys(1, from: Stage.austria, data: [key[0].data])
            #expect(try await stage.upload(austrian, of: stage.austria).status == 201)
        }
    }

    @Test(arguments: GatewayMode.allCases) func `a key of an unknown type can't be stored`(
        mode: GatewayMode
    ) async throws {
        try await Stage.with(mode) { stage in
            let keys = try stage.keys(2)
            var unchecked = keys.map { UncheckedKey($0) }
            unchecked[1].reportType = 9
            var parcel = try await stage.parcel(keys)
            let second = try KeyBatch.protobuf([keys[1]])
            // The field comes once more at the end of the message, and counts.
            let odd = [second[0], second[1] + 2] + second[2...] + [0x38, 0x09]
            parcel.body = try KeyBatch.protobuf([keys[0]]) + odd
            parcel["batchSignature"] =
                try await BatchSignature.make(
                    over: KeyRecords(unchecked).signedBytes, by: stage.germany.signing.signer
                ).field
            let answer = try await stage.send(parcel)
            #expect(answer.status == 207)
            #expect(
                answer.text
                    == (mode == .efgs
                        ? #"{"201":[0],"409":[],"500":[1]}"# : #"{"201":[],"409":[],"500":[1,0]}"#))
            #expect(stage.gateway.batch().isEmpty)
        }
    }

    @Test(arguments: GatewayMode.allCases) func `a tag that is too long is noticed by the database only`(
        mode: GatewayMode
    ) async throws {
        try await Stage.with(mode) { stage in
            let answer = try await stage.upload(stage.keys(1), tag: String(repeating: "t", count: 65))
            #expect(answer.status == 207)
            #expect(
                answer.text
                    == (mode == .efgs
                        ? #"{"201":[],"409":[0],"500":[]}"# : #"{"201":[],"409":[],"500":[0]}"#))
            #expect(try await stage.upload(stage.keys(1), tag: String(repeating: "t", count: 64)).status == 201)
        }
    }

    @Test func `no keys in JSON are a good upload that leaves no trace`() async throws {
        try await Stage.with { stage in
            let empty = try await stage.parcel([], tag: "empty", isJSON: true)
            #expect(empty.body == Array("{}".utf8))
            #expect(try await stage.send(empty).status == 201)
            #expect(try await stage.send(empty).status == 201)
            #expect(stage.gateway.batch().isEmpty)
        }
    }
}
