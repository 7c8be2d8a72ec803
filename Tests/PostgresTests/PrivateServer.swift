import Foundation

/// A PostgreSQL server that a test may stop and start as it likes: made from scratch in a temporary directory, reached
/// by a socket in it, and gone afterwards.
struct PrivateServer: Sendable {
    /// Where the server's programs are; nil if they are not installed.
    static let programs: URL? = {
        let manager = FileManager.default
        let debian = URL(fileURLWithPath: "/usr/lib/postgresql")
        let versions = (try? manager.contentsOfDirectory(atPath: debian.path)) ?? []
        let candidates =
            versions.sorted(by: >).map { debian.appendingPathComponent($0).appendingPathComponent("bin") }
            + (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .map { URL(fileURLWithPath: String($0)) }
        return candidates.first { manager.isExecutableFile(atPath: $0.appendingPathComponent("initdb").path) }
    }()

    struct Failure: Error {
        let program: String
        let status: Int32
    }

    private static let port = 54329

    private let programs: URL
    private let directory: URL

    /// Calls `body` with a running server.
    static func with<R>(_ programs: URL, _ body: (PrivateServer) async throws -> R) async throws -> R {
        // In a short place: a socket's path can't be long.
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("pg-\(UInt32.random(in: .min ... .max))")
        let server = PrivateServer(programs: programs, directory: directory)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let result: Result<R, any Error>
        do {
            if getuid() == 0 { try await run("/bin/chown", ["postgres", directory.path]) }
            try await server.program("initdb", ["-D", server.data, "-A", "trust", "-U", "postgres", "--no-sync"])
            try await server.start()
            result = .success(try await body(server))
        } catch {
            result = .failure(error)
        }
        try? await server.stop()
        try FileManager.default.removeItem(at: directory)
        return try result.get()
    }

    /// A connection string for it.
    var connection: String { "host=\(directory.path) port=\(Self.port) user=postgres dbname=postgres" }

    /// Starts it and waits until it answers.
    func start() async throws {
        let options = "-F -p \(Self.port) -k \(directory.path) -c listen_addresses=''"
        try await program("pg_ctl", ["start", "-w", "-D", data, "-l", directory.path + "/log", "-o", options])
    }

    /// Stops it as a crash would.
    func stop() async throws {
        try await program("pg_ctl", ["stop", "-w", "-m", "immediate", "-D", data])
    }

    private var data: String { directory.path + "/data" }

    private func program(_ name: String, _ arguments: [String]) async throws {
        let path = programs.appendingPathComponent(name).path
        // The server refuses to be root.
        if getuid() == 0 {
            let user = ["--reuid=postgres", "--regid=postgres", "--clear-groups", path]
            try await Self.run("/usr/bin/setpriv", user + arguments)
        } else {
            try await Self.run(path, arguments)
        }
    }

    private static func run(_ path: String, _ arguments: [String]) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let status = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        guard status == 0 else { throw Failure(program: path, status: status) }
    }
}
