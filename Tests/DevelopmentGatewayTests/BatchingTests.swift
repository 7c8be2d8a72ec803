import ExposureKeys
import FederationFormat
import Foundation
import TestSupport
import Testing

@testable import DevelopmentGateway

/// Batches and what is kept (efgs-federation-gateway, `TransactionalDiagnosisKeyBatchService`, `DiagnosisKeyCleanupService`).
@Suite(.timeLimit(.minutes(5))) struct BatchingTests {
    private let clock = ManualClock(Stage.noon)
    private let state: GatewayState

    init() throws {
        let anchor = try FederationAnchor.make(validity: Stage.validity)
        state = try GatewayState(CertificateTable([], signedBy: anchor), .efgs)
    }

    private func store(_ count: Int, _ tag: String, first: UInt64 = 0) throws {
        let period = try #require(
            RollingPeriod(start: Stage.today.advanced(by: -1).firstInterval, length: 144))
        let keys = try (0..<UInt64(count)).map { number in
            try #require(
                FederatedKey(
                    data: KeyData(high: first, low: number), rollingPeriod: period, riskLevel: .unset,
                    visitedCountries: [], origin: Stage.france, reportType: .confirmedTest, daysSinceOnset: 0))
        }
        let upload = StoredUpload(
            tag: tag, uploader: AuthenticatedCaller(country: Stage.france, thumbprint: ""), signingThumbprint: "",
            signature: "", keys: keys, uploaded: clock.now)
        state.with(at: clock.now) { $0.store(upload) }
    }

    private func makeBatches() -> [String] {
        state.with(at: clock.now) { $0.makeBatches(at: clock.now).map(\.text) }
    }

    private func sizes() -> [[Int]] { state.with(at: clock.now) { $0.batches.map { $0.uploads.map(\.keys.count) } } }

    @Test func `a batch takes whole uploads, up to 5,000 keys`() throws {
        for (number, count) in [2000, 2000, 1000, 1, 4500, 600].enumerated() {
            try store(count, "\(number)", first: UInt64(number))
        }
        #expect(makeBatches() == ["20300317-1", "20300317-2", "20300317-3"])
        #expect(sizes() == [[2000, 2000, 1000], [1, 4500], [600]])
        #expect(state.with(at: clock.now) { $0.batches.map(\.next?.text) } == ["20300317-2", "20300317-3", nil])
        #expect(makeBatches().isEmpty)
    }

    @Test func `batches are counted from one every day`() throws {
        try store(1, "a", first: 1)
        #expect(makeBatches() == ["20300317-1"])
        try store(1, "b", first: 2)
        #expect(makeBatches() == ["20300317-2"])
        clock.set(Stage.today.advanced(by: 1).firstHour.start)
        try store(1, "c", first: 3)
        #expect(makeBatches() == ["20300318-1"])
        clock.advance(by: 86_400 * 40)
        try store(1, "d", first: 4)
        #expect(makeBatches() == ["20300427-1"])
    }

    @Test func `keys go at midnight two days after their own, and batches stay without them`() throws {
        try store(2, "a")
        _ = makeBatches()
        try store(1, "waiting", first: 1)
        clock.set(Stage.today.advanced(by: 2).lastHour.end.addingTimeInterval(-1))
        #expect(sizes() == [[2]])
        #expect(state.with(at: clock.now) { $0.knows(tag: "a") })
        clock.advance(by: 1)
        #expect(sizes() == [[]])
        #expect(makeBatches().isEmpty)
        let isKnown = state.with(at: clock.now) { $0.knows(tag: "a") || $0.knows(tag: "waiting") }
        #expect(!isKnown)
        try store(2, "a")
        #expect(makeBatches() == ["20300320-1"])
        #expect(state.with(at: clock.now) { $0.batches.map(\.next?.text) } == ["20300320-1", nil])
    }

    @Test func `tags and duplicates are accepted again when they are forgotten`() async throws {
        try await Stage.with { stage in
            let keys = try stage.keys(2)
            #expect(try await stage.upload(keys, tag: "same").status == 201)
            stage.gateway.batch()
            stage.clock.set(Stage.today.advanced(by: 2).lastHour.end.addingTimeInterval(-1))
            #expect(try await stage.upload(keys, tag: "same").status == 409)
            #expect(try await stage.upload(keys, tag: "other").status == 207)
            stage.clock.advance(by: 1)
            #expect(try await stage.upload(keys, tag: "same").status == 201)
            #expect(try await stage.audit("20300317-1", Stage.today).status == 410)
        }
    }

    @Test func `there is an end to what is stored`() throws {
        #expect(state.with(at: clock.now) { $0.hasRoom(for: GatewayState.Contents.mostKeys) })
        try store(1, "a")
        #expect(!state.with(at: clock.now) { $0.hasRoom(for: GatewayState.Contents.mostKeys) })
    }
}
