import ArgumentParser
import AuditFormat
import FoundationEssentials
import Running

/// `vigil audit keys`: for the auditor, on a machine that the service can't reach.
struct AuditKeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Make the auditor's key pair.",
        discussion: """
            Run it on the auditor's own machine. FILE.key opens the audit: it stays with the auditor. FILE.pub goes to the operator, \
            as the health portal's setting audit.key.
            """)

    @Argument(help: ArgumentHelp("Where to write the keys, without the ending.", valueName: "file"))
    var file: String

    func run() async throws {
        let (secret, open) = ("\(file).key", "\(file).pub")
        guard !FileManager.default.fileExists(atPath: secret) else {
            throw CommandFailure(
                "\(secret) exists: without it nobody can read what was sealed to it. Choose another name.")
        }
        let key = AuditorKey()
        do {
            try DurableFile.write(Self.text(key.bytes), to: URL(filePath: secret), mode: 0o600)
            try DurableFile.write(Self.text(key.publicKey.bytes), to: URL(filePath: open))
        } catch {
            throw CommandFailure("\(secret) and \(open) can't be written: \(error).")
        }
        Console.say("\(secret) stays with the auditor. \(open) is for the operator.")
    }

    private static func text(_ bytes: [UInt8]) -> Data {
        Data((bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + "\n").utf8)
    }
}
