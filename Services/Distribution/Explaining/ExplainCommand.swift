import ArgumentParser
import ExposureKeys
import Postgres
import Running
import Schema

/// `distribution explain SUBJECT`.
struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Say why a key, a trace key or an hour is published, or not yet.",
        discussion: "The argument isn't logged. The command only reads the database.")

    @Argument(
        help: ArgumentHelp(
            "A diagnosis key's 16 bytes or the 32 of a trace key's identity, in hexadecimal or Base64, or an instant such as "
                + "2026-11-21T14:00:00Z."), transform: ExplainCommand.subject)
    var subject: ExplainedSubject

    @OptionGroup var options: ServiceOptions

    func run() async throws {
        let runtime = try ServiceRuntime(name: "distribution", options: options)
        try await ServiceDatabase.once(for: runtime, of: .distribution) { database in
            let policy = try Publisher.policy(runtime.configuration)
            let explain = Explain(
                store: DistributionStore(database), policy: policy,
                regions: try Publisher.regions(
                    runtime.configuration, of: try await runtime.configuration.agreed(on: .origin, in: database)),
                now: runtime.clock.now)
            let explanation =
                switch subject {
                case .key(let data): try await explain.key(data)
                case .traceKey(let identity): try await explain.traceKey(identity)
                case .hour(let hour): try await explain.hour(hour)
                }
            Console.say(explanation.text(minimum: policy.minimumKeys))
        }
    }

    @Sendable private static func subject(_ text: String) throws -> ExplainedSubject {
        guard let subject = ExplainedSubject(text) else {
            throw ValidationError("It is neither 16 or 32 bytes nor an ISO 8601 instant.")
        }
        return subject
    }
}
