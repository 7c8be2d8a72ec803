import DonationAPI
import DonationFormat
import ExposureKeys
import Foundation
import HourKeys
import Logging
import Postgres
import Running
import Schema
import TestSupport
import Testing

@testable import DataDonation

/// `POST /version/v1/{ios,android}/dat` through the whole service, up to the tables of donated data.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct AcceptDonationTests {
    private typealias Reply = DonationStage.Reply

    /// A stage whose hours have keys.
    private static func run(_ body: @Sendable (DonationStage, Fold) async throws -> Void) async throws {
        try await withScratchFolder { folder in
            try await DonationStage.run { stage in
                try await TestPostgres.withClient(stage.database.connection(as: .donationFold)) { folding in
                    let fold = Fold(
                        store: FoldStore(folding), files: HourKeyFiles(directory: URL(filePath: folder)),
                        clock: DatabaseClock(of: folding, movedLike: stage.clock.clock),
                        metrics: FoldMetrics(PrometheusMetrics()),
                        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
                    try await fold.run(asOf: stage.clock.now)
                    try await body(stage, fold)
                }
            }
        }
    }

    private static func data(_ platform: AppClient.Platform, seed: UInt64 = 1) -> AnalyticsData {
        var random = SeededGenerator(seed: seed)
        var data = SampleDonation.data(using: &random)
        data.client = SampleDonation.client(on: platform, using: &random)
        return data
    }

    private static func good(_ stage: DonationStage) -> Reply {
        Reply(200, #"{"expirationDate":"\#(stage.clock.now.formatted(.iso8601))"}"#)
    }

    /// Lets an hour pass, and folds.
    private static func fold(_ stage: DonationStage, _ fold: Fold) async throws -> [Int] {
        stage.clock.set(Hour(containing: stage.clock.now).end.addingTimeInterval(2))
        return try await fold.run(asOf: stage.clock.now).donations
    }

    private static func count(_ stage: DonationStage, _ query: SQL) async throws -> Int {
        try await stage.asSuperuser { Int(try $0.row(query, as: Int64.self) ?? -1) }
    }

    private static func waiting(_ stage: DonationStage) async throws -> Int {
        try await count(stage, "SELECT count(*) FROM donation.inbox")
    }

    @Test func `an iPhone and an Android phone donate once a day, and their data come into the tables`() async throws {
        try await Self.run { stage, fold in
            let iPhone = try SimulatedIPhone("one", stage.vouchers)
            let android = SimulatedAndroid(vouchers: stage.vouchers)
            let (iOSData, androidData) = (try Self.data(.iOS).encoded(), try Self.data(.android).encoded())
            #expect(
                try await stage.send(DonationAPI.analyticsOnIOS, iPhone.request(iOSData)) == Self.good(stage))
            #expect(
                try await stage.send(
                    DonationAPI.analyticsOnAndroid, android.request(androidData, salt: SimulatedAndroid.salt(1)))
                    == Self.good(stage))
            // The iPhone has had its share, whatever it sends.
            let more = try Self.data(.iOS, seed: 2).encoded()
            let refusal = Reply.refusal(429, "API_TOKEN_QUOTA_EXCEEDED")
            #expect(try await stage.send(DonationAPI.analyticsOnIOS, iPhone.request(more)) == refusal)

            #expect(try await Self.fold(stage, fold) == [2])
            #expect(try await Self.count(stage, "SELECT count(*) FROM donation.client WHERE platform = 0") == 1)
            #expect(try await Self.count(stage, "SELECT count(*) FROM donation.client WHERE platform = 1") == 1)
            #expect(try await stage.send(DonationAPI.analyticsOnIOS, iPhone.request(more)) == refusal)

            stage.clock.advance(by: 23 * 3600)
            try await fold.run(asOf: stage.clock.now)
            #expect(try await stage.send(DonationAPI.analyticsOnIOS, iPhone.request(more)) == Self.good(stage))
        }
    }

    @Test func `an app that attests its key donates once a day`() async throws {
        try await Self.run { stage, fold in
            var iPhone = try SimulatedIPhone("one", stage.vouchers)
            let data = try Self.data(.iOS).encoded()
            let challenge = try await stage.challenge()
            let request = try iPhone.attestedRequest(data, challenge, isNew: true)
            #expect(try await stage.send(DonationAPI.analyticsOnIOS, request) == Self.good(stage))
            let counter: SQL = "SELECT counter FROM donation.attested_key"
            let first = try await Self.count(stage, counter)
            // With its attestation and without.
            let again = try iPhone.attestedRequest(data, challenge)
            #expect(try await stage.send(DonationAPI.analyticsOnIOS, request) == Self.good(stage))
            #expect(
                try await stage.send(DonationAPI.analyticsOnIOS, again)
                    == Reply.refusal(429, "API_TOKEN_QUOTA_EXCEEDED"))
            // The refused one left no trace.
            #expect(try await Self.count(stage, counter) == first)
            #expect(try await Self.waiting(stage) == 1)
            #expect(try await Self.fold(stage, fold) == [1])
            #expect(
                try await stage.send(DonationAPI.analyticsOnIOS, request)
                    == Reply.refusal(403, "DEVICE_TOKEN_REDEEMED"))
            // The next day it needs no attestation any more; a repeat counts once, also at the same time.
            stage.clock.advance(by: 86_400)
            try await fold.run(asOf: stage.clock.now)
            let next = try iPhone.attestedRequest(data, try await stage.challenge())
            async let one = stage.send(DonationAPI.analyticsOnIOS, next)
            async let other = stage.send(DonationAPI.analyticsOnIOS, next)
            #expect(try await [one, other] == [Self.good(stage), Self.good(stage)])
            #expect(try await stage.send(DonationAPI.analyticsOnIOS, next) == Self.good(stage))
            #expect(try await Self.waiting(stage) == 1)
        }
    }

    @Test func `a repeat succeeds and counts once while the donation waits; after the fold it is refused`() async throws
    {
        try await Self.run { stage, fold in
            let iPhone = try SimulatedIPhone("one", stage.vouchers)
            let android = SimulatedAndroid(vouchers: stage.vouchers)
            let requests = [
                (DonationAPI.analyticsOnIOS, try iPhone.request(try Self.data(.iOS).encoded())),
                (
                    DonationAPI.analyticsOnAndroid,
                    try android.request(try Self.data(.android).encoded(), salt: SimulatedAndroid.salt(1))
                ),
            ]
            for (operation, request) in requests {
                for _ in 0..<3 { #expect(try await stage.send(operation, request) == Self.good(stage)) }
            }
            // At once.
            let twin = try android.request(try Self.data(.android).encoded(), salt: SimulatedAndroid.salt(2))
            async let one = stage.send(DonationAPI.analyticsOnAndroid, twin)
            async let other = stage.send(DonationAPI.analyticsOnAndroid, twin)
            #expect(try await [one, other] == [Self.good(stage), Self.good(stage)])

            #expect(try await Self.waiting(stage) == 3)
            #expect(try await Self.fold(stage, fold) == [3])
            #expect(
                try await stage.send(requests[0].0, requests[0].1) == Reply.refusal(429, "API_TOKEN_QUOTA_EXCEEDED"))
        }
    }

    @Test func `equal data of two phones count twice`() async throws {
        try await Self.run { stage, fold in
            let data = try Self.data(.android).encoded()
            let android = SimulatedAndroid(vouchers: stage.vouchers)
            for number: UInt8 in 1...3 {
                let request = try android.request(data, salt: SimulatedAndroid.salt(number))
                #expect(try await stage.send(DonationAPI.analyticsOnAndroid, request) == Self.good(stage))
            }
            #expect(try await Self.fold(stage, fold) == [3])
        }
    }

    @Test func `a salt that was used for other data is refused, and nothing of them is stored`() async throws {
        try await Self.run { stage, fold in
            let android = SimulatedAndroid(vouchers: stage.vouchers)
            for (seed, reply) in [(1, Self.good(stage)), (2, Reply.refusal(403, "SALT_REDEEMED"))] {
                let data = try Self.data(.android, seed: UInt64(seed)).encoded()
                let request = try android.request(data, salt: SimulatedAndroid.salt(1))
                #expect(try await stage.send(DonationAPI.analyticsOnAndroid, request) == reply)
            }
            #expect(try await Self.fold(stage, fold) == [1])
        }
    }

    @Test func `data that break a rule are refused without a body, and take no share and no evidence`() async throws {
        try await Self.run { stage, _ in
            let iPhone = try SimulatedIPhone("one", stage.vouchers)
            var random = SeededGenerator(seed: 3)
            var flawed = Self.data(.iOS)
            flawed.windows = [SampleDonation.window(scans: 16, using: &random)]
            let token = try iPhone.deviceToken()
            for payload in [try flawed.encoded(), [255, 255, 255]] {
                let request = try iPhone.request(payload, deviceToken: token)
                #expect(try await stage.send(DonationAPI.analyticsOnIOS, request) == Reply(400, ""))
            }
            // The body itself is none; the metadata of Android's app aren't an iPhone's.
            #expect(
                try await stage.send(DonationAPI.analyticsOnIOS, [255, 255])
                    == Reply.refusal(400, "DEVICE_TOKEN_SYNTAX_ERROR"))
            #expect(try await stage.rows() == [:])
            #expect(try await Self.waiting(stage) == 0)

            let request = try iPhone.request(try Self.data(.iOS).encoded(), deviceToken: token)
            #expect(try await stage.send(DonationAPI.analyticsOnIOS, request) == Self.good(stage))
        }
    }

    @Test func `a dummy request is answered like a real one, and stores and takes nothing`() async throws {
        try await Self.run { stage, _ in
            let iPhone = try SimulatedIPhone("one", stage.vouchers)
            for payload in [try Self.data(.iOS).encoded(), [], [255, 255]] {
                let reply = try await stage.send(
                    DonationAPI.analyticsOnIOS, iPhone.request(payload), isFake: true)
                #expect(reply == Self.good(stage))
            }
            #expect(try await stage.rows() == [:])
            #expect(try await Self.waiting(stage) == 0)
        }
    }

    @Test func `an hour that was just closed costs no donation: it joins the next hour`() async throws {
        try await Self.run { stage, fold in
            let android = SimulatedAndroid(vouchers: stage.vouchers)
            func send(_ salt: UInt8) async throws -> Reply {
                let data = try Self.data(.android, seed: UInt64(salt)).encoded()
                return try await stage.send(
                    DonationAPI.analyticsOnAndroid, android.request(data, salt: SimulatedAndroid.salt(salt)))
            }
            #expect(try await send(1) == Self.good(stage))
            // The server knows the hour's key; a fold whose clock is a little ahead closes the hour.
            let hour = Hour(containing: stage.clock.now)
            try await fold.store.close(through: hour)
            #expect(try await send(2) == Self.good(stage))
            let hours = try await stage.asSuperuser {
                try $0.rows("SELECT hour FROM donation.inbox ORDER BY hour", as: Int32.self)
            }
            #expect(hours == [hour.number, hour.number + 1])
            #expect(try await Self.fold(stage, fold) == [1])
            #expect(try await Self.fold(stage, fold) == [1])
        }
    }

    @Test func `without an open hour the app is told to come again, and its evidence stays good`() async throws {
        try await Self.run { stage, fold in
            let android = SimulatedAndroid(vouchers: stage.vouchers)
            let request = try android.request(try Self.data(.android).encoded(), salt: SimulatedAndroid.salt(1))
            try await fold.store.close(through: Hour(containing: stage.clock.now).advanced(by: 100))
            #expect(try await stage.send(DonationAPI.analyticsOnAndroid, request).status == 503)
            #expect(try await stage.rows() == [:])
            try await fold.store.makeKeys(from: Hour(containing: stage.clock.now), count: 200, in: fold.files)
            #expect(try await stage.send(DonationAPI.analyticsOnAndroid, request) == Self.good(stage))
        }
    }
}
