import ArgumentParser
import ExposureFormat
import ExposureKeys
import FoundationEssentials
import ObjectStore
import Running

/// `distribution verify`.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check a whole published tree against a public key.",
        discussion: """
            Checks signatures, headers, order, minimum sizes, duplicate and expired keys, and that the indexes name all objects
            and no others. Needs no database and no signing key. Without a directory it reads the tree that the settings name, of a \
            bucket with its access key. Ends with 1 if anything is wrong.
            """)

    @Argument(help: ArgumentHelp("The tree's folder, in which `version` lies.", valueName: "directory"))
    var directory: String?

    @OptionGroup var options: ServiceOptions

    @Option(
        name: .customLong("public-key"),
        help: ArgumentHelp("A public key in PEM; several if keys were replaced.", valueName: "file.pem"))
    var publicKeys: [String]

    @Option(help: "The minimum number of reports in a file that isn't empty, and of keys in the newest hour's largest.")
    var minimum = PublicationPolicy.smallestPackage

    @Option(
        name: .customLong("as-of"),
        help: "When the tree was written, as an ISO 8601 instant; by default two hours ago, as runs are hourly.")
    var asOf: Instant?

    func validate() throws {
        guard !publicKeys.isEmpty else { throw ValidationError("--public-key must be given.") }
        guard directory == nil || options.configurationFile == nil else {
            throw ValidationError("Give a directory or --config, not both.")
        }
    }

    func run() async throws {
        let keys = try publicKeys.map { path in
            guard let pem = try? String(contentsOfFile: path, encoding: .utf8), let key = try? VerificationKey(pem: pem)
            else { throw ValidationError("\(path) is no P-256 public key in PEM.") }
            return key
        }
        let instant = asOf?.date ?? WallClock.system.now.addingTimeInterval(-7200)
        let tree: any TreeStore =
            if let directory {
                DirectoryStore(root: URL(filePath: directory, directoryHint: .isDirectory))
            } else {
                try Settings(file: options.configurationFile).treeStore()
            }
        let verdict = try await VerifyTree(tree: tree, publicKeys: keys, minimum: minimum, instant: instant)
            .verdict(progress: .onTerminal)
        for flaw in verdict.flaws { Console.say(flaw) }
        let counts =
            "\(verdict.objects) objects: packages of \(verdict.days) days and \(verdict.hours) hours, reports of "
            + "\(verdict.reportHours) hours, \(verdict.venueBundles) bundles of venue reports, \(verdict.traceKeyLists) lists of trace keys, "
            + "\(verdict.otherArchives) other archives"
        guard verdict.flaws.isEmpty else {
            Console.say("WRONG: \(verdict.flaws.count) flaws in \(counts).")
            throw ExitCode(1)
        }
        Console.say("VERIFIED: \(counts).")
    }
}
