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
            What exists is kept, unless it expires within 30 days. Running services take them into use within ten seconds.

            With a role and a name: a certificate for one laboratory (lab NAME), test centre (quick-test NAME, pocnat NAME) or contact \
            tracing system (contact-tracing NAME) besides. The name stays with the results that are posted with it.
            """
    )

    @OptionGroup var state: StateOption

    @Argument(help: "lab, quick-test, pocnat or contact-tracing.")
    var role: String?

    @Argument(help: "The holder's name: lower-case letters, digits and hyphens.")
    var name: String?

    @Flag(help: "Make everything anew, the authority too.")
    var force = false

    func run() async throws {
        let folder = state.folder
        let partner = try role.map { role in
            guard let role = SuiteCertificates.partnerRoles.first(where: { $0.rawValue == role }), let name else {
                throw CommandFailure(
                    "A certificate of its own is for lab NAME, quick-test NAME, pocnat NAME or contact-tracing NAME.")
            }
            return try SuiteCertificates.Holder(role: role, partner: name)
        }
        try folder.prepare()
        for (name, outcome) in try SuiteCertificates(in: folder, now: Date()).prepare(force: force, adding: partner) {
            switch outcome {
            case .made: Console.say("made   \(folder.certificate(name))")
            case .kept: Console.say("kept   \(folder.certificate(name))")
            }
        }
    }
}
