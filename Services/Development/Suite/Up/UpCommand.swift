import ArgumentParser
import Catalogue
import Foundation
import Running
import Vigil

/// `vigil-dev up`: the whole suite on one machine, every service as a process of its own.
struct UpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up", abstract: "Start the whole suite on this machine and play the story through it.",
        discussion: """
            Everything lies in the state folder; a second start reuses it. Ctrl-C stops everything. All services \
            listen on 127.0.0.1 only.
            """)

    @OptionGroup var state: StateOption

    @Flag(help: "End after the story: with 0, or with the number of the step that failed.")
    var story = false

    @Flag(help: "Play no story: what is uploaded next joins the running hour, which nothing has closed yet.")
    var noStory = false

    @Flag(help: "Begin with an empty state folder.")
    var fresh = false

    @Option(help: ArgumentHelp("The instant that the services take for now (ISO 8601).", valueName: "instant"))
    var at: Instant?

    @Option(
        help: ArgumentHelp(
            "Start only these services, and PostgreSQL; the story leaves out what needs others.", valueName: "name,…"))
    var only: ServiceNames?

    @Option(
        help: ArgumentHelp(
            "The country that the suite works for, by its two letters. Without it: as before, or \(SuiteCountry.standard.origin).",
            valueName: "country"))
    var country: String?

    @Option(
        help: ArgumentHelp(
            "The authority's time zone. Without it: as before, or \(SuiteCountry.standard.timeZone).", valueName: "zone"
        ))
    var timeZone: String?

    @Option(help: "The metadata proxy's port; the other services' ports follow it.")
    var firstPort = Catalogue.Port.defaultFirst

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "A setting of one service other than usual, such as metadata-proxy.answers.deadline=50; may be repeated.",
            valueName: "service.key=value"))
    var changes: [SettingChange] = []

    func validate() throws {
        guard !(story && noStory) else { throw ValidationError("--story and --no-story exclude each other.") }
    }

    func run() async throws {
        let folder = state.folder
        let clock = SuiteClock.ahead(seconds: at.map { Int($0.date.timeIntervalSinceNow.rounded()) } ?? 0)
        let before = fresh ? nil : (try? RunningSuite(in: folder))?.country
        let run = SuiteRun(
            folder: folder, isFresh: fresh, firstPort: firstPort, clock: clock,
            country: SuiteCountry(origin: country ?? before?.origin, timeZone: timeZone ?? before?.timeZone),
            only: only?.names, changes: changes)
        let (playsStory, endsAfterStory) = (!noStory, story)
        try await run.run { suite in
            var failedStep: Int32 = 0
            if playsStory {
                if let absent = Story.needs.first(where: { !suite.plan.starts($0) }) {
                    let reason = "No story: it needs \(absent.name), which doesn't run."
                    guard !endsAfterStory else { throw CommandFailure(reason) }
                    Console.say(reason)
                } else {
                    failedStep = try await Self.playStory(in: folder)
                }
            }
            for service in suite.plan.services {
                for warning in try await Supervisor.warnings(at: suite.plan.adminURL(of: service)) {
                    Console.say("\(service.name): \(warning)")
                }
            }
            let failure = CommandFailure(
                "The story failed at step \(failedStep); the logs are in \(folder.logs).", exitStatus: failedStep)
            if endsAfterStory {
                if failedStep != 0 { throw failure }
                return
            }
            if failedStep != 0 { Console.say(failure.description) }
            Console.say(SuiteTable(plan: suite.plan, ownerConnection: suite.ownerConnection).text)
            while true { try await Task.sleep(for: .seconds(86_400)) }
        }
    }

    /// The story is a client like any other, in a process of its own.
    /// - Returns: the number of the step that failed, or 0.
    private static func playStory(in folder: StateFolder) async throws -> Int32 {
        let story = ChildProcess.Program(try SuiteProgram.path(of: "vigil-dev"), ["story", "--state", folder.path])
        switch try await ChildProcess.run(story) {
        case .status(let step): return step
        case .signal(let number): throw CommandFailure("The story was ended by signal \(number).")
        }
    }
}

/// Services' names with commas between them.
struct ServiceNames: ExpressibleByArgument {
    let names: Set<String>

    init(argument: String) { names = Set(argument.split(separator: ",").map(String.init)) }
}
