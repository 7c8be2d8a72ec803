import DonationAPI
import Foundation
import HTTPContract
import TestSupport
import Testing

/// Passwords of self-reports, which the verification server redeems in batches.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct ReportRedemptionTests {
    private static func answer(_ redeemed: Bool...) -> DonationStage.Reply {
        .init(200, #"{"redeemed":[\#(redeemed.map(\.description).joined(separator: ","))]}"#)
    }

    /// Has a phone of its own get each password.
    private static func give(_ numbers: Int..., on stage: DonationStage) async throws {
        for number in numbers {
            let phone = SimulatedAndroid(vouchers: stage.vouchers)
            let id = [UInt8](repeating: UInt8(number), count: 8)
            let body = try phone.request(
                Wish.payload(number, androidID: id), salt: SimulatedAndroid.salt(UInt8(number)))
            let given = try await stage.send(DonationAPI.reportOnAndroid, body)
            #expect(given == .init(200, #"{"expirationDate":"2026-11-10T09:40:00Z"}"#))
        }
    }

    @Test func `a batch is told which of its passwords it redeemed, in its order, and a repeat is told the same`()
        async throws
    {
        try await DonationStage.run { stage in
            try await Self.give(1, 2, 3, on: stage)
            #expect(try await stage.redeemReports([(2, 7)]) == Self.answer(true))
            for _ in 0..<2 {
                // Good, unknown, redeemed by another call, redeemed by this one, and another good one.
                let reply = try await stage.redeemReports([(3, 1), (9, 2), (2, 3), (2, 7), (1, 4)])
                #expect(reply == Self.answer(true, false, false, true, true))
            }
            #expect(try await stage.redeemReports([(1, 1), (2, 1), (3, 4)]) == Self.answer(false, false, false))
        }
    }

    @Test func `of several entries for one password in a batch the first wins`() async throws {
        try await DonationStage.run { stage in
            try await Self.give(1, on: stage)
            #expect(try await stage.redeemReports([(1, 2), (1, 1), (1, 2)]) == Self.answer(true, false, true))
            #expect(try await stage.redeemReports([(1, 1), (1, 2)]) == Self.answer(false, true))
        }
    }

    @Test func `of many batches with the same passwords at once, in any order, one wins each`() async throws {
        try await DonationStage.run { stage in
            try await Self.give(1, 2, 3, 4, on: stage)
            let replies = try await withThrowingTaskGroup(of: [Bool].self) { group in
                for call in 0..<12 {
                    group.addTask {
                        // From the last to the first password, and reversed.
                        let entries = (1...4).map { (call.isMultiple(of: 2) ? $0 : 5 - $0, call) }
                        let reply = try await stage.redeemReports(entries)
                        let redeemed = try JSONDecoder().decode(RedeemedReports.self, from: Data(reply.body.utf8))
                            .redeemed
                        return call.isMultiple(of: 2) ? redeemed : redeemed.reversed()
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(replies.count == 12)
            for password in 0..<4 { #expect(replies.count { $0[password] } == 1) }
        }
    }

    @Test func `a password is good for half an hour, and after that for the call that redeemed it`() async throws {
        try await DonationStage.run { stage in
            try await Self.give(1, 2, on: stage)
            stage.clock.advance(by: 1799)
            #expect(try await stage.redeemReports([(1, 1)]) == Self.answer(true))
            stage.clock.advance(by: 1)
            #expect(try await stage.redeemReports([(1, 1), (2, 1)]) == Self.answer(true, false))
        }
    }

    @Test func `nothing is stored for passwords that nobody was given, however many there are`() async throws {
        try await DonationStage.run { stage in
            let most = DonationAPI.maximumEntries
            let reply = try await stage.redeemReports((0..<most).map { ($0, 1) })
            #expect(reply.status == 200)
            #expect(!reply.body.contains("true"))
            #expect(try await stage.rows().isEmpty)
        }
    }

    @Test func `a survey's password is none, and no other server may ask`() async throws {
        try await DonationStage.run { stage in
            let phone = SimulatedAndroid(vouchers: stage.vouchers)
            _ = try await stage.send(
                DonationAPI.surveyOnAndroid, phone.request(Wish.payload(1), salt: SimulatedAndroid.salt(1)))
            #expect(try await stage.redeemReports([(1, 1)]) == Self.answer(false))
            for role in [Role.surveyServer, .logServer, .metadataProxy] {
                #expect(try await stage.redeemReports([(1, 1)], by: role).status == 403)
            }
            let path = DonationAPI.surveyRedemption.route.path
            #expect(try await stage.redeem(path, Wish.password(1), by: .surveyServer).status == 200)
        }
    }

    @Test func `a batch of none or too many, or with what is no password, is refused and redeems nothing`() async throws
    {
        try await DonationStage.run { stage in
            try await Self.give(1, on: stage)
            let tooMany = (0...DonationAPI.maximumEntries).map { ($0, 1) }
            #expect(try await stage.redeemReports(tooMany) == .init(400, ""))
            let key = String(repeating: "a", count: 32)
            let good = #"{"otp":"\#(Wish.password(1))","idempotencyKey":"\#(key)"}"#
            let bodies = [
                #"{"redemptions":[]}"#, #"{"redemptions":[\#(good),{"otp":"no password","idempotencyKey":"\#(key)"}]}"#,
                #"{"redemptions":[\#(good),{"otp":"\#(Wish.password(2))"}]}"#, "[]",
            ]
            for body in bodies { #expect(try await stage.redeemReports(Array(body.utf8)) == .init(400, "")) }
            #expect(try await stage.redeemReports([(1, 1)]) == Self.answer(true))
        }
    }
}
