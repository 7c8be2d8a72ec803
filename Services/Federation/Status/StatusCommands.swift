import ArgumentParser
import ExposureKeys
import FederationFormat
import Running
import Schema

/// `federation status`.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show what waits, what arrived, and which batches need somebody.")

    @OptionGroup var options: ServiceOptions

    func run() async throws {
        let runtime = try ServiceRuntime(name: "federation", options: options)
        let name = try GatewayPlan(runtime.configuration).name
        let status = try await ServiceDatabase.once(for: runtime, of: .federation) {
            try await StatusStore($0, gateway: name).status()
        }
        for line in status.lines(gateway: name) { Console.say(line) }
    }
}

/// `federation explain BATCH`.
struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Say what became of a batch, upload by upload.")

    @Argument(help: "The batch's tag, as `federation status` or the log has it.", transform: batchTag)
    var batch: BatchTag

    @OptionGroup var options: ServiceOptions

    func run() async throws {
        let runtime = try ServiceRuntime(name: "federation", options: options)
        let name = try GatewayPlan(runtime.configuration).name
        let found = try await ServiceDatabase.once(for: runtime, of: .federation) {
            try await StatusStore($0, gateway: name).explain(batch)
        }
        guard !found.isEmpty else { throw UnknownBatch(batch, gateway: name) }
        for line in found.flatMap(\.lines) { Console.say(line) }
    }
}

/// `federation retry BATCH` or `--all`.
struct RetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Send a refused batch again, or read a batch again that wasn't fully used.",
        discussion: "It only marks the batch; the running service does it within a minute.")

    @Argument(help: "The batch's tag.", transform: batchTag)
    var batch: BatchTag?

    @Flag(help: "All of them.")
    var all = false

    @OptionGroup var options: ServiceOptions

    func validate() throws {
        guard (batch == nil) == all else { throw ValidationError("Name a batch, or --all.") }
    }

    func run() async throws {
        let runtime = try ServiceRuntime(name: "federation", options: options)
        let plan = try GatewayPlan(runtime.configuration)
        let now = runtime.clock.now
        let count = try await ServiceDatabase.once(for: runtime, of: .federation) { database in
            let outgoing = OutgoingStore(database, gateway: plan.name, origin: plan.origin, policy: .init())
            return try await outgoing.retry(batch, at: now)
                + IncomingStore(database, gateway: plan.name).retry(batch, at: now)
        }
        if let batch, count == 0 { throw UnknownBatch(batch, gateway: plan.name) }
        Console.say("\(count) batches are tried again.")
    }
}

@Sendable private func batchTag(_ text: String) throws -> BatchTag {
    guard let tag = BatchTag(text) else {
        throw ValidationError("A tag has 1 to 64 letters, digits, hyphens, underscores and full stops.")
    }
    return tag
}

/// No batch with this tag needs anything, or none is known.
struct UnknownBatch: OperatorProblem {
    let description: String

    init(_ tag: BatchTag, gateway: String) {
        description =
            "\(gateway) has no batch \(tag) that this concerns; `federation status` lists those that need somebody."
    }
}
