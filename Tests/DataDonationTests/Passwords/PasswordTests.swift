import DonationAPI
import DonationFormat
import Foundation
import HTTPContract
import TestSupport
import Testing

/// What servers are told of passwords, and what apps are told of their requests.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct PasswordTests {
    private static let survey = DonationAPI.surveyRedemption.route.path

    private static func answer(_ number: Int, _ state: String, isStrong: Bool = true) -> String {
        #"{"otp":"\#(Wish.password(number))","state":"\#(state)","strongClientIntegrityCheck":\#(isStrong)}"#
    }

    @Test func `a password is given for an hour, and redeemed once`() async throws {
        try await DonationStage.run { stage in
            let phone = SimulatedAndroid(vouchers: stage.vouchers)
            let body = try phone.request(Wish.payload(1), salt: SimulatedAndroid.salt(1))
            let given = try await stage.send(DonationAPI.surveyOnAndroid, body)
            #expect(given == .init(200, #"{"expirationDate":"2026-11-10T10:10:00Z"}"#))
            let upper = Wish.password(1).uppercased()
            #expect(
                try await stage.redeem(Self.survey, upper, by: .surveyServer) == .init(200, Self.answer(1, "valid")))
            #expect(
                try await stage.redeem(Self.survey, upper, by: .surveyServer) == .init(400, Self.answer(1, "redeemed")))
        }
    }

    @Test func `a server that repeats its call with the same key is answered alike; with another it is too late`()
        async throws
    {
        try await DonationStage.run { stage in
            let phone = SimulatedAndroid(vouchers: stage.vouchers)
            _ = try await stage.send(
                DonationAPI.surveyOnAndroid, phone.request(Wish.payload(1), salt: SimulatedAndroid.salt(1)))
            let (one, other) = (String(repeating: "a", count: 32), String(repeating: "b", count: 32))
            for _ in 0..<2 {
                let reply = try await stage.redeem(Self.survey, Wish.password(1), by: .surveyServer, key: one)
                #expect(reply == .init(200, Self.answer(1, "valid")))
            }
            let late = try await stage.redeem(Self.survey, Wish.password(1), by: .surveyServer, key: other)
            #expect(late == .init(400, Self.answer(1, "redeemed")))
        }
    }

    @Test func `an expired password is told from an unknown one for a week`() async throws {
        try await DonationStage.run { stage in
            let phone = SimulatedAndroid(vouchers: stage.vouchers)
            _ = try await stage.send(
                DonationAPI.surveyOnAndroid, phone.request(Wish.payload(1), salt: SimulatedAndroid.salt(1)))
            stage.clock.advance(by: 3600)
            let late = try await stage.redeem(Self.survey, Wish.password(1), by: .surveyServer)
            #expect(late == .init(400, Self.answer(1, "expired")))
            #expect(try await stage.redeem(Self.survey, Wish.password(2), by: .surveyServer) == .init(404, ""))
            #expect(try await stage.redeem(Self.survey, "no password", by: .surveyServer) == .init(400, ""))
        }
    }

    @Test func `a password is good for its own purpose and its own server only`() async throws {
        try await DonationStage.run { stage in
            let phone = SimulatedAndroid(vouchers: stage.vouchers)
            _ = try await stage.send(
                DonationAPI.surveyOnAndroid, phone.request(Wish.payload(1), salt: SimulatedAndroid.salt(1)))
            let log = DonationAPI.logRedemption.route.path
            #expect(try await stage.redeem(log, Wish.password(1), by: .logServer).status == 404)
            #expect(try await stage.redeemReports([(1, 1)]) == .init(200, #"{"redeemed":[false]}"#))
            for role in [Role.logServer, .verificationServer, .metadataProxy] {
                #expect(try await stage.redeem(Self.survey, Wish.password(1), by: role).status == 403)
            }
            #expect(try await stage.redeem(Self.survey, Wish.password(1), by: .surveyServer).status == 200)
        }
    }

    @Test func `of many calls for one password at once, one wins`() async throws {
        try await DonationStage.run { stage in
            let phone = SimulatedAndroid(vouchers: stage.vouchers)
            _ = try await stage.send(
                DonationAPI.surveyOnAndroid, phone.request(Wish.payload(1), salt: SimulatedAndroid.salt(1)))
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<12 {
                    group.addTask {
                        try await stage.redeem(Self.survey, Wish.password(1), by: .surveyServer).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 1)
            #expect(statuses.count { $0 == 400 } == 11)
        }
    }

    @Test func `an app that repeats its request is answered alike, even when its evidence isn't good any more`()
        async throws
    {
        try await DonationStage.run { stage in
            let phone = SimulatedAndroid(vouchers: stage.vouchers)
            let body = try phone.request(Wish.payload(1), salt: SimulatedAndroid.salt(1))
            let first = try await stage.send(DonationAPI.surveyOnAndroid, body)
            stage.clock.advance(by: 1200)
            #expect(try await stage.send(DonationAPI.surveyOnAndroid, body) == first)
            #expect(try await stage.rows() == ["evidence": 1, "passwords": 1])
        }
    }

    @Test func `a dummy request is answered like a real one, and stores nothing`() async throws {
        try await DonationStage.run { stage in
            let body = try DonationRequest(authentication: [], payload: []).encoded(length: 16_384)
            for operation in [
                DonationAPI.surveyOnIOS, DonationAPI.surveyOnAndroid, DonationAPI.logOnIOS, DonationAPI.logOnAndroid,
            ] {
                let reply = try await stage.send(operation, body, isFake: true)
                #expect(reply == .init(200, #"{"expirationDate":"2026-11-10T10:10:00Z"}"#))
            }
            #expect(try await stage.rows().isEmpty)
        }
    }

    @Test func `a body that is no request, or a password that is none, gets the code that both apps know`() async throws
    {
        try await DonationStage.run { stage in
            let refusal = DonationStage.Reply.refusal(400, "DEVICE_TOKEN_SYNTAX_ERROR")
            let noPassword = try DonationRequest(authentication: [], payload: [0x0a, 1, 0x41]).encoded(length: 16_384)
            for operation in [DonationAPI.surveyOnIOS, DonationAPI.reportOnAndroid] {
                #expect(try await stage.send(operation, [0xff, 0xff]) == refusal)
                #expect(try await stage.send(operation, noPassword) == refusal)
            }
            #expect(try await stage.rows().isEmpty)
        }
    }
}
