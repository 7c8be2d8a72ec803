import ArgumentParser
import DevelopmentSuite
import Running
import SimulatedCountry

@main enum Main {
    static func main() async {
        await serviceMain(Command.self, name: "vigil-dev")
    }

    /// A suite's commands, and the country that uses one.
    private struct Command: AsyncParsableCommand {
        static let configuration: CommandConfiguration = {
            var configuration = DevelopmentCommand.configuration
            configuration.subcommands.append(CountryCommand.self)
            return configuration
        }()
    }
}
