import ArgumentParser
import FoundationEssentials
import HTTPContract
import Running

/// `vigil certificates`.
struct CertificatesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificates",
        abstract: "Make the private certificate authority and a certificate for every service and caller.",
        discussion:
            """
            What exists is kept, unless it expires within 30 days or has other names than it should. Running services take them into \
            use within ten seconds.

            With a role and a name: a certificate besides, for one laboratory (lab NAME), test centre (quick-test NAME, pocnat NAME), \
            contact tracing system (contact-tracing NAME), survey (survey-server NAME) or server for error logs (log-server NAME). The \
            name stays with the results that are posted with it. For a key that its holder keeps: `vigil certificates sign`.

            `due` marks a certificate of such a key that expires within 30 days: ask its holder for another request.
            """,
        subcommands: [CertificatesSignCommand.self, CertificatesListCommand.self])

    @OptionGroup var state: StateOption

    @Option(
        help: ArgumentHelp(
            "A DNS name or an IP address under which callers outside reach a service. May be repeated. Those that are given replace "
                + "all that were given before; without this option those stay.",
            valueName: "service=name"))
    var name: [String] = []

    @Argument(help: "\(SuiteCertificates.partnerRoleNames).")
    var role: String?

    @Argument(help: "The holder's name: lower-case letters, digits and hyphens.")
    var partner: String?

    @Flag(help: "Make everything anew, the authority too.")
    var force = false

    func run() async throws {
        let folder = state.folder
        let holder = try role.map { try SuiteCertificates.Holder(role: $0, partner: partner) }
        let names = try name.map { try OutsideName($0) }
        try folder.prepare()
        let certificates = SuiteCertificates(in: folder, now: Date())
        for (name, outcome) in try certificates.prepare(force: force, adding: holder, naming: names) {
            switch outcome {
            case .made: Console.say("made   \(folder.certificate(name))")
            case .kept: Console.say("kept   \(folder.certificate(name))")
            case .due: Console.say("due    \(folder.certificate(name)): its holder has to send another request")
            }
        }
    }
}
