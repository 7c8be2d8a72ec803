import Crypto
import Foundation
import Glibc
import Schema
import Vigil

/// A private PostgreSQL: its own data directory, reachable through a Unix socket in a folder of its own and not at all
/// over the network.
package struct PostgresCluster: Sendable {
    /// The data directory.
    package let data: String
    /// The folder with the socket: in the cluster's folder, or below the system's temporary folder if that path is too
    /// long for a socket.
    package let socketDirectory: String
    /// The log of the server and of `initdb`.
    package let log: String
    private let directory: String
    private let account: PostgresAccount

    /// The number in the socket's name. Nobody else has sockets in the folder, so it can be fixed.
    package static let port = 5432
    /// The superuser, whom only `vigil-dev up` uses.
    package static let superuser = "postgres"

    /// Creates and starts nothing yet.
    /// - Parameters:
    ///   - directory: the cluster's folder, absolute; data and socket go into it.
    ///   - log: the file for the server's output.
    package init(
        directory: String, log: String, temporaryDirectory: String = NSTemporaryDirectory()
    ) throws {
        self.directory = directory
        self.log = log
        data = "\(directory)/data"
        socketDirectory = Self.socketDirectory(for: directory, temporaryDirectory: temporaryDirectory)
        account = try PostgresAccount()
    }

    /// The programs of the version that made the data directory, or the newest if there is none yet.
    private var installation: PostgresInstallation {
        get throws {
            let version = try? String(contentsOfFile: "\(data)/PG_VERSION", encoding: .utf8)
            return try .find(majorVersion: version.flatMap { Int($0.prefix { $0.isNumber }) })
        }
    }

    /// A libpq connection string; the password stays in the password file.
    package func connection(user: String, database: String, passwordFile: String) -> String {
        Self.connection(
            host: socketDirectory, port: Self.port, user: user, database: database, passwordFile: passwordFile)
    }

    /// A libpq connection string.
    static func connection(
        host: String, port: Int, user: String, database: String, passwordFile: String
    ) -> String {
        [("host", host), ("port", "\(port)"), ("dbname", database), ("user", user), ("passfile", passwordFile)]
            .map { "\($0.0)=\(quoted($0.1))" }.joined(separator: " ")
    }

    private static func quoted(_ value: String) -> String {
        if value.utf8.allSatisfy({ $0 > 0x20 && $0 != UInt8(ascii: "'") && $0 != UInt8(ascii: "\\") }) { return value }
        let escaped = value.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
        return "'\(escaped)'"
    }

    // MARK: The socket's path

    /// A socket's path may have 107 bytes on Linux; one more is the null byte at its end.
    package static let longestSocketPath = 107

    static func socketDirectory(for directory: String, temporaryDirectory: String) -> String {
        let inside = "\(directory)/socket"
        // The same folder always gives the same path, so connection strings stay valid across a restart.
        let name = SHA256.hash(data: Data(directory.utf8)).prefix(6).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        let temporary = temporaryDirectory.hasSuffix("/") ? String(temporaryDirectory.dropLast()) : temporaryDirectory
        let places = [inside, "\(temporary)/vigil-\(name)", "/tmp/vigil-\(name)"]
        return places.first { "\($0)/.s.PGSQL.\(port)".utf8.count <= longestSocketPath } ?? places[2]
    }

    // MARK: Creating

    /// Whether the data directory exists.
    package var exists: Bool { FileManager.default.fileExists(atPath: "\(data)/PG_VERSION") }

    /// Creates the data directory. An interrupted attempt leaves nothing that could be mistaken for a cluster.
    /// - Parameters:
    ///   - passwordFile: holds the superuser's password, one line.
    ///   - options: more options of `initdb`.
    package func initialise(passwordFile: String, options: [String] = []) async throws {
        try account.makeDirectory(directory)
        let initdb = "\(try installation.programs)/initdb"
        let unfinished = "\(directory)/data.unfinished"
        try? FileManager.default.removeItem(atPath: unfinished)
        let exit = try await ChildProcess.run(
            account.program(
                initdb,
                [
                    "--pgdata=\(unfinished)", "--username=\(Self.superuser)", "--pwfile=\(passwordFile)",
                    "--auth=scram-sha-256", "--data-checksums", "--encoding=UTF8", "--locale=C.UTF-8",
                ] + options, log: log))
        guard exit == .status(0), rename(unfinished, data) == 0 else {
            throw CommandFailure("PostgreSQL's data directory could not be made (initdb \(exit)): see \(log).")
        }
    }

    // MARK: Starting

    /// Starts the server; it is up when ``waitUntilReady(_:)`` returns. `SIGINT` stops it fast and cleanly.
    /// - Parameter settings: more settings, as in `postgresql.conf`.
    package func start(settings: [String] = []) async throws -> ChildProcess {
        try account.makeDirectory(directory)
        try account.makeDirectory(socketDirectory)
        let server = "\(try installation.programs)/postgres"
        let settings =
            [
                "listen_addresses=", "port=\(Self.port)", "unix_socket_directories=\(quotedSocketDirectory)",
                "unix_socket_permissions=0700", "logging_collector=off",
                "max_connections=\(DatabaseRole.connections(each: DatabaseMigration.connections))",
                // A recycled log segment keeps its old content for days; a removed one is gone at the next checkpoint.
                "wal_recycle=off",
            ] + settings
        return try await ChildProcess.start(
            account.program(
                server, ["-D", data] + settings.flatMap { ["-c", $0] }, log: log,
                orphanSignal: .interrupt))
    }

    /// Waits until the server accepts connections.
    package func waitUntilReady(_ server: ChildProcess, within limit: Duration = .seconds(60)) async throws {
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline {
            if let lock = PostmasterLock(of: data), lock.process == server.id, lock.isReady { return }
            if let exit = server.exit {
                throw CommandFailure("PostgreSQL \(exit) while it started: see \(log).")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw CommandFailure("PostgreSQL was not ready within \(limit): see \(log).")
    }

    /// Stops a server that an earlier, killed run left running on this data directory.
    ///
    /// It stops no other process: the directory's own `postmaster.pid` must name the process and the directory, and the process
    /// must work in it.
    /// - Returns: whether there was one.
    package func stopLeftover() async throws -> Bool {
        guard let lock = PostmasterLock(of: data), lock.holds(data) else { return false }
        _ = kill(lock.process, SIGINT)
        let deadline = ContinuousClock.now + .seconds(60)
        while lock.holds(data) {
            guard ContinuousClock.now < deadline else {
                throw CommandFailure(
                    "The PostgreSQL that an earlier run left on \(data) (process \(lock.process)) does not stop: stop it by "
                        + "hand."
                )
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        return true
    }

    /// The setting is a list, so a comma or a space needs quotes.
    private var quotedSocketDirectory: String {
        "\"\(socketDirectory.replacing("\"", with: "\"\""))\""
    }
}

/// The content of `postmaster.pid`, which a running server writes into its data directory.
private struct PostmasterLock {
    let process: pid_t
    let isReady: Bool
    private let data: String

    init?(of data: String) {
        guard let text = try? String(contentsOfFile: "\(data)/postmaster.pid", encoding: .utf8) else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > 1, let process = pid_t(lines[0]), process > 1 else { return nil }
        self.process = process
        self.data = String(lines[1])
        // Line 8 is the state, since PostgreSQL 10.
        isReady = lines.count > 7 && lines[7].hasPrefix("ready")
    }

    /// Whether the process is alive and works in the directory.
    ///
    /// An ended process has no working directory, and a process that later got the same id has another.
    func holds(_ directory: String) -> Bool {
        data == directory
            && (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd")) == directory
    }
}
