import ExposureKeys
import FederationFormat
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import DevelopmentGateway

/// `GET /diagnosiskeys/download/{date}` (efgs-federation-gateway, `DownloadController` and its tests).
@Suite(.timeLimit(.minutes(5))) struct DownloadTests {
    @Test func `a batch has the keys of others, in their order, and names what follows`() async throws {
        try await Stage.with { stage in
            let foreign = try [stage.keys(3, from: Stage.austria), stage.keys(2, from: Stage.austria)]
            try await stage.upload(foreign[0], of: stage.austria)
            try await stage.upload(stage.keys(2))
            try await stage.upload(foreign[1], of: stage.austria)
            #expect(stage.gateway.batch().map(\.text) == ["20300317-1"])
            let answer = try await stage.download()
            #expect(answer.status == 200)
            #expect(answer["batchTag"] == "20300317-1")
            #expect(answer["nextBatchTag"] == "null")
            #expect(answer["content-type"] == "application/protobuf;version=1.0")
            #expect(answer["x-protobuf-schema"] == "Efgs.proto")
            #expect(answer["x-protobuf-message"] == "eu.interop.DiagnosisKeyBatch")
            #expect(try answer.keys == foreign[0] + foreign[1])
        }
    }

    @Test func `a batch with the caller's own keys only is empty, in both forms`() async throws {
        try await Stage.with { stage in
            try await stage.upload(stage.keys(1))
            stage.gateway.batch()
            let protobuf = try await stage.download()
            #expect(protobuf.status == 200)
            #expect(protobuf.body.isEmpty)
            let json = try await stage.download(accept: Stage.json)
            #expect(json.text == "{}")
            #expect(json["content-type"] == "application/json;version=1.0")
        }
    }

    @Test func `JSON leaves out what is zero`() async throws {
        try await Stage.with { stage in
            try await stage.upload(
                stage.keys(1, from: Stage.austria, data: [KeyData(high: 1, low: 2)]), of: stage.austria)
            stage.gateway.batch()
            #expect(
                try await stage.download(accept: Stage.json).text
                    == #"{"keys":[{"keyData":"AAAAAAAAAAEAAAAAAAAAAg==","origin":"AT","reportType":"CONFIRMED_TEST","#
                    + #""rollingPeriod":144,"rollingStartIntervalNumber":\#(Stage.today.firstInterval.rawValue - 144),"#
                    + #""transmissionRiskLevel":2147483647,"visitedCountries":["AT","FR"]}]}"#)
        }
    }

    @Test func `an answer has to be wanted in a form and a version that there are`() async throws {
        try await Stage.with { stage in
            // The version is looked at last, so there has to be a batch.
            #expect(try await stage.download(accept: nil).status == 404)
            try await stage.upload(stage.keys(1))
            stage.gateway.batch()
            let statuses: [(accept: String?, status: Int)] = [
                (nil, 415), ("*/*", 415), ("application/protobuf", 415), ("application/protobuf; version=1.1", 415),
                ("application/protobuf; version=1", 415), ("application/json; version=one", 415), ("text/html", 406),
                ("application/x-protobuf; version=1.0", 406), ("text/html, application/json; version=1.0", 200),
                ("application/protobuf;q=0.9;version=1.0", 200),
            ]
            for (accept, status) in statuses {
                #expect(try await stage.download(accept: accept).status == status, "\(accept ?? "none")")
            }
        }
    }

    @Test(arguments: [(GatewayMode.efgs, 2), (.chgs, 6)]) func `days can be asked for until they are too old`(
        mode: GatewayMode, days: Int
    ) async throws {
        try await Stage.with(mode) { stage in
            #expect(try await stage.download(Stage.today.advanced(by: -days)).status == 404)
            let answer = try await stage.download(Stage.today.advanced(by: -days - 1))
            #expect(answer.status == 410)
            #expect(answer.detail == "Requested date is too old!")
            #expect(
                try await stage.send(.GET, "/diagnosiskeys/download/today", [("Accept", Stage.protobuf)]).status == 400)
            #expect(try await stage.download(Stage.today, "20300317-1").status == 404)
            #expect(try await stage.download(Stage.today.advanced(by: 1)).status == 404)
        }
    }

    @Test func `links lead across midnight, and an earlier day does for a later batch`() async throws {
        try await Stage.with { stage in
            let tomorrow = Stage.today.advanced(by: 1)
            try await stage.frenchUpload()
            stage.gateway.batch()
            try await stage.frenchUpload()
            stage.gateway.batch()
            stage.clock.set(tomorrow.firstHour.start.addingTimeInterval(60))
            try await stage.frenchUpload()
            stage.gateway.batch()
            #expect(try await stage.download(Stage.today, "20300317-1")["nextBatchTag"] == "20300317-2")
            #expect(try await stage.download(Stage.today, "20300317-2")["nextBatchTag"] == "20300318-1")
            #expect(try await stage.download(Stage.today, "20300318-1").status == 200)
            #expect(try await stage.download(tomorrow, "20300318-1").status == 200)
            #expect(try await stage.download(tomorrow, "20300317-2").status == 400)
            // Without a tag, the first batch of the day or of a later one.
            #expect(try await stage.download(Stage.today)["batchTag"] == "20300317-1")
            #expect(try await stage.download(Stage.today.advanced(by: -1))["batchTag"] == "20300317-1")
            #expect(try await stage.download(tomorrow)["batchTag"] == "20300318-1")
        }
    }

    @Test func `the Swiss gateway wants a batch's own day`() async throws {
        try await Stage.with(.chgs) { stage in
            try await stage.frenchUpload()
            stage.gateway.batch()
            #expect(try await stage.download(Stage.today).status == 200)
            #expect(try await stage.download(Stage.today.advanced(by: -1)).status == 404)
            #expect(try await stage.download(Stage.today.advanced(by: -1), "20300317-1").status == 400)
        }
    }
}
