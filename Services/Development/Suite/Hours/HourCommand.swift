import ArgumentParser
import Phone
import Running
import Vigil

/// `vigil-dev hour`.
struct HourCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hour", abstract: "Do now what services do every hour.", subcommands: [HourCloseCommand.self])
}

/// `vigil-dev hour close`: the keys that were just uploaded are published now, and not after the hour.
struct HourCloseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "close", abstract: "Fold and publish the open hour of a running suite now.",
        discussion: """
            For development: only a suite that `vigil-dev up` started accepts a clock that is ahead. What is uploaded afterwards joins \
            the next hour, which can be closed as well.
            """)

    @OptionGroup var state: StateOption

    func run() async throws {
        let folder = state.folder
        let suite = try RunningSuite(in: folder)
        let packages = try suite.packageClient(in: folder)
        let jobs = HourlyJobs(folder: folder, suite: suite, log: "hour")
        let closing = HourClosing(
            packages: packages, clock: try suite.clock.clock(in: folder), fold: jobs.fold, publish: jobs.publish)
        let outcome: Result<[String], any Error>
        do {
            var lines: [String] = []
            for name in try await closing.close() {
                let keys = try await packages.keys(of: name.day, hour: name.hour)
                lines.append("\(name.day), hour \(name.hour) (UTC): published with \(keys.count) keys.")
            }
            outcome = .success(lines)
        } catch {
            outcome = .failure(error)
        }
        await packages.close()
        for line in try outcome.get() { Console.say(line) }
        Console.say("What is uploaded now joins the next hour.")
    }
}
