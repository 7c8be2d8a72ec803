import Credentials
import Foundation
import Postgres
import Running
import Schema
import TestSupport
import Testing

/// Every retention rule of the verification server at its boundary and a second past it; other tables stay untouched.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct VerificationRetentionTests {
    struct Rule: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let table: String
        /// The finest time that the table knows, in seconds.
        let unit: TimeInterval
        /// The oldest row that stays; `now` is the beginning of a unit.
        let row: @Sendable (_ now: Date, _ digest: [UInt8]) -> SQL
    }

    private static let hour: TimeInterval = 3600
    private static let day: TimeInterval = 86_400

    private static func number(_ instant: Date, of unit: TimeInterval) -> Int32 {
        Int32(instant.timeIntervalSince1970 / unit)
    }

    static let rules = [
        Rule(testDescription: "a session is kept for 21 days", table: "session", unit: hour) { now, digest in
            """
            INSERT INTO verification.session (token_digest, teletan_kind, created_hour)
            VALUES (\(digest), 'TEST', \(number(now - 21 * day, of: hour)))
            """
        },
        Rule(testDescription: "a registered GUID is kept for 82 days", table: "registered_guid", unit: day) {
            now, digest in
            """
            INSERT INTO verification.registered_guid (guid_digest, created_day)
            VALUES (\(digest), \(number(now - 82 * day, of: day)))
            """
        },
        Rule(testDescription: "a teleTAN is kept for a day after its expiry", table: "tele_tan", unit: 1) {
            now, digest in
            """
            INSERT INTO verification.tele_tan (digest, kind, redeemed, created_at, expires_at)
            VALUES (\(digest), 'TEST', true, \(now - 30 * day), \(now - day))
            """
        },
        Rule(testDescription: "a used TAN is kept for 23 days", table: "used_tan", unit: day) { now, digest in
            """
            INSERT INTO verification.used_tan (digest, tag, day)
            VALUES (\(digest), \(digest), \(number(now - 23 * day, of: day)))
            """
        },
    ]

    @Test("a row is kept to the end of its last hour or day and not longer", arguments: rules)
    func boundary(rule: Rule) async throws {
        try await VerificationStage.run { stage in
            // The service's own retention may run at any time: what would go at the stage's start is written only later.
            let start = VerificationStage.start.timeIntervalSince1970
            let now = Date(timeIntervalSince1970: (start / rule.unit + 1).rounded(.down) * rule.unit)
            stage.clock.set(now + rule.unit - 1)
            try await TestPostgres.withClient(stage.database.superuserConnection) { client in
                try await client.session { session in
                    // One at the boundary, one a unit younger.
                    try session.execute(rule.row(now, [UInt8](repeating: 1, count: 32)))
                    try session.execute(rule.row(now + rule.unit, [UInt8](repeating: 2, count: 32)))
                }
            }
            #expect(try await stage.applyRetention() == 0)
            stage.clock.advance(by: 1)
            #expect(try await stage.applyRetention() == 1)
            #expect(try await stage.counts() == [rule.table: 1])
            stage.clock.advance(by: rule.unit)
            #expect(try await stage.applyRetention() == 1)
            #expect(try await stage.counts() == [:])
        }
    }

    @Test("the service applies its rules by itself")
    func applied() async throws {
        try await VerificationStage.run { client in
            try await client.session { session in
                for (index, rule) in Self.rules.enumerated() {
                    let digest = [UInt8](repeating: UInt8(index), count: 32)
                    try session.execute(rule.row(VerificationStage.start - rule.unit, digest))
                    try session.execute(rule.row(VerificationStage.start + rule.unit, digest.map { $0 + 100 }))
                }
            }
        } _: { stage in
            while try await stage.counts().values.reduce(0, +) > Self.rules.count { await Task.yield() }
            #expect(try await stage.counts() == ["session": 1, "registered_guid": 1, "tele_tan": 1, "used_tan": 1])
        }
    }
}
