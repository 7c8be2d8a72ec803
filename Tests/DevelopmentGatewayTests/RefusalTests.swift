import ExposureKeys
import FederationFormat
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import DevelopmentGateway

/// What the gateway refuses, with the status and in the words of efgs-federation-gateway's controllers.
@Suite(.timeLimit(.minutes(5))) struct RefusalTests {
    private typealias Change = (inout Stage.Parcel) -> Void

    private static func header(_ name: String, _ value: String?) -> Change { { $0[name] = value } }

    private static func body(_ text: String, _ media: String = Stage.json) -> Change {
        { parcel in
            parcel.body = Array(text.utf8)
            parcel["Content-Type"] = media
        }
    }

    /// A key in JSON with one member changed.
    private static func key(_ change: String) -> Change {
        let now = Int(Stage.noon.timeIntervalSince1970) / 600
        let members = [
            #""keyData":"AAECAwQFBgcICQoLDA0ODw==""#, #""rollingStartIntervalNumber":\#(now - 144)"#,
            #""rollingPeriod":144"#, #""origin":"DE""#,
        ].filter { !$0.hasPrefix(change.prefix { $0 != ":" }) }
        return body(#"{"keys":[{\#((members + [change]).joined(separator: ","))}]}"#)
    }

    /// Changes of a good upload, in the order in which the gateway checks.
    private static func uploads() -> [(change: Change, status: Int, detail: String?)] {
        let oldest = Int(Stage.today.firstInterval.rawValue) - 15 * 144
        let newest = Int(Stage.noon.timeIntervalSince1970) / 600 + 1
        let rule = "Validation of diagnosis key failed: "
        let signature = "Invalid signature"
        var many = [UInt8]((0..<5000).flatMap { _ in [0x0A, 0x00] as [UInt8] })
        let most = many
        many += [0x0A, 0x00]
        return [
            (header("Content-Type", "text/plain"), 415, nil),
            (header("Content-Type", "application/x-protobuf; version=1.0"), 415, nil),
            (header("Accept", Stage.protobuf), 406, nil),
            (header("batchTag", nil), 400, "Required header 'batchTag' is not present."),
            (header("batchSignature", nil), 400, "Required header 'batchSignature' is not present."),
            (body("", Stage.protobuf), 400, nil), (body(""), 400, nil),
            (header("Content-Type", "application/protobuf"), 400, nil),
            (header("Content-Type", "application/protobuf; version=1"), 400, nil),
            (header("Content-Type", "application/protobuf; version=1.0.0"), 400, nil),
            (header("Content-Type", "application/protobuf; version=1.1"), 406, nil),
            (body("nonsense", Stage.protobuf), 400, nil), (body("nonsense"), 400, nil),
            (body(#"{"keys":[{"reportType":"HEARSAY"}]}"#), 400, nil),
            (key(#""keyData":"AAAA""#), 400, rule + "The keydata is not 16 bytes."),
            (
                key(#""rollingStartIntervalNumber":\#(oldest - 1)"#), 400,
                rule + "Invalid rolling start interval number."
            ),
            (
                key(#""rollingStartIntervalNumber":\#(newest + 1)"#), 400,
                rule + "Invalid rolling start interval number."
            ),
            (key(#""rollingPeriod":145"#), 400, rule + "Invalid rolling period."),
            (key(#""rollingPeriod":0"#), 400, rule + "Invalid rolling period."),
            (key(#""transmissionRiskLevel":9"#), 400, rule + "Invalid transmission risk level."),
            // These keys are good, so that the signature, which isn't theirs, is refused.
            (key(#""rollingStartIntervalNumber":\#(oldest)"#), 400, signature),
            (key(#""rollingStartIntervalNumber":\#(newest)"#), 400, signature),
            (key(#""transmissionRiskLevel":2147483647"#), 400, signature),
            ({ $0.body = many }, 413, nil), ({ $0.body = most }, 400, rule + "The keydata is not 16 bytes."),
            ({ $0.body = [UInt8](repeating: 0, count: (8 << 20) + 1) }, 413, nil),
            (header("batchSignature", "no base 64!"), 400, signature),
            (header("batchSignature", "bm9uZQ=="), 400, signature),
        ]
    }

    @Test("each flaw of an upload has its status")
    func upload() async throws {
        try await Stage.with { stage in
            let good = try await stage.parcel(stage.keys(1))
            for (number, row) in Self.uploads().enumerated() {
                var parcel = good
                row.change(&parcel)
                let answer = try await stage.send(parcel)
                #expect(answer.status == row.status, "\(number)")
                if let detail = row.detail { #expect(answer.detail == detail, "\(number)") }
            }
            // The media type is checked before the caller, the version after.
            var parcel = good
            parcel["Content-Type"] = "text/plain"
            #expect(try await stage.send(parcel, as: stage.stranger.authentication).status == 415)
            parcel["Content-Type"] = "application/protobuf"
            #expect(try await stage.send(parcel, as: stage.stranger.authentication).status == 403)
            #expect(try await stage.send(good).status == 201)
        }
    }

    @Test("the signature has to be one of a known certificate of the caller's country, over these keys")
    func signature() async throws {
        try await Stage.with { stage in
            let keys = try stage.keys(2)
            let good = try await stage.parcel(keys)
            let records = KeyRecords(keys.map { UncheckedKey($0) })
            let impostor = try SimulatedCountry.make(Stage.germany, validity: Stage.validity)
            let others = [
                try await stage.parcel(stage.keys(2))["batchSignature"],
                try await stage.parcel(keys, of: impostor)["batchSignature"],
                try await stage.parcel(keys, of: stage.austria)["batchSignature"],
                // In the table, but for TLS.
                try await BatchSignature.make(over: records.signedBytes, by: stage.germany.authentication.signer).field,
            ]
            for (number, signature) in others.enumerated() {
                var parcel = good
                parcel["batchSignature"] = signature
                let answer = try await stage.send(parcel)
                #expect(answer.status == 400 && answer.detail == "Invalid signature", "\(number)")
            }
            let foreign = try await stage.parcel(stage.keys(1, from: Stage.austria), of: stage.austria)
            #expect(
                try await stage.send(foreign).detail == "One or more keys are not originated from uploader country")
            stage.gateway.changeCertificates { table in
                for row in table.rows.indices where table.rows[row].kind == .signing {
                    table.rows[row].isRevoked = true
                }
            }
            #expect(try await stage.send(good).detail == "Invalid signature")
            stage.gateway.changeCertificates { table in
                for row in table.rows.indices { table.rows[row].isRevoked = false }
            }
            #expect(try await stage.send(good).status == 201)
            // A tag is used once by all countries together, before anything of the signature is looked at.
            var again = try await stage.parcel(stage.keys(1, from: Stage.austria), tag: good["batchTag"])
            again["batchSignature"] = "none"
            let answer = try await stage.send(again, as: stage.austria.authentication)
            #expect(answer.status == 409 && answer.detail == "BatchTag already exists.")
            stage.clock.set(Stage.validity.upperBound.addingTimeInterval(1))
            #expect(try await stage.upload(stage.keys(1)).detail == "Invalid signature")
        }
    }

    @Test("a certificate that the gateway doesn't know, or whose row doesn't fit, is refused everywhere")
    func callers() async throws {
        let operations: [(HTTPRequest.Method, String)] = [
            (.get, "/diagnosiskeys/download/2030-03-17"),
            (.get, "/diagnosiskeys/audit/download/2030-03-17/20300317-1"),
            (.get, "/diagnosiskeys/callback"), (.put, "/diagnosiskeys/callback/1?url=https://127.0.0.1/"),
            (.delete, "/diagnosiskeys/callback/1"),
        ]
        try await Stage.with { stage in
            for (method, path) in operations {
                let answer = try await stage.send(method, path, as: stage.stranger.authentication)
                #expect(answer.status == 403, "\(path)")
                #expect(answer.detail == "Client is not authorized to access the service")
            }
            let thumbprint = stage.germany.authentication.certificate.thumbprint
            let others = try stage.anchor.sign(stage.germany.signing.certificate.pem)
            let forged = try FederationAnchor.make(validity: Stage.validity)
                .sign(stage.germany.authentication.certificate.pem)
            let changes: [@Sendable (inout CertificateTable.Row) -> Void] = [
                { $0.isRevoked = true }, { $0.kind = .callback }, { $0.kind = .signing },
                { $0.country = Stage.austria }, { $0.signature = others }, { $0.signature = forged },
                { $0.signature = "" }, { $0.pem = "" }, { $0.pem.removeLast(30) },
            ]
            let before = stage.gateway.state.with(at: stage.clock.now) { $0.table }
            for (number, change) in changes.enumerated() {
                stage.gateway.changeCertificates { table in
                    for row in table.rows.indices where table.rows[row].thumbprint == thumbprint {
                        change(&table.rows[row])
                    }
                }
                #expect(try await stage.send(.get, "/diagnosiskeys/callback").status == 403, "\(number)")
                stage.gateway.changeCertificates { $0 = before }
            }
            #expect(try await stage.send(.get, "/diagnosiskeys/callback").status == 200)
            let nameless = try FederationIdentity.make(
                .authentication, country: nil, name: "nobody", validity: Stage.validity)
            let row = try CertificateTable.Row(
                nameless.certificate, of: Stage.germany, .authentication, by: stage.anchor)
            stage.gateway.changeCertificates { $0.rows.append(row) }
            #expect(throws: Refusal(.badRequest, "Client Certificate must contain country property")) {
                try stage.gateway.state.with(at: stage.clock.now) { try $0.table.caller(row.thumbprint) }
            }
        }
    }

    @Test("a download has to be wanted in a form and a version that there are, of a day that is kept")
    func downloads() async throws {
        try await Stage.with { stage in
            try await stage.frenchUpload()
            stage.gateway.batch()
            let forms = [
                ("*/*", 415), ("application/protobuf", 415), ("application/protobuf; version=1.1", 415),
                ("application/json; version=one", 415), ("text/html", 406),
                ("application/x-protobuf; version=1.0", 406), ("text/html, application/json; version=1.0", 200),
                ("application/protobuf;q=0.9;version=1.0", 200),
            ]
            for (accept, status) in forms {
                #expect(try await stage.download(accept: accept).status == status, "\(accept)")
            }
            let days = [
                (Stage.today.advanced(by: -3).name, 410), (Stage.today.advanced(by: 1).name, 404), ("today", 400),
                ("2030-03-9223372036854775807", 400), ("2030-02-30", 400),
            ]
            for (day, status) in days {
                let answer = try await stage.send(.get, "/diagnosiskeys/download/\(day)", ["Accept": Stage.protobuf])
                #expect(answer.status == status, "\(day)")
            }
            #expect(try await stage.download(Stage.today, "20300317-2").status == 404)
            let tag = "20300317-1"
            #expect(try await stage.audit(tag).status == 200)
            #expect(try await stage.audit("20300317-2").status == 404)
            #expect(try await stage.audit(tag, Stage.today.advanced(by: -1)).status == 404)
            #expect(try await stage.audit(tag, Stage.today.advanced(by: -3)).status == 410)
        }
        try await Stage.with(.chgs) { stage in
            try await stage.frenchUpload()
            stage.gateway.batch()
            #expect(try await stage.download(Stage.today).status == 200)
            // The Swiss gateway wants a batch's own day, and keeps six.
            #expect(try await stage.download(Stage.today.advanced(by: -1), "20300317-1").status == 400)
            #expect(try await stage.download(Stage.today.advanced(by: -6)).status == 404)
            #expect(try await stage.download(Stage.today.advanced(by: -7)).status == 410)
        }
    }

    private func put(_ stage: Stage, _ url: String, id: String = "1") async throws -> Int {
        let query = url.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return try await stage.send(.put, "/diagnosiskeys/callback/\(id)?url=\(query)").status
    }

    @Test("an address that can't be called is refused")
    func callbacks() async throws {
        try await Stage.with { stage in
            for url in [
                "http://127.0.0.1/", "https://127.0.0.1/?a=b", "https://127.0.0.1/?", "https://", "callback", "",
                "https://10.0.0.1/", "https://100.64.0.1/", "https://169.254.1.1/", "https://172.16.0.1/",
                "https://172.31.255.255/", "https://192.168.0.1/", "https://0.0.0.0/", "https://[fc00::1]/",
                "https://[fd12::1]/", "https://[::]/", "https://[::ffff:10.0.0.1]/", "https://vigil.invalid/",
            ] {
                let status = try await put(stage, url)
                #expect(status == 400, "\(url)")
            }
            #expect(try await stage.send(.put, "/diagnosiskeys/callback/1").status == 400)
            for url in ["https://8.8.8.8/", "https://172.32.0.1/", "https://[::1]/", "HTTPS://127.0.0.1/"] {
                #expect(try await put(stage, url) == 200, "\(url)")
            }
            // The real gateway's database refuses these.
            let long = "https://127.0.0.1/" + String(repeating: "u", count: 238)
            let id = String(repeating: "i", count: 32)
            #expect(try await put(stage, long, id: id) == 200)
            #expect(try await put(stage, long + "u") == 500)
            #expect(try await put(stage, long, id: id + "i") == 500)
        }
    }
}
