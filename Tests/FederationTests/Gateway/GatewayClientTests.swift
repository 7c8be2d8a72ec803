import DevelopmentGateway
import DevelopmentGatewayAPI
import ExposureKeys
import FederationFormat
import Foundation
import Metrics
import Running
import TestSupport
import Testing

@testable import Federation

/// What the client makes of a gateway's answers.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct GatewayClientTests {
    private static let today = Day(containing: FederationStage.now)

    /// Why a download fails; nil if it doesn't.
    private func problem(_ client: GatewayClient) async -> GatewayClient.Problem? {
        do throws(GatewayClient.Problem) {
            _ = try await client.download(Self.today, nil)
            return nil
        } catch {
            return error
        }
    }

    @Test("an answer that isn't a batch has a reason, which the log tells")
    func reasons() async throws {
        try await GatewayStage.run { stage in
            try await stage.upload("FR", 20)
            let client = stage.exchange.client
            let rows: [(GatewayBehaviour.Fault, GatewayClient.Problem?, String)] = [
                (.unavailable, .unavailable(status: 503), "unavailable: status_503"),
                (.tooManyRequests, .unavailable(status: 429), "unavailable: status_429"),
                (.hangUp, .unavailable(status: nil), "unavailable: no connection"),
                (.lostAnswer, .unavailable(status: nil), "unavailable: no connection"),
                (.page, .malformed(.notABatch), "not_a_batch"), (.endless, .malformed(.tooLarge), "too_large"),
            ]
            for (fault, expected, words) in rows {
                try stage.gateway.misbehave(GatewayBehaviour(fault, .download, times: 1))
                let found = await problem(client)
                #expect(found == expected, "\(fault)")
                #expect(found?.description.contains(words) == true, "\(fault)")
            }
            #expect(await problem(client) == nil)
            stage.gateway.changeCertificates { table in
                for row in table.rows.indices { table.rows[row].isRevoked = true }
            }
            let refused = await problem(client)
            #expect(refused == .refused(403, said: "Client certificate is revoked"))
            #expect(refused?.description == "The gateway refused with status_403 (Client certificate is revoked).")
        }
    }

    @Test(
        "a gateway's text is one line of it, and a page in front of it has none",
        arguments: [
            (#"{"title":"Bad Request","status":400,"detail":"Invalid signature"}"#, "Invalid signature"),
            (#"{"message":"Validation of diagnosis key failed: \u00fc\n"}"#, "Validation of diagnosis key failed: ??"),
            (#"{"title":"Conflict","detail":""}"#, "Conflict"), (#"{"detail":""}"#, nil), (#"{"detail":7}"#, nil),
            ("<!DOCTYPE html>", nil), ("[]", nil), ("", nil),
            ("{\"detail\":\"" + String(repeating: "x", count: 900) + "\"}", String(repeating: "x", count: 200)),
        ])
    func text(_ body: String, _ text: String?) {
        #expect(GatewayText.read(Array(body.utf8)) == text)
    }

    @Test("a certificate that isn't there, or doesn't belong to its key, is told at the start")
    func certificate() async throws {
        try await GatewayStage.run { stage in
            for (key, value) in [("gateway.certificate", "/nowhere"), ("gateway.key", "signing.key")] {
                var settings = stage.settings
                settings[key] = value == "signing.key" ? settings["signing.key"] : value
                #expect(throws: ConfigurationProblem.self) {
                    try GatewayClient(
                        GatewayPlan(Settings(settings)), metrics: PrometheusMetrics(), logger: stage.runtime.logger)
                }
            }
        }
    }
}
