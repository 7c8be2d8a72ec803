import ExposureKeys
import Foundation
import Postgres
import Schema
import TestSupport
import Testing

@testable import Distribution

/// What remains of a key after its 14 days.
@Suite(
    .enabled(if: TestPostgres.isAvailable && PrivateServer.programs != nil, "needs PostgreSQL's programs"),
    .heavy, .timeLimit(.minutes(15)))
struct ExpiryTests {
    @Test(
        """
        an expired key is in no published file, and nowhere in the files of PostgreSQL and of a standby if log segments aren't \
        recycled; if they are, it may be
        """,
        arguments: [false, true])
    func files(recycled: Bool) async throws {
        let programs = try #require(PrivateServer.programs)
        let keys = try Samples.keys(0..<200)
        try await PrivateServer.with(programs, settings: ["wal_recycle=\(recycled ? "on" : "off")"]) { primary in
            try await primary.untilReady()
            try await primary.withStandby { standby in
                try await standby.untilReady()
                let database = try await MigratedDatabase(migrating: primary.connection)
                try await PublishingStage.run(in: database) { stage in
                    try await stage.fold(Samples.noon, keys)
                    try await stage.foldEmpty(Samples.noon.advanced(by: 1)...Samples.day.lastHour)
                    try await stage.publish(through: Samples.day.lastHour)
                    try await primary.checkpoint(with: standby)
                    // The control: all searches find keys that exist, also a moment before they expire.
                    #expect(try Self.found(keys, in: primary.data) == keys.count)
                    #expect(try Self.found(keys, in: standby.data) == keys.count)
                    let expiry = Date(timeIntervalSince1970: Double(Samples.firstEnd.startSeconds) + 14 * 86_400)
                    _ = try await stage.publisher.publish(asOf: expiry)
                    #expect(try stage.found(keys) == keys.count)

                    // No hour was folded since, and the fold has deleted nothing.
                    let later = expiry + 1
                    _ = try await stage.publisher.publish(asOf: later)
                    #expect(try stage.found(keys) == 0)
                    #expect(try stage.keys(of: Samples.day) == [])

                    _ = try await Retention.apply(.fold, at: later, in: stage.superuser)
                    for _ in 0..<2 {
                        _ = try await stage.superuser.session { try $0.execute("SELECT pg_switch_wal()") }
                        try await primary.checkpoint(with: standby)
                    }
                    let left = (
                        primary: try Self.found(keys, in: primary.data), standby: try Self.found(keys, in: standby.data)
                    )
                    #expect(recycled ? left.primary > 0 : left == (0, 0), "\(left)")
                }
            }
        }
    }

    /// The number of keys that occur in any file below a directory.
    private static func found(_ keys: [DiagnosisKey], in directory: String) throws -> Int {
        var missing = Set(keys.map { Data($0.data.bytes) })
        for path in try FileManager.default.subpathsOfDirectory(atPath: directory) {
            guard let content = FileManager.default.contents(atPath: "\(directory)/\(path)") else { continue }
            missing = missing.filter { content.range(of: $0) == nil }
        }
        return keys.count - missing.count
    }
}
