import ArgumentParser
import FoundationEssentials
import Running

/// `vigil certificates list`.
struct CertificatesListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List every certificate that the authority issued, and every other of the state.",
        discussion:
            """
            The next to expire first: its last day (UTC), days left, role, name, SHA-256 fingerprint, and whether it is its holder's \
            current one. A former one is valid until it expires, unless it is denied. `by request` marks those that \
            `vigil certificates` doesn't renew, because their holders have the keys.

            Ends with 0; with --expiring with 3 if there is one to list; with 1 if the state can't be read.
            """)

    @Option(
        help: ArgumentHelp(
            "Only current ones that expire within so many days, or have expired, such as 60d.", valueName: "days"))
    var expiring: String?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var state: StateOption

    /// The status if there is a certificate that expires.
    static let someExpire = ExitCode(3)

    func validate() throws {
        guard expiring == nil || days != nil else {
            throw ValidationError("--expiring needs a number of days from 1 to 9999, such as 60d.")
        }
    }

    private var days: Int? {
        guard let expiring, expiring.last == "d", let days = Int(expiring.dropLast()), (1...9999).contains(days) else {
            return nil
        }
        return days
    }

    func run() async throws {
        let list = try CertificateList(of: state.folder, now: Date(), expiringWithin: days)
        if json { Console.say(try list.json) } else if !list.entries.isEmpty { Console.say(list.text) }
        if expiring != nil, !list.entries.isEmpty { throw Self.someExpire }
    }
}
