import ArgumentParser
import FoundationEssentials
import Running

/// `vigil federation-certificates`.
struct FederationCertificatesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "federation-certificates",
        abstract: "Make the certificates with which a country joins a federation's gateway.",
        discussion:
            """
            Prints the fingerprint of each. Send both certificates to the gateway's operator, and read the fingerprints to \
            them over a telephone number that you know from elsewhere.

            They are valid for a year. What exists is kept, however little is left: the operator has to know a new one \
            before it is used.
            """
    )

    @OptionGroup var state: StateOption

    @Option(help: "The country: two capital letters (ISO 3166-1).")
    var country: String

    @Option(help: "The organisation that is responsible.")
    var organisation: String

    @Option(help: "Its unit that operates the service.")
    var unit: String

    @Option(help: "An address that somebody reads at all hours.")
    var email: String

    @Flag(help: "Make a certificate of the simulated gateway's trust anchor, too.")
    var anchor = false

    @Flag(help: "Make both certificates anew, for the same keys.")
    var force = false

    func run() async throws {
        let folder = state.folder
        try folder.prepare()
        let subject = try FederationCertificates.Subject(
            country: country, organisation: organisation, unit: unit, email: email)
        for made in try FederationCertificates(in: folder, now: Date()).prepare(subject, anchor: anchor, force: force) {
            let end = made.end.formatted(.iso8601.year().month().day())
            Console.say("\(made.isKept ? "kept  " : "made  ") \(folder.certificate(made.name)), valid until \(end)")
            Console.say("       SHA-256 \(made.fingerprint)")
        }
    }
}
