import ArgumentParser
import Foundation
import Running
import Vigil

/// `vigil-dev officer-token`.
struct OfficerTokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "officer-token",
        abstract: "Print a token with which a health officer may ask for a teleTAN.",
        discussion: """
            For a portal of one's own, in place of health-portal. In production the health authority's identity provider \
            signs these.
            """)

    @OptionGroup var state: StateOption

    @Option(help: "What the officer may do: c19hotline (tests) or c19hotline_event (events).")
    var role: OfficerIssuer.OfficerRole

    @Option(help: ArgumentHelp("For how long the token is valid.", valueName: "seconds"))
    var validFor = 300

    @Option(help: ArgumentHelp("The issuer in the token, if not that of the suite.", valueName: "url"))
    var issuer: String?

    func validate() throws {
        guard validFor > 0, validFor <= 86_400 else {
            throw ValidationError("--valid-for must be from 1 to 86400 seconds.")
        }
    }

    func run() async throws {
        let folder = state.folder
        // The services check it against their clock, which `vigil-dev up --at` may have moved.
        let suite = try RunningSuite(in: folder)
        let instant = try suite.clock.clock(in: folder).now
        Console.say(
            try OfficerIssuer(in: folder, issuer: issuer ?? suite.issuer).token(
                role: role, at: instant, lifetime: TimeInterval(validFor)))
    }
}

extension OfficerIssuer.OfficerRole: ExpressibleByArgument {}
