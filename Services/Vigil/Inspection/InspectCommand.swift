import ArgumentParser
import Foundation
import Running

/// `vigil inspect`.
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Say what a published key archive holds and whether its signature is right.",
        discussion: "Ends with 1 if the archive is damaged or no signature matches the public key.")

    @Argument(help: ArgumentHelp("The archive.", valueName: "file.zip"))
    var file: String

    @Option(
        help: ArgumentHelp(
            "The public key that should have signed it (PEM); without, the state folder's if there is one.",
            valueName: "file.pem"))
    var publicKey: String?

    @OptionGroup var state: StateOption

    func run() async throws {
        Console.say(try Inspection(file: file, publicKeyFile: try publicKeyFile).text)
    }

    private var publicKeyFile: String? {
        get throws {
            if let publicKey { return publicKey }
            let own = SuiteSecrets.signingPublicKeyFile(in: state.folder)
            return FileManager.default.fileExists(atPath: own) ? own : nil
        }
    }
}
