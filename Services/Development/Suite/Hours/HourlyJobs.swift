import Foundation
import Vigil

/// Recurring jobs, run once, with the configuration of a suite's services and a clock that shows a given instant.
struct HourlyJobs: Sendable {
    let folder: StateFolder
    let suite: RunningSuite
    /// The name of the log that they write to.
    let log: String

    /// `submission-server fold --as-of`.
    func fold(asOf instant: Date) async throws {
        try await run("submission-server", "fold", as: "fold", asOf: instant)
    }

    /// `distribution publish --as-of`.
    func publish(asOf instant: Date) async throws {
        try await run("distribution", "publish", as: "distribution", asOf: instant)
    }

    /// `federation run --as-of`.
    func exchange(asOf instant: Date) async throws {
        try await run("federation", "run", as: "federation", asOf: instant)
    }

    /// `further publish --as-of`.
    func publishReports(asOf instant: Date) async throws {
        try await run("further", "publish", as: "further", asOf: instant)
    }

    /// - Parameter service: whose configuration the command has.
    private func run(_ executable: String, _ command: String, as service: String, asOf instant: Date) async throws {
        let exit = try await ChildProcess.run(
            ChildProcess.Program(
                try SuiteProgram.path(of: executable),
                [command, "--as-of", instant.formatted(.iso8601), "--config", folder.configuration(service)],
                environment: SuiteProgram.environment.merging(movedClock(toReach: instant)) { $1 },
                log: folder.log(log)))
        guard exit == .status(0) else {
            throw CommandFailure("\(executable) \(command) \(exit); see \(folder.log(log)).")
        }
    }

    /// The job's own clock shows the instant at least, so that it may work ahead of the suite; a shared clock is its driver's alone.
    private func movedClock(toReach instant: Date) -> [String: String] {
        guard case .ahead(let seconds) = suite.clock else { return [:] }
        return ["CLOCK_OFFSET": "\(max(seconds, Int(instant.timeIntervalSinceNow.rounded(.up))))"]
    }
}
