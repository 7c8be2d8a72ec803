import ExposureKeys
import Foundation
import Running
import Schema
import TestSupport
import Testing

@testable import Distribution

/// The real executable, with one file operation after the other failing or killing it.
///
/// `VIGIL_FAULTS=all` tries every operation; otherwise every third is tried, with another offset for each kind.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .heavy, .timeLimit(.minutes(15)))
struct FaultTests {
    enum Fault: String, CaseIterable, Sendable {
        case killed = "signal=KILL"
        case broken = "error=EIO"
        case full = "error=ENOSPC"
    }

    /// The system calls that write and remove files, and no others.
    private static let operations = ["mkdir", "pwrite64", "fsync", "utimensat", "rename", "unlink", "rmdir"]

    @Test(
        "wherever a run is killed or a file operation fails, the tree verifies, and the next run finishes it",
        arguments: Fault.allCases)
    func faults(fault: Fault) async throws {
        let every = ProcessInfo.processInfo.environment["VIGIL_FAULTS"] == "all" ? 1 : 3
        try await PublishingStage.run(minimumKeys: 1) { stage in
            let first = Samples.day.lastHour
            let hours = (0..<3).map { first.advanced(by: $0) }
            for (offset, hour) in hours.enumerated() {
                try await stage.fold(hour, try Samples.keys(offset * 10..<offset * 10 + 5))
                try await stage.fold(hour, try Samples.reports(offset * 10..<offset * 10 + 5))
            }
            // The program's clock shows the last hour's end.
            try await stage.markAsRehearsal()
            let configuration = try stage.writeConfiguration(moving: hours[2].end.timeIntervalSinceNow)
            try await stage.publish(through: hours[0])
            // The start of all runs.
            let start = try stage.files()
            try await stage.publish(through: hours[2])
            let end = try stage.files()

            var injected = 0
            for (number, operation) in Self.operations.enumerated() {
                for position in stride(from: 1 + number % every, through: 40, by: every) {
                    try await stage.forget(after: hours[0])
                    try stage.restore(start)
                    let wasHit = try Self.publish(
                        through: hours[2], configuration, "\(operation):\(fault.rawValue):when=\(position)")
                    // The program has fewer operations of this kind.
                    if !wasHit { break }
                    injected += 1
                    try await Self.verify(stage, start, end, "\(operation) \(position)")
                    try await stage.publish(through: hours[2])
                    #expect(try stage.files() == end, "\(operation) \(position)")
                }
            }
            #expect(injected > Self.operations.count)
        }
    }

    /// Checks that phones see a consistent tree: each file is the old or the new one, and files that an index names exist.
    private static func verify(
        _ stage: PublishingStage, _ start: [String: Data], _ end: [String: Data], _ where: String
    ) async throws {
        let files = try stage.files().filter { !$0.key.contains("/.") }
        for (path, content) in files { #expect(content == start[path] || content == end[path], "\(`where`): \(path)") }
        // A package that no index names yet is no flaw: indexes come last.
        let flaws = try await stage.verify().flaws.filter { !$0.contains("no index names it") }
        #expect(flaws.isEmpty, "\(`where`)")
    }

    /// `distribution publish` under strace, which lets one operation fail, or kills the program in it.
    /// - Returns: whether the program reached that operation.
    private static func publish(
        through hour: Hour, _ configuration: URL, _ injection: String
    ) throws -> Bool {
        let trace = configuration.deletingLastPathComponent().appending(path: "trace")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/strace")
        process.arguments =
            [
                "-f", "-q", "-o", trace.path, "-e", "trace=\(injection.prefix(while: { $0 != ":" }))", "-e",
                "inject=\(injection)",
            ] + [
                try BuiltProgram.path("distribution"), "publish", "--as-of", hour.end.formatted(.iso8601), "--config",
                configuration.path,
            ]
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.start()
        process.waitUntilExit()
        let text = try String(contentsOf: trace, encoding: .utf8)
        return text.contains("(INJECTED)") || text.contains("killed by SIGKILL")
    }
}
