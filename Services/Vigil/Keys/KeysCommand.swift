import ArgumentParser
import FoundationEssentials
import Running

/// `vigil keys`.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Make the keys and secrets of a suite.",
        subcommands: [SigningKeyCommand.self, SecretsCommand.self])
}

/// `vigil keys signing`.
struct SigningKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signing", abstract: "Make the key that signs published archives, if it is missing.",
        discussion: "Prints where its public half is, which apps are built with.")

    @OptionGroup var state: StateOption

    func run() async throws {
        let folder = state.folder
        try folder.prepare()
        try SuiteSecrets.prepareSigningKey(in: folder)
        Console.say(SuiteSecrets.signingPublicKeyFile(in: folder))
    }
}

/// `vigil keys secrets`.
struct SecretsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secrets", abstract: "Make all secrets of a suite that are missing, each a file of its own.")

    @OptionGroup var state: StateOption

    func run() async throws {
        let folder = state.folder
        try folder.prepare()
        try SuiteSecrets.prepare(in: folder)
        Console.say("The secrets are in \(folder.secrets); only their owner can read them.")
    }
}
