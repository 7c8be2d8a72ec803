import Calling
import Credentials
import Foundation
import HTTPContract
import HTTPTypes
import Postgres
import Running
import TestSupport
import Testing
import VerificationAPI

/// An officer's request that is sent again: a lost answer costs no second teleTAN.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct TeleTANRepeatTests {
    /// Issues a teleTAN to an officer with both roles.
    private func ask(
        _ key: IdempotencyKey?, _ kind: TeleTANKind = .test, officer: String = "one", on stage: VerificationStage
    ) async throws -> TeleTANResponse {
        var claims = OfficerTokens.Claims()
        claims.sub = "\"\(officer)\""
        claims.roles = #"["c19hotline","c19hotline_event"]"#
        return try await stage.portal.call(
            VerificationAPI.teleTAN,
            TeleTANRequest(officerToken: try stage.officers.token(claims), kind: kind, idempotencyKey: key))
    }

    /// What `officer_hour` counted, for each officer and hour.
    private func spent(_ stage: VerificationStage) async throws -> [Int32] {
        try await TestPostgres.withClient(stage.database.superuserConnection) { client in
            try await client.session { session in
                try session.rows("SELECT issued FROM verification.officer_hour ORDER BY issued", as: Int32.self)
            }
        }
    }

    @Test(
        "a repeat gets the same teleTAN with the same end, and spends nothing",
        arguments: [(TeleTANKind.test, Int64(3600)), (.event, 2 * 86_400)])
    func repeats(kind: TeleTANKind, lifetime: Int64) async throws {
        try await VerificationStage.run(
            settings: ["teleTAN.officerHourlyLimit": "1", "teleTAN.hourlyLimit": "1"]
        ) { stage in
            let key = IdempotencyKey.fresh
            let first = try await ask(key, kind, on: stage)
            #expect(first.validUntil == Int64(VerificationStage.start.timeIntervalSince1970) + lifetime)
            #expect(first.remaining == 0)
            stage.clock.advance(by: 90.25)
            #expect(try await ask(key, kind, on: stage) == first)
            #expect(try await stage.counts() == ["tele_tan": 1])
            #expect(try await spent(stage) == [1])
            await #expect(throws: CallError.refused(.tooManyRequests)) { _ = try await ask(.fresh, kind, on: stage) }
            #expect(try await stage.counts() == ["tele_tan": 1])
            // The repeat's own hour has begun, and nothing was made in it.
            stage.clock.advance(by: 3600)
            let later = try await ask(key, kind, on: stage)
            #expect(later == TeleTANResponse(first.value, validUntil: first.validUntil, remaining: 1))
            #expect(try await spent(stage) == [1])
        }
    }

    @Test("a repeat after the teleTAN was redeemed opens nothing")
    func redeemed() async throws {
        try await VerificationStage.run { stage in
            let key = IdempotencyKey.fresh
            let code = try await ask(key, on: stage).value
            _ = try await stage.register(.teleTAN(code))
            #expect(try await ask(key, on: stage).value == code)
            await #expect(throws: CallError.refused(.badRequest)) { try await stage.register(.teleTAN(code)) }
        }
    }

    @Test("repeats at the same time get one teleTAN and spend one")
    func atOnce() async throws {
        try await VerificationStage.run(
            settings: ["teleTAN.officerHourlyLimit": "1", "teleTAN.hourlyLimit": "1"]
        ) { stage in
            let key = IdempotencyKey.fresh
            let answers = try await withThrowingTaskGroup(of: TeleTANResponse.self) { group in
                for _ in 0..<24 { group.addTask { try await ask(key, on: stage) } }
                return try await group.reduce(into: [TeleTANResponse]()) { $0.append($1) }
            }
            #expect(answers.count == 24)
            #expect(Set(answers.map(\.value)).count == 1)
            #expect(Set(answers.map(\.remaining)) == [0])
            #expect(try await stage.counts() == ["tele_tan": 1])
            #expect(try await spent(stage) == [1])
        }
    }

    @Test("another key, officer or kind is another teleTAN, and so is every request without a key")
    func others() async throws {
        try await VerificationStage.run { stage in
            let key = IdempotencyKey.fresh
            let answers = [
                try await ask(key, on: stage), try await ask(.fresh, on: stage),
                try await ask(key, .event, on: stage), try await ask(key, officer: "other", on: stage),
                try await ask(nil, on: stage), try await ask(nil, on: stage),
            ]
            #expect(Set(answers.map(\.value)).count == answers.count)
            #expect(answers.map(\.remaining) == [59, 58, 57, 59, 56, 55])
            #expect(try await spent(stage) == [1, 5])
        }
    }

    @Test("a teleTAN ends at the whole second that its officer was told")
    func end() async throws {
        try await VerificationStage.run { stage in
            stage.clock.advance(by: 0.4)
            let answers = [try await ask(nil, on: stage), try await ask(nil, on: stage)]
            let end = Date(timeIntervalSince1970: Double(answers[0].validUntil))
            #expect(end == VerificationStage.start + 3601)
            stage.clock.set(end - 0.001)
            _ = try await stage.register(.teleTAN(answers[0].value))
            stage.clock.set(end)
            await #expect(throws: CallError.refused(.badRequest)) {
                try await stage.register(.teleTAN(answers[1].value))
            }
        }
    }

    @Test("a malformed key is refused, and the answer without a key has what Corona-Warn-App's portal reads")
    func wire() async throws {
        try await VerificationStage.run { stage in
            let token = "Bearer \(try stage.officers.token())"
            let answers = try await stage.rawPortal(.portal) { client in
                let path = "/version/v1/tan/teletan"
                return [
                    try await client.send(
                        "POST", path, fields: ["authorization": token, "idempotency-key": "short"]),
                    try await client.send("POST", path, fields: ["authorization": token]),
                ]
            }
            #expect(answers.map(\.status) == [400, 201])
            let value = try #require(answers[1].body.firstMatch(of: /"value":"([2-9A-Z]{10})"/))
            #expect(TeleTAN(value.1) != nil)
        }
    }
}
