import ArgumentParser
import ExposureFormat
import ExposureKeys
import FoundationEssentials
import Running
import Schema

/// `distribution check DIRECTORY`.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check the static files before they are published.",
        discussion: """
            Reads the folder of static files as `run` and `publish` do, and says for each file which message it becomes and \
            how large that is, or what is wrong with it. A note names what is published, but looks like a mistake. Signs and publishes nothing, and needs neither configuration nor \
            database. Ends with 1 if any file would be left out.

            The folder mirrors the published tree: version/v2/app_config_ios.json is published at \
            version/v2/app_config_ios. A .json file is protobuf JSON; a .bin file is published unchanged.
            """)

    @Argument(help: ArgumentHelp("The folder, such as deploy/static.", valueName: "directory"))
    var directory: String

    @Option(help: "The setting lowestRiskLevel, which configurations are held against.")
    var lowestRiskLevel = TransmissionRiskLevel.lowestPublished.rawValue

    @Option(help: "The setting origin, which ORIGIN stands for.")
    var origin = CountryFact.origin.standard

    func run() throws {
        guard let level = TransmissionRiskLevel(rawValue: lowestRiskLevel) else {
            throw ValidationError("--lowest-risk-level must be from 1 to 8.")
        }
        let files = try StaticFiles(in: URL(filePath: directory), publishingFrom: level, of: origin)
        for line in Self.report(files) {
            Console.say(line)
        }
        guard files.problems.isEmpty else { throw ExitCode.failure }
    }

    /// A line for each file, then a summary.
    static func report(_ files: StaticFiles) -> [String] {
        let rows = files.archives.map { archive in
            (archive.file, archive.content ?? "unchanged bytes", "\(archive.export.count) bytes")
        }
        let (first, second) = (rows.map(\.0.count).max() ?? 0, rows.map(\.1.count).max() ?? 0)
        let good = rows.map { row in
            "\(row.0.padded(to: first))  \(row.1.padded(to: second))  \(row.2)"
        }
        let bad = files.problems.flatMap { problem in problem.reasons.map { "\(problem.file): \($0)" } }
        let notices = files.notices.flatMap { notice in notice.reasons.map { "\(notice.file): note: \($0)" } }
        let sum = "\(files.archives.count) to be published, \(files.problems.count) left out"
        return good + notices + bad + [sum]
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
