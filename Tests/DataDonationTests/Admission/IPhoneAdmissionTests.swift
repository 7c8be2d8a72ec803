import DevelopmentAttestation
import DevelopmentAttestationAPI
import DeviceCheck
import DonationAPI
import DonationFormat
import Foundation
import HTTPContract
import Postgres
import TestSupport
import Testing

/// Every row of the check order for iPhones with DeviceCheck, by the whole service.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct IPhoneAdmissionTests {
    private typealias Reply = DonationStage.Reply

    private static func month(_ text: String) throws -> DeviceBits.Month { try #require(DeviceBits.Month(text)) }

    @Test func `a month's token admits a survey once a month, and Apple remembers the month`() async throws {
        try await DonationStage.run { stage in
            var phone = try SimulatedIPhone("anna", stage.vouchers)
            func ask(_ number: Int) async throws -> Reply {
                try await stage.send(DonationAPI.surveyOnIOS, phone.request(Wish.payload(number)))
            }
            #expect(try await ask(1).status == 200)
            let bits = try #require(stage.vouchers.deviceCheck.bits(of: "anna"))
            #expect(bits == DeviceBits(first: false, second: false, changed: try Self.month("2026-11")))
            #expect(try await ask(2) == .refusal(429, "API_TOKEN_QUOTA_EXCEEDED"))
            // A new token, as a reinstalled app has it.
            phone.apiToken = UUID()
            #expect(try await ask(3) == .refusal(403, "API_TOKEN_ALREADY_ISSUED"))
            stage.clock.set(DonationStage.start.addingTimeInterval(21 * 86_400))
            #expect(try await ask(4).status == 200)
            let answer = try await stage.redeem(
                DonationAPI.surveyRedemption.route.path, Wish.password(1), by: .surveyServer)
            #expect(answer.body.contains(#""state":"expired""#))
        }
    }

    @Test func `last month's token has expired`() async throws {
        try await DonationStage.run { stage in
            let phone = try SimulatedIPhone("anna", stage.vouchers)
            #expect(try await stage.send(DonationAPI.surveyOnIOS, phone.request(Wish.payload(1))).status == 200)
            stage.clock.set(DonationStage.start.addingTimeInterval(21 * 86_400))
            // The retention of a running service deletes it two days later only.
            let late = try await stage.send(DonationAPI.surveyOnIOS, phone.request(Wish.payload(2)))
            #expect(late == .refusal(403, "API_TOKEN_EXPIRED"))
        }
    }

    @Test func `a token that can't be one is a syntax error, and one that Apple doesn't know is invalid`() async throws
    {
        try await DonationStage.run { stage in
            let phone = try SimulatedIPhone("anna", stage.vouchers)
            let token = try phone.deviceToken()
            for wrong in ["", "AAAA", String(repeating: "*", count: 2600)] {
                let body = try phone.request(Wish.payload(1), deviceToken: wrong)
                #expect(
                    try await stage.send(DonationAPI.surveyOnIOS, body) == .refusal(400, "DEVICE_TOKEN_SYNTAX_ERROR"))
            }
            let noMonth = IOSEvidence(deviceToken: token, apiToken: "no UUID")
            let body = try DonationRequest(authentication: noMonth.encoded(), payload: Wish.payload(1))
                .encoded(length: 16_384)
            #expect(try await stage.send(DonationAPI.surveyOnIOS, body) == .refusal(400, "DEVICE_TOKEN_SYNTAX_ERROR"))
            let strange = Data(repeating: 7, count: 2100).base64EncodedString()
            let unknown = try phone.request(Wish.payload(1), deviceToken: strange)
            #expect(try await stage.send(DonationAPI.surveyOnIOS, unknown) == .refusal(400, "DEVICE_TOKEN_INVALID"))
            #expect(try await stage.rows().isEmpty)
        }
    }

    @Test func `a device token admits one request`() async throws {
        try await DonationStage.run { stage in
            let phone = try SimulatedIPhone("anna", stage.vouchers)
            let token = try phone.deviceToken()
            let first = try phone.request(Wish.payload(1), deviceToken: token)
            #expect(try await stage.send(DonationAPI.logOnIOS, first).status == 200)
            let second = try phone.request(Wish.payload(2), deviceToken: token)
            #expect(try await stage.send(DonationAPI.logOnIOS, second) == .refusal(403, "DEVICE_TOKEN_REDEEMED"))
            #expect(try await stage.rows() == ["evidence": 1, "passwords": 1])
        }
    }

    @Test func `a device with both bits is blocked for every purpose`() async throws {
        try await DonationStage.run { stage in
            let phone = try SimulatedIPhone("anna", stage.vouchers)
            let month = try Self.month("2026-01")
            let isSet = stage.vouchers.deviceCheck.set(
                DeviceBits(first: true, second: true, changed: month), of: "anna")
            #expect(isSet)
            for operation in [DonationAPI.surveyOnIOS, DonationAPI.logOnIOS, DonationAPI.reportOnIOS] {
                let reply = try await stage.send(operation, phone.request(Wish.payload(1)))
                #expect(reply == .refusal(401, "DEVICE_BLOCKED"))
            }
        }
    }

    @Test(arguments: [DeviceCheckBehaviour.Kind.busy, .broken, .unavailable, .away])
    func `while Apple doesn't answer, apps are asked to come again, and lose nothing`(kind: DeviceCheckBehaviour.Kind)
        async throws
    {
        try await DonationStage.run { stage in
            let phone = try SimulatedIPhone("anna", stage.vouchers)
            let body = try phone.request(Wish.payload(1))
            stage.vouchers.routes.behave(kind)
            for operation in [DonationAPI.surveyOnIOS, DonationAPI.reportOnIOS] {
                #expect(try await stage.send(operation, body) == Reply(503, ""))
            }
            stage.vouchers.routes.behave(.well)
            #expect(try await stage.send(DonationAPI.surveyOnIOS, body).status == 200)
        }
    }

    // MARK: Self-reports

    @Test func `a device reports itself once in 90 days, though its app is installed again`() async throws {
        try await DonationStage.run { stage in
            var phone = try SimulatedIPhone("anna", stage.vouchers)
            func report(_ number: Int) async throws -> Reply {
                try await stage.send(DonationAPI.reportOnIOS, phone.request(Wish.payload(number)))
            }
            #expect(try await report(1).status == 200)
            #expect(stage.vouchers.deviceCheck.bits(of: "anna")?.first == true)
            #expect(try await report(2) == .refusal(429, "API_TOKEN_QUOTA_EXCEEDED"))
            for (days, reply) in [
                (30.0, Reply.refusal(429, "API_TOKEN_QUOTA_EXCEEDED")),
                (88, .refusal(429, "API_TOKEN_QUOTA_EXCEEDED")),
                // Apple keeps the month only, so its last day counts: 90 days after November are over on 1 March.
                (111, .init(200, #"{"expirationDate":"2027-03-01T09:40:00Z"}"#)),
            ] {
                stage.clock.set(DonationStage.start.addingTimeInterval(days * 86_400))
                phone.apiToken = UUID()
                #expect(try await report(Int(days)) == reply)
            }
        }
    }

    @Test func `other requests of a device don't make its report look younger or forgotten`() async throws {
        try await DonationStage.run { stage in
            var phone = try SimulatedIPhone("anna", stage.vouchers)
            #expect(try await stage.send(DonationAPI.reportOnIOS, phone.request(Wish.payload(1))).status == 200)
            stage.clock.set(DonationStage.start.addingTimeInterval(21 * 86_400))
            phone.apiToken = UUID()
            #expect(try await stage.send(DonationAPI.surveyOnIOS, phone.request(Wish.payload(2))).status == 200)
            let bits = try #require(stage.vouchers.deviceCheck.bits(of: "anna"))
            #expect(bits == DeviceBits(first: true, second: false, changed: try Self.month("2026-11")))
        }
    }

    @Test func `an app whose report reached Apple, but not the table, can report again with another password`()
        async throws
    {
        try await DonationStage.run { stage in
            let phone = try SimulatedIPhone("anna", stage.vouchers)
            _ = try await stage.asSuperuser { session in
                try session.execute("ALTER TABLE donation.one_time_password ADD CONSTRAINT broken CHECK (false)")
            }
            let failed = try await stage.send(DonationAPI.reportOnIOS, phone.request(Wish.payload(1)))
            #expect(failed.status >= 500)
            #expect(stage.vouchers.deviceCheck.bits(of: "anna")?.first == true)
            _ = try await stage.asSuperuser { session in
                try session.execute("ALTER TABLE donation.one_time_password DROP CONSTRAINT broken")
            }
            #expect(try await stage.send(DonationAPI.reportOnIOS, phone.request(Wish.payload(2))).status == 200)
            let second = try await stage.send(DonationAPI.reportOnIOS, phone.request(Wish.payload(3)))
            #expect(second == .refusal(429, "API_TOKEN_QUOTA_EXCEEDED"))
        }
    }
}
