import Credentials
import DonationAPI
import Foundation
import HTTPContract
import Postgres
import Schema
import TestSupport
import Testing

@testable import DataDonation

/// Whether a database tells which phone was given which password.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct WrittenHoursTests {
    private static let phones = 1...12

    /// The pairs of a password and a phone that the number of the transaction (`xmin`) shows to belong together.
    private static let pairs: SQL = """
        SELECT count(*) FROM donation.one_time_password AS password
        JOIN donation.quota AS phone ON phone.xmin = password.xmin
        """

    private static func report(_ number: Int, to stage: DonationStage) async throws {
        let phone = SimulatedAndroid(vouchers: stage.vouchers)
        let id = [UInt8](repeating: UInt8(number), count: 8)
        let body = try phone.request(
            Wish.payload(number, androidID: id), salt: SimulatedAndroid.salt(UInt8(number)))
        let reply = try await stage.send(DonationAPI.reportOnAndroid, body)
        #expect(reply.status == 200)
    }

    private static func forgetOrder(in stage: DonationStage) async throws -> Int {
        try await TestPostgres.withClient(stage.database.connection(as: .donation)) { client in
            let clock = DatabaseClock(of: client, movedLike: stage.clock.clock)
            return try await WrittenHours.donations(client, by: clock).forgetOrder(at: stage.clock.now)
        }
    }

    @Test func `within the hour the transactions tell, and afterwards nothing does`() async throws {
        try await DonationStage.run { stage in
            for number in Self.phones { try await Self.report(number, to: stage) }
            // The control: each password has its phone.
            let before = try await stage.asSuperuser { try $0.row(Self.pairs, as: Int.self) }
            #expect(before == Self.phones.count)
            stage.clock.advance(by: 3600)
            #expect(try await Self.forgetOrder(in: stage) == 3 * Self.phones.count)
            // All have one transaction, so each password has every phone.
            let after = try await stage.asSuperuser { try $0.row(Self.pairs, as: Int.self) }
            #expect(after == Self.phones.count * Self.phones.count)
            let marked = try await stage.asSuperuser { session in
                try session.row(
                    """
                    SELECT (SELECT count(written_hour) FROM donation.quota)
                        + (SELECT count(written_hour) FROM donation.one_time_password)
                        + (SELECT count(written_hour) FROM donation.used_evidence)
                    """, as: Int.self)
            }
            #expect(marked == 0)
        }
    }

    @Test func `rows lie in the order of their hashes, and not in that in which they came`() async throws {
        try await DonationStage.run { stage in
            for number in Self.phones { try await Self.report(number, to: stage) }
            stage.clock.advance(by: 3600)
            _ = try await Self.forgetOrder(in: stage)
            let hashes = try await stage.asSuperuser { session in
                try session.rows("SELECT subject_hash FROM donation.quota ORDER BY ctid", as: [UInt8].self).map(\.hex)
            }
            #expect(hashes.count == Self.phones.count)
            #expect(hashes == hashes.sorted())
        }
    }

    @Test func `rows of this hour stay as they are, and nothing is lost`() async throws {
        try await DonationStage.run { stage in
            for number in Self.phones.prefix(4) { try await Self.report(number, to: stage) }
            #expect(try await Self.forgetOrder(in: stage) == 0)
            stage.clock.advance(by: 3600)
            try await Self.report(9, to: stage)
            #expect(try await Self.forgetOrder(in: stage) == 3 * 4)
            #expect(try await Self.forgetOrder(in: stage) == 0)
            #expect(try await stage.rows() == ["evidence": 5, "shares": 5, "passwords": 5])
            // A moved password is as good as before.
            #expect(try await stage.redeemReports([(9, 1)]) == .init(200, #"{"redeemed":[true]}"#))
            let phone = SimulatedAndroid(vouchers: stage.vouchers)
            let again = try phone.request(
                Wish.payload(20, androidID: [UInt8](repeating: 1, count: 8)), salt: SimulatedAndroid.salt(20))
            #expect(try await stage.send(DonationAPI.reportOnAndroid, again) == .refusal(403, "DEVICE_QUOTA_EXCEEDED"))
        }
    }

    @Test func `requests that come while rows are written again are neither lost nor refused`() async throws {
        try await DonationStage.run { stage in
            for number in Self.phones { try await Self.report(number, to: stage) }
            stage.clock.advance(by: 3600)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 20..<36 { group.addTask { try await Self.report(number, to: stage) } }
                for _ in 0..<3 { group.addTask { _ = try await Self.forgetOrder(in: stage) } }
                try await group.waitForAll()
            }
            let count = Self.phones.count + 16
            #expect(try await stage.rows() == ["evidence": count, "shares": count, "passwords": count])
        }
    }
}
