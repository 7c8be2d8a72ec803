import ArgumentParser
import Running
import Testing

@Suite(.timeLimit(.minutes(5))) struct ServiceMainTests {
    /// Ends as its argument says.
    struct Ending: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "ending")
        @OptionGroup var service: ServiceOptions
        @Argument var how: String

        func run() async throws {
            switch how {
            case "configuration": throw ConfigurationProblem("app.port is not set.")
            case "secret": throw Telling()
            default: break
            }
        }

        struct Telling: Error, CustomStringConvertible {
            var description: String { "hunter2" }
        }
    }

    @Test("a wrong configuration ends the process with 78 and one line")
    func configuration() async throws {
        let result = try await #require(
            processExitsWith: .exitCode(78), observing: [\.standardErrorContent]
        ) {
            await serviceMain(Ending.self, name: "verification-server", arguments: ["configuration"])
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("verification-server: app.port is not set.\n"))
    }

    @Test("any other error ends the process with 1, and its words are withheld")
    func other() async throws {
        let result = try await #require(
            processExitsWith: .exitCode(1), observing: [\.standardErrorContent]
        ) {
            await serviceMain(Ending.self, name: "verification-server", arguments: ["secret"])
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("verification-server: failed with Telling; the log says more.\n"))
        #expect(!text.contains("hunter2"))
    }

    @Test("success ends the process with 0, and a mistake on the command line with 64")
    func usual() async {
        await #expect(processExitsWith: .exitCode(0)) {
            await serviceMain(Ending.self, name: "a", arguments: ["well", "--config", "file"])
        }
        await #expect(processExitsWith: .exitCode(64)) {
            await serviceMain(Ending.self, name: "a", arguments: ["--unknown"])
        }
    }
}
