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
        "an expired key is nowhere in PostgreSQL's files if log segments aren't recycled; if they are, it may be",
        arguments: [false, true])
    func files(recycled: Bool) async throws {
        let programs = try #require(PrivateServer.programs)
        let keys = try Samples.keys(0..<200)
        try await PrivateServer.with(programs, settings: ["wal_recycle=\(recycled ? "on" : "off")"]) { server in
            try await server.untilReady()
            try await TestPostgres.withClient(server.connection) { client in
                try await Schema.migrate(owner: client)
                let day = Samples.day
                try await client.transaction { session in
                    try session.execute("SELECT submission.ensure_day(\(day.number))")
                    try session.execute(
                        """
                        INSERT INTO submission.diagnosis_key
                        SELECT \(Samples.noon.number), key_data, \(Int32(day.firstInterval.rawValue)), 144, 5, 0, 1
                        FROM unnest(\(keys.map(\.data.bytes))) AS keys (key_data)
                        """)
                }
                _ = try await client.session { try $0.execute("CHECKPOINT") }
                // The control: the search finds keys that exist.
                #expect(try Self.found(keys, in: server.data) == keys.count)

                let later = day.advanced(by: 15).firstHour.start
                _ = try await Retention.apply(.fold, at: later, in: client)
                for _ in 0..<2 {
                    _ = try await client.session { try $0.execute("SELECT pg_switch_wal()") }
                    _ = try await client.session { try $0.execute("CHECKPOINT") }
                }
                let left = try Self.found(keys, in: server.data)
                #expect(recycled ? left > 0 : left == 0, "\(left) keys")
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

extension PrivateServer {
    /// Returns when it answers.
    fileprivate func untilReady() async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while true {
            let isReady = try await TestPostgres.withClient(connection) { await $0.isHealthy() }
            if isReady || ContinuousClock.now > deadline { return }
        }
    }
}
