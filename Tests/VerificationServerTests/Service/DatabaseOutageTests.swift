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

/// The database becomes unreachable while the service runs, and reachable again. The service reaches PostgreSQL's socket
/// through a link of its own, which the test redirects, so that other tests aren't affected.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct DatabaseOutageTests {
    /// A directory with PostgreSQL's socket that can be removed.
    private struct SocketLink {
        let path = URL.temporaryDirectory.appending(path: "pg-\(UInt32.random(in: .min ... .max))").path
        private let target: String
        private let port: String

        init?(server: String) {
            func value(_ key: String) -> String? {
                server.split(separator: " ").last { $0.hasPrefix("\(key)=") }.map {
                    String($0.dropFirst(key.count + 1))
                }
            }
            guard let host = value("host"), host.hasPrefix("/") else { return nil }
            target = host
            port = value("port") ?? "5432"
        }

        func connect() throws {
            try? FileManager.default.removeItem(atPath: path)
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        }

        /// A plain file is where the socket was: connections are refused.
        func refuse() throws {
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            try Data().write(to: URL(filePath: "\(path)/.s.PGSQL.\(port)"))
        }

        func remove() {
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    @Test("while the database is unreachable the service reports it, and recovers by itself")
    func outage() async throws {
        let server = ProcessInfo.processInfo.environment["VIGIL_TEST_POSTGRES"] ?? ""
        let link = try #require(SocketLink(server: server), "the tests' PostgreSQL must be reached by a Unix socket")
        try link.connect()
        defer { link.remove() }
        try await VerificationStage.run(postgresHost: link.path) { stage in
            let admin = "http://127.0.0.1:\(try await stage.runtime.adminPort)"
            try await RawClient.with(admin, tls: nil) { admin in
                _ = try await stage.register(.guid(.numbered(1)))
                let code = try await stage.teleTAN(.test)
                #expect(try await admin.send("GET", "/ready").status == 200)

                try link.refuse()
                try await Self.cutConnections(to: stage.database)
                let requests = [
                    ("/version/v1/registrationToken", #"{"key":"\#(code.text)","keyType":"TELETAN"}"#),
                    ("/version/v1/testresult", #"{"registrationToken":"63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f"}"#),
                    ("/version/v1/tan", #"{"registrationToken":"63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f"}"#),
                ]
                try await stage.raw { client in
                    for (path, body) in requests {
                        let answer = try await client.post(path, body)
                        #expect(answer.status == 503, "\(path)")
                        #expect(answer["retry-after"] == "5")
                        #expect(answer.body.isEmpty)
                        // An outage must not tell fakes from real requests.
                        let fake = try await client.post(path, body, fields: ["cwa-fake": "1"])
                        #expect(fake.status == 503)
                    }
                }
                let entry = TANReservation(tan: try Self.tan(), tag: .tag(1), purpose: .diagnosisKeys)
                await #expect(throws: CallError.unavailable) { try await stage.reserve([entry]) }
                await #expect(throws: CallError.unavailable) { try await stage.confirm(entry.tan, entry.tag) }
                await #expect(throws: CallError.unavailable) { try await stage.teleTAN(.test) }
                let ready = try await admin.send("GET", "/ready")
                #expect(ready.status == 503)
                // What is simulated there comes after it.
                #expect(ready.body.hasPrefix("{\"failing\":[\"postgres\"]"))
                #expect(try await admin.send("GET", "/health").status == 200)

                try link.connect()
                while try await admin.send("GET", "/ready").status != 200 { await Task.yield() }
                // Nothing was used up by the attempt that failed.
                _ = try await stage.register(.teleTAN(code))
            }
        }
    }

    private static func tan() throws -> TAN {
        try #require(TAN("63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f"))
    }

    private static func cutConnections(to database: MigratedDatabase) async throws {
        try await TestPostgres.withClient(database.superuserConnection) { client in
            _ = try await client.session { session in
                try session.rows(
                    """
                    SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
                    WHERE datname = current_database() AND usename = 'vigil_verification'
                    """, as: Bool.self)
            }
        }
    }
}
