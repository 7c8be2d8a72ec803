import Glibc
import Postgres
import TestSupport
import Testing

@Suite("Several servers", .enabled(if: TestPostgres.isAvailable, "needs VIGIL_TEST_POSTGRES"), .timeLimit(.minutes(5)))
struct SeveralServersTests {
    @Test("a server that takes connections and says nothing doesn't keep a client from the next one")
    func silence() async throws {
        try await TestPostgres.withDatabase { database in
            let silent = try SilentServer()
            defer { silent.close() }
            let (host, port) = try Self.address(in: database)
            let connection = "\(database) host=127.0.0.1,\(host) port=\(silent.port),\(port)"
            var configuration = PostgresConfiguration(
                connection: connection, applicationName: "test", maximumConnections: 1, acquireDeadline: .seconds(60))
            configuration.connectTimeout = .seconds(4)
            try await TestPostgres.withClient(configuration) { client in
                let answer = try await client.session { try $0.row("SELECT 1", as: Int.self) }
                #expect(answer == 1)
            }
        }
    }

    @Test("nobody listens at the first address; one port is for all")
    func refusal() async throws {
        try await TestPostgres.withDatabase { database in
            let (host, port) = try Self.address(in: database)
            let connection = "\(database) host=/nowhere,\(host) port=\(port)"
            try await TestPostgres.withClient(connection, maximumConnections: 1) { client in
                let answer = try await client.session { try $0.row("SELECT 1", as: Int.self) }
                #expect(answer == 1)
            }
        }
    }

    @Test("a list of ports that doesn't match the hosts is refused")
    func mismatch() async throws {
        let configuration = PostgresConfiguration(
            connection: "host=/nowhere,/nowhere,/nowhere port=1,2", applicationName: "test", maximumConnections: 1,
            acquireDeadline: .seconds(1))
        try await TestPostgres.withClient(configuration) { client in
            let error = await #expect(throws: PostgresError.self) {
                try await client.session { try $0.execute("SELECT 1") }
            }
            #expect(error?.code == .connection)
        }
    }

    @Test("a write that finds a standby is a lost connection, and the next one is a new connection")
    func standby() async throws {
        try await TestPostgres.withDatabase { database in
            try await TestPostgres.withClient(database, maximumConnections: 1) { client in
                // What a session on a server that is a standby sees.
                try await client.session {
                    try $0.script("CREATE TABLE t (x int); SET default_transaction_read_only = on")
                }
                let error = await #expect(throws: PostgresError.self) {
                    try await client.transaction { try $0.execute("INSERT INTO t VALUES (1)") }
                }
                #expect(error?.code == .connection)
                #expect(error?.sqlState == .readOnlyTransaction)
                #expect(error?.isUnavailable == true)
                let inserted = try await client.session { try $0.execute("INSERT INTO t VALUES (2)") }
                #expect(inserted == 1)
            }
        }
    }

    /// Where the server of a connection string is.
    private static func address(in connection: String) throws -> (host: String, port: String) {
        func value(_ keyword: String) -> String? {
            connection.split(separator: " ").first { $0.hasPrefix("\(keyword)=") }.map {
                String($0.dropFirst(keyword.count + 1))
            }
        }
        return (try #require(value("host")), value("port") ?? "5432")
    }
}

/// A socket at which the system takes connections, and from which nobody reads.
private struct SilentServer {
    private let descriptor: Int32
    let port: UInt16

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        try #require(isListening)
        port = UInt16(bigEndian: address.sin_port)
    }

    func close() {
        _ = Glibc.close(descriptor)
    }
}
