import Catalogue
import DevelopmentSuite
import ExposureFormat
import ExposureKeys
import Foundation
import HTTPContract
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

    @Test(
        "a laboratory posts a result with the command of its page, in the folder that it is given, and can post it again"
    )
    func laboratory() async throws {
        let commands = try Self.commands(of: "deploy/laboratories.md", below: "## Post a result")
        try await InProcessSuite.run(clock: .system) { suite in
            let folder = try Self.handOver("lab", of: suite)
            #expect(try await Self.run(commands, in: folder, on: suite) == "204\n")
            // The last command, the post itself, once more.
            let post = try #require(commands.range(of: "curl "))
            let twice = commands + "\n" + commands[post.lowerBound...]
            #expect(try await Self.run(twice, in: folder, on: suite) == "204\n204\n")
            // With the certificate of another role the same command fails.
            let stranger = try Self.handOver("portal", of: suite)
            await #expect(throws: Refused.self) { try await Self.run(commands, in: stranger, on: suite) }
            // So it does by another name than the certificate has.
            let elsewhere = commands.replacing("labs.example.org", with: "results.example.org")
            await #expect(throws: Refused.self) { try await Self.run(elsewhere, in: folder, on: suite) }
            // A laboratory finds the same in its folder.
            #expect(try Self.call(in: folder) == commands)
        }
    }

    @Test("every caller outside gets the answer that its folder's text promises")
    func callers() async throws {
        try await InProcessSuite.run(clock: .system) { suite in
            for role in SuiteCertificates.partnerRoles + [.portal, .certificateServer] {
                let folder = try Self.handOver(role.rawValue, of: suite)
                let text = try String(contentsOfFile: "\(folder)/README.txt", encoding: .utf8)
                let status = try #require(text.firstMatch(of: /\nIt prints ([0-9]{3}):/)).1
                #expect(try await Self.run(Self.call(in: folder), in: folder, on: suite) == "\(status)\n", "\(role)")
            }
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

    /// The folder that a caller is given, as deploy/secrets/prepare.sh makes it.
    private static func handOver(_ name: String, of suite: InProcessSuite) throws -> String {
        let folder = "\(suite.folder.path)/callers/\(name)"
        let files = FileManager.default
        try? files.removeItem(atPath: folder)
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (source, target) in [
            (suite.folder.certificate(name), "tls.pem"), (suite.folder.certificateKey(name), "tls.key"),
            (suite.authorities, "ca.pem"), (suite.folder.callerNotes(name), "README.txt"),
        ] { try files.copyItem(atPath: source, toPath: "\(folder)/\(target)") }
        return folder
    }

    /// The commands of a folder's text: what stands between two of its sentences.
    private static func call(in folder: String) throws -> String {
        let text = try String(contentsOfFile: "\(folder)/README.txt", encoding: .utf8)
        return String(try #require(text.firstMatch(of: /with bash:\n\n((?:.+\n)+)\nIt prints/)).1)
            .trimmingCharacters(in: .newlines)
    }

    /// Runs commands as they are printed; only the connections lead to this suite's ports.
    private static func run(_ commands: String, in folder: String, on suite: InProcessSuite) async throws -> String {
        let doors: [(Catalogue.Service, Catalogue.ListenerName)] = [
            (.testResultServer, .laboratories), (.healthPortal, .tracing), (.verificationServer, .portal),
            (.dataDonation, .redemption),
        ]
        let connections = try doors.map { service, listener in
            let port = try #require(service.listener(listener)?.port.number)
            let own = try #require(try suite.url(of: service, listener).split(separator: ":").last)
            return "--connect-to :\(port):127.0.0.1:\(own)"
        }.joined(separator: " ")
        return try await run(
            "cd \(folder)\ncurl() { command curl \(connections) \"$@\"; }\n\(commands)", on: suite)
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
