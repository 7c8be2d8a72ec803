import ArgumentParser
import FoundationEssentials
import Running

/// `vigil inspect`.
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Say what a published archive holds and whether its signature is right.",
        discussion: """
            Diagnosis keys, check-in reports, configuration, statistics, posters, certificate lists and rules. What an archive should \
            hold follows from its path in the published tree: the file's name from "version" on, or --path. Ends with 1 if the archive is \
            damaged or no signature matches the public key.
            """)

    @Argument(help: ArgumentHelp("The archive.", valueName: "file.zip"))
    var file: String

    @Option(
        help: ArgumentHelp(
            "The public key that should have signed it (PEM); without, the state folder's if there is one.",
            valueName: "file.pem"))
    var publicKey: String?

    @Option(
        help: ArgumentHelp("Where the archive is published, if its file's name doesn't say.", valueName: "version/…"))
    var path: String?

    @Flag(help: "Print JSON, with the whole content of everything but keys and reports.")
    var json = false

    @OptionGroup var state: StateOption

    func run() async throws {
        let inspection = try Inspection(file: file, path: path, publicKeyFile: try publicKeyFile)
        Console.say(json ? inspection.json : inspection.text)
    }

    func validate() throws {
        if let path, PublishedPath(in: path) == nil { throw ValidationError("--path must begin with version/.") }
    }

    private var publicKeyFile: String? {
        get throws {
            if let publicKey { return publicKey }
            let own = SuiteSecrets.signingPublicKeyFile(in: state.folder)
            return FileManager.default.fileExists(atPath: own) ? own : nil
        }
    }
}
