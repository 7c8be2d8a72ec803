package import Foundation
import Postgres

/// A PostgreSQL server that a test may stop and start as it likes.
///
/// It is created in a temporary directory, listens on a socket in it, and is removed afterwards.
package actor PrivateServer {
    /// The folder of the server's programs; nil if they aren't installed.
    package static let programs: URL? = {
        let manager = FileManager.default
        let debian = URL(fileURLWithPath: "/usr/lib/postgresql")
        let versions = (try? manager.contentsOfDirectory(atPath: debian.path)) ?? []
        let candidates =
            versions.sorted(by: >).map { debian.appendingPathComponent($0).appendingPathComponent("bin") }
            + (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .map { URL(fileURLWithPath: String($0)) }
        return candidates.first { manager.isExecutableFile(atPath: $0.appendingPathComponent("initdb").path) }
    }()

    /// One of the server's programs failed.
    package struct Failure: Error {
        /// The program's name.
        package let program: String
        /// The program's exit status.
        package let status: Int32
    }

    /// A standby doesn't follow its server.
    package struct StandbyIsBehind: Error {}

    private static let port = 54329

    /// The server's directory. Tests may write here; it is removed afterwards.
    package nonisolated let directory: URL
    private let programs: URL
    private let settings: [String]
    /// Where the server is that it follows.
    private let primary: URL?
    private var running: Child?

    private init(programs: URL, settings: [String], following primary: URL?) {
        self.programs = programs
        self.settings = settings
        self.primary = primary
        // A short path, because the path of a socket is limited in length.
        directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "pg-\(UInt32.random(in: .min ... .max))")
    }

    /// Calls `body` with a running server.
    /// - Parameter settings: such as `wal_level=replica`.
    package static func with<Result: Sendable>(
        _ programs: URL, settings: [String] = [], _ body: (PrivateServer) async throws -> Result
    ) async throws -> Result {
        try await run(PrivateServer(programs: programs, settings: settings, following: nil), body)
    }

    /// Calls `body` with a running standby of this server, which has the same settings.
    package nonisolated func withStandby<Result: Sendable>(
        _ body: (PrivateServer) async throws -> Result
    ) async throws -> Result {
        try await Self.run(PrivateServer(programs: programs, settings: settings, following: directory), body)
    }

    private static func run<Result: Sendable>(
        _ server: PrivateServer, _ body: (PrivateServer) async throws -> Result
    ) async throws -> Result {
        try FileManager.default.createDirectory(at: server.directory, withIntermediateDirectories: true)
        let result: Swift.Result<Result, any Error>
        do {
            try await server.create()
            try await server.start()
            result = .success(try await body(server))
        } catch {
            result = .failure(error)
        }
        await server.stop()
        try FileManager.default.removeItem(at: server.directory)
        return try result.get()
    }

    /// The superuser's connection string for it.
    package nonisolated var connection: String { connection(user: "postgres", database: "postgres") }

    /// A connection string for it. It asks nobody for a password.
    package nonisolated func connection(user: String, database: String) -> String {
        "host=\(directory.path) port=\(Self.port) user=\(user) dbname=\(database)"
    }

    /// Returns when it answers, or after half a minute.
    package nonisolated func untilReady() async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while true {
            let isReady = try await TestPostgres.withClient(connection) { await $0.isHealthy() }
            if isReady || ContinuousClock.now > deadline { return }
        }
    }

    /// Lets this server and a standby of it write everything that they have, and forget the log that they don't need any more.
    /// - Throws: ``StandbyIsBehind`` if the standby hasn't caught up within a minute.
    package nonisolated func checkpoint(with standby: PrivateServer) async throws {
        let written = try await TestPostgres.withClient(connection) {
            try await $0.session { session in
                try session.execute("CHECKPOINT")
                return try session.row("SELECT pg_current_wal_insert_lsn()::text", as: String.self) ?? ""
            }
        }
        try await TestPostgres.withClient(standby.connection) { client in
            let deadline = ContinuousClock.now + .seconds(60)
            var isThere = false
            while !isThere {
                guard ContinuousClock.now < deadline else { throw StandbyIsBehind() }
                isThere = try await client.session {
                    try $0.row("SELECT pg_last_wal_replay_lsn() >= \(written)::pg_lsn", as: Bool.self) ?? false
                }
            }
            _ = try await client.session { try $0.execute("CHECKPOINT") }
        }
    }

    /// Starts it. Connecting fails until it answers.
    package func start() throws {
        let arguments = ["-D", data, "-F", "-p", "\(Self.port)", "-k", directory.path, "-c", "listen_addresses="]
        running = try program("postgres", arguments + settings.flatMap { ["-c", $0] })
    }

    /// Runs one of the programs that come with the server, such as `pg_dump`, against it.
    /// - Throws: ``Failure`` if the program fails.
    package func run(_ name: String, _ arguments: [String]) async throws {
        let server = ["-h", directory.path, "-p", "\(Self.port)", "-U", "postgres"]
        try await finished(program(name, server + arguments))
    }

    /// Stops it as a crash would.
    package func stop() async {
        guard let child = running else { return }
        running = nil
        kill(child.process.processIdentifier, SIGQUIT)
        for await _ in child.status {}
    }

    private func create() async throws {
        if getuid() == 0 { try await finished(Self.run("/bin/chown", ["postgres", directory.path])) }
        if let primary {
            let source = ["-h", primary.path, "-p", "\(Self.port)", "-U", "postgres"]
            try await finished(
                program(
                    "pg_basebackup", source + ["-D", data, "--write-recovery-conf", "--checkpoint=fast", "--no-sync"]))
        } else {
            try await finished(program("initdb", ["-D", data, "-A", "trust", "-U", "postgres", "--no-sync"]))
        }
    }

    private func finished(_ child: Child) async throws {
        for await status in child.status where status != 0 {
            throw Failure(program: child.process.executableURL?.lastPathComponent ?? "", status: status)
        }
    }

    /// The data directory.
    package nonisolated var data: String { directory.path + "/data" }

    private func program(_ name: String, _ arguments: [String]) throws -> Child {
        let path = programs.appendingPathComponent(name).path
        guard getuid() == 0 else { return try Self.run(path, arguments) }
        // The server refuses to run as root.
        let user = ["--reuid=postgres", "--regid=postgres", "--clear-groups", path]
        return try Self.run("/usr/bin/setpriv", user + arguments)
    }

    private struct Child {
        let process: Process
        /// The exit status, once it has ended.
        let status: AsyncStream<Int32>
    }

    private static func run(_ path: String, _ arguments: [String]) throws -> Child {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let (status, continuation) = AsyncStream<Int32>.makeStream()
        process.terminationHandler = {
            continuation.yield($0.terminationStatus)
            continuation.finish()
        }
        try process.start()
        return Child(process: process, status: status)
    }
}
