import Credentials
import Foundation
import Postgres
import Schema
import ServiceKit
import TestSupport
import Testing

/// Every rule of the verification server at its boundary and a second past it, the other tables being untouched.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct VerificationRetentionTests {
    struct Rule: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let table: String
        /// The oldest row that stays, in seconds before now.
        let row: @Sendable (_ now: Date, _ digest: [UInt8]) -> SQL
    }

    private static let day: TimeInterval = 86_400

    static let rules = [
        Rule(testDescription: "a session stays for 21 days", table: "session") { now, digest in
            """
            INSERT INTO verification.session (token_digest, teletan_kind, created_at)
            VALUES (\(digest), 'TEST', \(now - 21 * day))
            """
        },
        Rule(testDescription: "that a GUID was registered stays for 82 days", table: "registered_guid") { now, digest in
            """
            INSERT INTO verification.registered_guid (guid_digest, created_at)
            VALUES (\(digest), \(now - 82 * day))
            """
        },
        Rule(testDescription: "a teleTAN stays for a day after its expiry", table: "tele_tan") { now, digest in
            """
            INSERT INTO verification.tele_tan (digest, kind, redeemed, created_at, expires_at)
            VALUES (\(digest), 'TEST', true, \(now - 30 * day), \(now - day))
            """
        },
        Rule(testDescription: "a TAN stays until its expiry", table: "tan") { now, digest in
            "INSERT INTO verification.tan (digest, expires_at) VALUES (\(digest), \(now))"
        },
        Rule(testDescription: "a reserved TAN stays until its expiry", table: "tan") { now, digest in
            "INSERT INTO verification.tan (digest, tag, expires_at) VALUES (\(digest), \(digest), \(now))"
        },
        Rule(testDescription: "a confirmed TAN stays for 15 minutes", table: "tan") { now, digest in
            """
            INSERT INTO verification.tan (digest, tag, confirmed_at, expires_at)
            VALUES (\(digest), \(digest), \(now - 15 * 60), \(now + 10 * day))
            """
        },
    ]

    @Test("a row stays for its time and not a second longer", arguments: rules)
    func boundary(rule: Rule) async throws {
        try await VerificationStage.run { stage in
            let now = VerificationStage.start
            try await TestPostgres.withClient(stage.database.superuserConnection) { client in
                try await client.session { session in
                    // One at the boundary, one a second younger.
                    try session.execute(rule.row(now, [UInt8](repeating: 1, count: 32)))
                    try session.execute(rule.row(now + 1, [UInt8](repeating: 2, count: 32)))
                }
            }
            #expect(try await stage.applyRetention() == 0)
            stage.clock.advance(by: 1)
            #expect(try await stage.applyRetention() == 1)
            #expect(try await stage.counts() == [rule.table: 1])
            stage.clock.advance(by: 1)
            #expect(try await stage.applyRetention() == 1)
            #expect(try await stage.rows().isEmpty)
        }
    }

    @Test("the service applies its rules by itself")
    func applied() async throws {
        try await VerificationStage.run { client in
            try await client.session { session in
                for (index, rule) in Self.rules.enumerated() {
                    let digest = [UInt8](repeating: UInt8(index), count: 32)
                    try session.execute(rule.row(VerificationStage.start - 1, digest))
                    try session.execute(rule.row(VerificationStage.start + 1, digest.map { $0 + 100 }))
                }
            }
        } _: { stage in
            while try await stage.rows().count > Self.rules.count { await Task.yield() }
            #expect(try await stage.counts() == ["session": 1, "registered_guid": 1, "tele_tan": 1, "tan": 3])
        }
    }
}
