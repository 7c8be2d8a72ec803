package import ArgumentParser
import FoundationEssentials
import Loop
import Running
import StrictJSON

/// `ready`, a subcommand of every service's executable: queries the running service's own `/ready`.
///
/// It is for health checks of containers, whose images contain no other client.
package struct ReadyCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "ready", abstract: "Ask the service that runs here whether it is ready.",
        discussion: """
            Ends with 0 if it is, and prints what should be repaired although it works, and which settings are for trials only, because \
            they name a simulator, an example or an authority of development. It is asked on its admin port, with the configuration it \
            was started with.
            """)

    @OptionGroup private var options: ServiceOptions

    /// For ArgumentParser, which fills in the options afterwards.
    package init() {}

    package func run() async throws {
        for warning in try await Self.ask(Settings(file: options.configurationFile)) { Console.say(warning) }
    }

    /// Returns if the service is ready.
    /// - Returns: its warnings, and what is simulated.
    /// - Throws: ``NotReady``; ``ConfigurationProblem`` if `admin.port` isn't set.
    @discardableResult
    static func ask(_ settings: Settings) async throws -> [String] {
        let port = try settings.port("admin.port")
        let answer: Readiness.Answer
        do {
            let body = try await Blocking.run { () throws(AdminCall.Failure) in
                try AdminCall.get("/ready", port: port, limit: maximumSize, within: patience)
            }
            answer = try StrictJSON.decode(Readiness.Answer.self, from: Data(body))
        } catch {
            throw NotReady.noAnswer(port: port)
        }
        guard answer.failing.isEmpty else { throw NotReady.failing(answer.failing) }
        return (answer.warnings ?? []) + (answer.simulated ?? []).map { "For trials only: \($0)" }
    }

    /// The most bytes of an answer.
    private static let maximumSize = 1 << 20

    /// Longer than the timeout of the service's own checks.
    private static let patience = Duration.seconds(4)
}

/// A service that isn't running, or that reports that it isn't ready.
enum NotReady: OperatorProblem {
    /// No service answers there.
    case noAnswer(port: Int)
    /// The dependencies that the service lacks.
    case failing([String])

    var description: String {
        switch self {
        case .noAnswer(let port): "No service answers on the admin port \(port): it isn't running, or still starting."
        case .failing(let names): "The service isn't ready; what is failing: \(names.joined(separator: ", "))."
        }
    }
}
