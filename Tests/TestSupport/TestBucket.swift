import Foundation
import Synchronization

/// An empty bucket on an S3 server of this process, which checks signatures and policies.
///
/// The server starts when the first test needs it and ends with the process.
package struct TestBucket: Sendable {
    /// The user whose credentials are used.
    package enum User: String, Sendable {
        /// May list, read, write and remove.
        case publisher
        /// May list and read.
        case reader
        /// The publisher's permissions, with credentials that expire after some hours.
        case lent
    }

    /// Which store the bucket behaves like; `Tests/Python/s3_server.py` has the differences.
    package enum Kind: String, Sendable {
        /// Holds objects in a flat dictionary.
        case plain
        /// Doesn't list objects below an object, as MinIO.
        case hiding
        /// Holds objects in files and folders, as versitygw.
        case files
        /// Confirms what it doesn't store.
        case losing
        /// Stores other bytes than it confirms.
        case altering
    }

    /// Scheme, host and port.
    package let endpoint: String
    /// The bucket's.
    package let name: String
    private let keys: [String: Key]
    /// The directory with the files that the settings name.
    private let directory: URL

    /// An access key.
    package struct Key: Sendable, Decodable {
        package let id: String
        package let secret: String
        /// Only for temporary credentials.
        package let token: String?
    }

    /// The keys `s3.…` of distribution's configuration.
    package var settings: [String: String] { settings(of: .publisher) }

    /// The keys `s3.…` for a user.
    package func settings(of user: User) -> [String: String] {
        var settings = [
            "s3.endpoint": endpoint, "s3.bucket": name, "s3.accessKeyID": keys[user.rawValue]?.id ?? "",
            "s3.secretAccessKey": directory.appending(path: "\(user)-secret").path,
        ]
        if keys[user.rawValue]?.token != nil {
            settings["s3.sessionToken"] = directory.appending(path: "\(user)-token").path
        }
        return settings
    }

    /// A user's access key.
    package func key(of user: User) throws -> Key {
        guard let key = keys[user.rawValue] else { throw Trouble.noKey }
        return key
    }

    /// Calls `body` with a bucket that no other test uses.
    package static func with<Result: Sendable>(
        _ kind: Kind = .plain, _ body: (TestBucket) async throws -> Result
    ) async throws -> Result {
        let server = try await server.value
        let number = next.withLock { next in
            defer { next[kind, default: 0] += 1 }
            return next[kind] ?? 0
        }
        guard let buckets = server.buckets[kind.rawValue], number < buckets.count else { throw Trouble.noBucketLeft }
        let name = buckets[number]
        let directory = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        for (user, key) in server.keys {
            try Data("\(key.secret)\n".utf8).write(to: directory.appending(path: "\(user)-secret"))
            if let token = key.token {
                try Data("\(token)\n".utf8).write(to: directory.appending(path: "\(user)-token"))
            }
        }
        return try await body(
            TestBucket(endpoint: server.endpoint, name: name, keys: server.keys, directory: directory))
    }

    private enum Trouble: Error {
        case noKey
        case noBucketLeft
        case didNotStart
    }

    // MARK: The server

    /// What the server prints when it is ready.
    private struct Server: Sendable, Decodable {
        let endpoint: String
        let buckets: [String: [String]]
        let keys: [String: Key]
    }

    private static let next = Mutex([Kind: Int]())
    private static let server = Starting()

    /// The first caller starts the server; the others wait for it.
    private actor Starting {
        private var process: Process?
        /// The server ends when this is closed.
        private let input = Pipe()
        private var started: Result<Server, any Error>?
        private var waiting: [CheckedContinuation<Void, Never>] = []

        var value: Server {
            get async throws {
                if process != nil, started == nil { await withCheckedContinuation { waiting.append($0) } }
                if let started { return try started.get() }
                let result: Result<Server, any Error>
                do {
                    result = .success(try await start())
                } catch {
                    result = .failure(error)
                }
                started = result
                for continuation in waiting { continuation.resume() }
                waiting = []
                return try result.get()
            }
        }

        private func start() async throws -> Server {
            let process = try TestPython.process("s3_server.py")
            self.process = process
            let output = Pipe()
            let (chunks, continuation) = AsyncStream<Data>.makeStream()
            process.standardInput = input
            process.standardOutput = output
            // The server logs every request there.
            process.standardError = FileHandle.nullDevice
            process.terminationHandler = { _ in continuation.finish() }
            output.fileHandleForReading.readabilityHandler = { handle in
                let chunk = handle.availableData
                continuation.yield(chunk)
                // The line is complete, or the output has ended.
                guard chunk.isEmpty || chunk.last == UInt8(ascii: "\n") else { return }
                handle.readabilityHandler = nil
                continuation.finish()
            }
            try process.start()
            let line = await chunks.reduce(into: Data()) { $0 += $1 }
            guard !line.isEmpty else { throw Trouble.didNotStart }
            return try JSONDecoder().decode(Server.self, from: line)
        }
    }
}
