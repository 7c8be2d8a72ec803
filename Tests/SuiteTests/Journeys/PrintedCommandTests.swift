import Catalogue
import DevelopmentSuite
import ExposureFormat
import ExposureKeys
import Foundation
import Phone
import Running
import TestSupport
import Testing
import Vigil

/// Runs the commands of documentation as they are printed. Only the ports, the state folder and the checkout are others.
@Suite(
    "Printed commands", .serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"),
    .timeLimit(.minutes(5)))
struct PrintedCommandTests {
    private static let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    @Test("a laboratory posts a result with the command of its page, and can post it again")
    func laboratory() async throws {
        let commands = try Self.commands(of: "deploy/laboratories.md", below: "## Post a result")
        try await InProcessSuite.run(clock: .system) { suite in
            #expect(try await Self.run(commands, on: suite) == "204\n")
            // The last command, the post itself, once more.
            let post = try #require(commands.range(of: "curl "))
            let twice = commands + "\n" + commands[post.lowerBound...]
            #expect(try await Self.run(twice, on: suite) == "204\n204\n")
            // With the certificate of another role the same command fails.
            let stranger = commands.replacing("lab.pem --key lab.key", with: "portal.pem --key portal.key")
            await #expect(throws: Refused.self) { try await Self.run(stranger, on: suite) }
        }
    }

    @Test("who uploads a key with the commands of the README finds it published when the hour is closed")
    func ownKey() async throws {
        let all = try Self.commands(
            of: "Services/Development/Suite/README.md", below: "### See your own key published in a minute")
        // What comes after `cd ../..` are this suite's own programs, which work on a state folder of `vigil-dev up`.
        let commands = try #require(all.components(separatedBy: "\ncd ../..\n").first)
        #expect(all.contains(".build/debug/vigil-dev hour close\n"))
        try await InProcessSuite.run(clock: .system) { suite in
            let said = try await Self.run(commands + "\nprintf %s \"$key\"", on: suite)
            let digits = Array(said.suffix(32))
            let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
                UInt8(String(digits[$0...$0 + 1]), radix: 16)
            }
            let key = try #require(KeyData(bytes))
            try await suite.withStage { stage in
                let hour = try #require(try await stage.closing.close().last)
                let published = try await stage.packages.keys(of: hour.day, hour: hour.hour)
                #expect(published.contains { $0.data == key })
            }
        }
    }

    // MARK: Commands

    private struct Refused: Error {
        let complaint: String
    }

    /// The first block of commands below a heading.
    private static func commands(of page: String, below heading: String) throws -> String {
        let text = try String(contentsOfFile: "\(checkout)/\(page)", encoding: .utf8)
        let section = try #require(text.components(separatedBy: "\(heading)\n").dropFirst().first)
        return try #require(section.firstMatch(of: /```sh\n((?:.*\n)*?)```/)).1.trimmingCharacters(in: .newlines)
    }

    /// - Returns: what the commands print.
    private static func run(_ commands: String, on suite: InProcessSuite) async throws -> String {
        var script = commands.replacing("cd .vigil/certificates", with: "cd \(suite.folder.certificates)")
            .replacing("../../Shared", with: "\(checkout)/Shared")
        for (service, listener, port) in [
            (Catalogue.Service.metadataProxy, Catalogue.ListenerName.listen, 8000),
            (.testResultServer, .laboratories, 8020),
        ] {
            script = script.replacing("https://localhost:\(port)", with: try suite.url(of: service, listener))
        }
        return try await withCheckedThrowingContinuation { continuation in
            // A thread of its own: the services, which run in this process, need the others.
            Thread.detachNewThread { [script] in
                continuation.resume(with: Result { try run(script) })
            }
        }
    }

    private static func run(_ script: String) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-euo", "pipefail", "-c", script]
        process.environment = ["PATH": "/usr/bin:/bin"]
        process.standardInput = FileHandle.nullDevice
        let (output, complaint) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = complaint
        try process.start()
        // What it complains of is short, and fits into the pipe.
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        let complained = try complaint.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Refused(complaint: String(decoding: complained, as: UTF8.self))
        }
        return String(decoding: said, as: UTF8.self)
    }
}
