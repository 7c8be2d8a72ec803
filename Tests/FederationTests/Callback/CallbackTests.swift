import DevelopmentGateway
import DevelopmentGatewayAPI
import ExposureKeys
import FederationAPI
import FederationFormat
import Foundation
import HTTPContract
import HTTPTypes
import InMemoryLogging
import Logging
import Running
import Serving
import TestSupport
import Testing

@testable import Federation

/// The gateway's calls, and the subscription to them.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct CallbackTests {
    private func take(_ stage: GatewayStage) -> TakeAnnouncement {
        TakeAnnouncement(
            store: stage.database.incoming, days: 2, clock: stage.clock.clock)
    }

    private func caller(_ identity: FederationIdentity?) throws -> Caller {
        Caller(
            role: nil, name: "EFGS",
            fingerprint: identity.flatMap { identity in
                Settings.bytes(hexadecimal: Data(identity.certificate.thumbprint.utf8))
            })
    }

    @Test func `only the gateway's certificate may announce a batch`() async throws {
        try await GatewayStage.run { stage in
            let (take, now) = (take(stage), stage.clock.now)
            let gateway = try PinnedCaller(stage.runtime.configuration)
            let other = try FederationIdentity.make(
                .authentication, country: nil, name: "Simulated gateway", validity: now..<now + 3600)
            for caller in [try caller(other), try caller(nil), Caller(role: .gateway, name: "gateway")] {
                #expect(!gateway.isCaller(caller))
            }
            #expect(gateway.isCaller(try caller(stage.caller)))
            let announcement = BatchAnnouncement(
                tag: try #require(BatchTag("20261124-1")), day: Day(containing: now))
            for _ in 0..<2 { _ = try await take.handle(announcement) }
            #expect(try await stage.database.incoming.next(dueAt: now)?.tag == announcement.tag)
        }
    }

    @Test func `a batch that is announced is read without a look`() async throws {
        try await GatewayStage.run { stage in
            let keys = try await stage.upload("FR", 20)
            let announcement = BatchAnnouncement(
                tag: try #require(BatchTag("20261124-1")), day: Day(containing: stage.clock.now))
            _ = try await take(stage).handle(announcement)
            try await stage.run()
            #expect(try await stage.imported() == keys)
        }
    }

    @Test func `a batch that the gateway doesn't know is gone, and the next one is read`() async throws {
        try await GatewayStage.run { stage in
            let announcement = BatchAnnouncement(
                tag: try #require(BatchTag("20261124-0")), day: Day(containing: stage.clock.now))
            _ = try await take(stage).handle(announcement)
            let keys = try await stage.upload("FR", 20)
            try await stage.run()
            #expect(try await stage.imported() == keys)
            #expect(try await stage.troubled() == ["gone status_404"])
        }
    }

    @Test(arguments: [
        "", "batchTag=20261124-1", "date=2026-11-24", "batchTag=&date=2026-11-24", "batchTag=a/b&date=2026-11-24",
        "batchTag=20261124-1&date=2026-13-24", "batchTag=null&date=2026-11-24",
        "batchTag=20261124-1&date=2026-11-9223372036854775807",
    ])
    func `a call without tag or date is none`(_ query: String) throws {
        let values = try URLEncodedValues(decoding: query)
        let message = EncodedMessage(
            parameters: URLEncodedValues(
                Dictionary(uniqueKeysWithValues: values.names.compactMap { name in values[name].map { (name, $0) } })))
        #expect(throws: MalformedMessage.self) { try BatchAnnouncement(message) }
    }

    @Test func `a callback that the gateway refuses is asked for hourly, and the log says why`() async throws {
        let settings = ["callback.url": "https://127.0.0.1/version/v1/callback"]
        try await GatewayStage.run(settings: settings) { stage in
            let log = InMemoryLogHandler()
            let registration = try #require(
                try CallbackRegistration(
                    stage.runtime.configuration, for: stage.exchange, logger: Logger(label: "test") { _ in log }))
            let now = stage.clock.now
            try stage.gateway.misbehave(GatewayBehaviour(.refusedCallback, .subscription, times: 1))
            // No error, after which the job would come again in half a minute.
            #expect(try await !registration.run(at: now))
            let shown = "federation_callback_registered"
            #expect(stage.runtime.metrics.text.contains("\(shown) 0"))
            let entry = try #require(log.entries.first)
            #expect(entry.message == "the gateway refuses the callback; looking again in an hour")
            let reason = entry.metadata["reason"].map { "\($0)" }
            #expect(reason == "The gateway refused with status_400 (Callback URL is invalid).")
            let status = try await stage.database.status.status()
            #expect(
                status.lines(gateway: "efgs").contains {
                    $0.hasPrefix("The callback has failed since")
                        && $0.hasSuffix("status_400, and the gateway says: Callback URL is invalid")
                })
            // What passes by itself is an error.
            try stage.gateway.misbehave(GatewayBehaviour(.unavailable, .callbacks, times: 1))
            await #expect(throws: GatewayClient.Problem.self) { try await registration.run(at: now) }
            #expect(try await registration.run(at: now))
            #expect(stage.runtime.metrics.text.contains("\(shown) 1"))
            #expect(try await stage.database.status.status().failing.isEmpty)
        }
    }

    @Test func `a subscription that is missing is made again`() async throws {
        let settings = ["callback.url": "https://127.0.0.1/version/v1/callback", "callback.id": "test"]
        try await GatewayStage.run(settings: settings) { stage in
            let registration = try #require(
                try CallbackRegistration(stage.runtime.configuration, for: stage.exchange))
            let now = stage.clock.now
            #expect(try await registration.run(at: now))
            #expect(try await !registration.run(at: now))
            #expect(try await stage.exchange.client.subscriptions() == [registration.subscription])
        }
    }
}
