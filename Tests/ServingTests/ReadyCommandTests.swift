import ArgumentParser
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Running
@testable import Serving

@Suite(.timeLimit(.minutes(5))) struct ReadyCommandTests {
    /// A service's own command, which isn't meant here.
    struct Other: AsyncParsableCommand {
        static let configuration = CommandConfiguration(subcommands: [ReadyCommand.self])
        @OptionGroup var options: ServiceOptions

        func run() async throws { throw ExitCode(3) }
    }

    @Test("ready asks the running service, and says what is failing, or what should be repaired although it works")
    func running() async throws {
        let isWell = Mutex(false)
        let readiness = [ReadinessCheck("database") { isWell.withLock { $0 } }]
        let warnings = ["A file isn't published."]
        try await withService(
            listeners: [.greeting(.plain)], readiness: readiness, warnings: { isWell.withLock { $0 } ? warnings : [] }
        ) { runtime in
            try await runtime.opened()
            let settings = Settings(["admin.port": "\(try await runtime.adminPort)"])
            let problem = await #expect(throws: NotReady.self) { try await ReadyCommand.ask(settings) }
            #expect(problem?.description == "The service isn't ready; what is failing: database.")
            isWell.withLock { $0 = true }
            #expect(try await ReadyCommand.ask(settings) == warnings)
        }
    }

    @Test("ready says which settings are for trials only")
    func simulated() async throws {
        let listener = Listener.greeting(.plain)
        try await withRunningService("a", settings: ["bundle": "de.rki.coronawarnapp-dev"]) {
            _ = $0.configuration.optionalString("bundle")
            try await $0.run(listeners: [listener])
        } _: { runtime in
            let settings = Settings(["admin.port": "\(try await runtime.adminPort)"])
            var warnings: [String]?
            // Readiness comes a moment after the ports.
            while warnings == nil { warnings = try? await ReadyCommand.ask(settings) }
            #expect(warnings == ["For trials only: bundle names de.rki.coronawarnapp-dev, the app of trials."])
        }
    }

    @Test("ready ends with 1 where nothing listens, and with 78 without a port")
    func notRunning() async throws {
        // Nothing listens on port 1 of a test machine.
        let file = try Self.configuration(#"{"admin": {"port": 1}}"#)
        defer { try? FileManager.default.removeItem(at: file) }
        let path = file.path
        await #expect(processExitsWith: .exitCode(1)) { [path = path as String] in
            await serviceMain(Other.self, name: "a", arguments: ["ready", "--config", path])
        }
        await #expect(processExitsWith: .exitCode(78)) {
            await serviceMain(Other.self, name: "a", arguments: ["ready"])
        }
    }

    private static func configuration(_ text: String) throws -> URL {
        let file = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString).json")
        try Data(text.utf8).write(to: file)
        return file
    }
}
