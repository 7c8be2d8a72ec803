package import Foundation
import Glibc

/// The program `openssl` in a folder of its own, which is removed at the end: the toolkit's second opinion.
///
/// It is started without Foundation's `Process`, whose ends wait for each other when tests start programs at the same
/// moment.
package final class OpenSSLProgram: Sendable {
    /// Where it runs.
    package let folder: URL

    /// It ended with another status than 0, or couldn't be started.
    package struct Failure: Error {
        /// What it wrote.
        package let text: String
    }

    /// Makes the folder.
    package init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "openssl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Writes a file.
    package func write(_ bytes: some Sequence<UInt8>, _ name: String) throws {
        try Data(bytes).write(to: folder.appending(path: name))
    }

    /// Writes a file.
    package func write(_ text: String, _ name: String) throws { try write(text.utf8, name) }

    /// Reads a file.
    package func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appending(path: name)))
    }

    /// Reads a file.
    package func text(_ name: String) throws -> String { String(decoding: try read(name), as: UTF8.self) }

    /// Runs it in the folder with arguments that are separated by spaces.
    /// - Returns: whether it ended with 0.
    @discardableResult
    package func run(_ arguments: String) throws -> Bool {
        try status(arguments.split(separator: " ").map(String.init), output: "/dev/null") == 0
    }

    /// Runs it in the folder.
    /// - Returns: what it wrote.
    /// - Throws: ``Failure``.
    @discardableResult
    package func callAsFunction(_ arguments: String...) throws -> String { try callAsFunction(arguments) }

    /// Runs it in the folder.
    /// - Returns: what it wrote.
    /// - Throws: ``Failure``.
    @discardableResult
    package func callAsFunction(_ arguments: [String]) throws -> String {
        let output = "output-\(UUID().uuidString)"
        let status = try status(arguments, output: folder.appending(path: output).path())
        let written = try text(output)
        guard status == 0 else { throw Failure(text: written) }
        return written
    }

    private func status(_ arguments: [String], output: String) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        let words = (["env", "-C", folder.path(), "openssl"] + arguments).map { strdup($0) }
        defer { words.forEach { free($0) } }
        let environment = [strdup("PATH=/usr/bin"), nil]
        defer { free(environment[0]) }
        var program: pid_t = 0
        guard posix_spawn(&program, "/usr/bin/env", &actions, nil, words + [nil], environment) == 0 else {
            throw Failure(text: "openssl can't be started")
        }
        var status: Int32 = 0
        while waitpid(program, &status, 0) == -1 {
            guard errno == EINTR else { throw Failure(text: "openssl can't be awaited") }
        }
        return status
    }
}
