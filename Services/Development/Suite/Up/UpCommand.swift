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
        let run = SuiteRun(
            folder: state.folder, isFresh: fresh, playsStory: !noStory, endsAfterStory: story, firstPort: firstPort,
            clockOffset: at.map { Int($0.date.timeIntervalSinceNow.rounded()) } ?? 0, changes: changes)
        try await run.run()
    }
}
