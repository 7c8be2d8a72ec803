import ArgumentParser
import Catalogue
import Credentials
import DevelopmentIdentityAPI
import Foundation
import Running
import Vigil

/// `vigil-dev smoke`: uses each door of a running suite once.
struct SmokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "smoke", abstract: "Use each door of a running suite once, from outside.",
        discussion: """
            A laboratory posts a positive result; a phone registers the test, asks for the result, gets a TAN and uploads a key; an \
            officer's code is redeemed by another phone, which uploads, too; the configuration of both apps and the newest package \
            are downloaded and verified. The first failure says what happened and what to do, and ends it with 1.

            It may run in production. It leaves one positive result (labId smoke-test) and one registration of a test, and two \
            uploads of a key each. Nobody can have met these keys, and their level (1) isn't published unless \
            VIGIL_LOWEST_RISK_LEVEL is 1, so packages stay as they are; within two days the keys leave the database. The \
            authority's own figures count the result, the registration, the uploads and the code. In released figures they \
            disappear in the rounding to tens, unless they are many.

            deploy/smoke.sh runs it beside the containers.
            """)

    @Option(help: ArgumentHelp("The folder with what deploy/secrets.sh made for callers.", valueName: "folder"))
    var callers = ".secrets/callers"

    @Option(help: ArgumentHelp("The laboratory's folder among them.", valueName: "name"))
    var lab = "lab"

    @Option(help: ArgumentHelp("The country that uploads name and whose packages are looked at.", valueName: "code"))
    var country = "DE"

    @Option(help: ArgumentHelp("Where apps call.", valueName: "url"))
    var apps = DoorAddress(of: .metadataProxy, .listen)

    @Option(help: ArgumentHelp("Where apps download.", valueName: "url"))
    var downloads = DoorAddress(of: .downloadServer, .listen)

    @Option(help: ArgumentHelp("Where laboratories post.", valueName: "url"))
    var laboratories = DoorAddress(of: .testResultServer, .laboratories)

    @Option(
        help: ArgumentHelp(
            "Where officers' browsers go: one of VIGIL_PORTAL_ORIGINS, of several the first.", valueName: "url")
    )
    var portal = DoorAddress(of: .healthPortal, .listen, on: "127.0.0.1")

    @Option(
        help: ArgumentHelp(
            "A code that an officer has just made at the portal. Without it, an officer of the simulated identity provider makes "
                + "one; with another provider, the step is skipped.", valueName: "teletan"))
    var code: String?

    @Option(
        help: ArgumentHelp("The simulators that run, separated by commas, for the last lines.", valueName: "names"))
    var simulators = ""

    func validate() throws {
        guard code.map({ TeleTAN($0) != nil }) ?? true else {
            throw ValidationError(
                "--code must be the ten characters of a code, the last of which is a check character.")
        }
    }

    func run() async throws {
        let start = ContinuousClock.now
        let addresses = SmokeCallers.Addresses(
            apps: apps.description, downloads: downloads.description, laboratories: laboratories.description,
            portal: portal.description)
        let outcome: SmokeTest.Outcome
        do {
            outcome = try await test(addresses)
        } catch let problem as any OperatorProblem {
            Console.complain("FAILED: \(problem.description)")
            throw ExitCode.failure
        }
        let seconds = String(format: "%.1f", (ContinuousClock.now - start) / .seconds(1))
        Console.say("The smoke test passed in \(seconds) s\(outcome.skipped > 0 ? ", one step skipped" : "").\n")
        tell(addresses, outcome)
    }

    private func test(_ addresses: SmokeCallers.Addresses) async throws -> SmokeTest.Outcome {
        let folder = CallersFolder(path: callers)
        return try await folder.withPublicAuthorities { trusted in
            let callers = try SmokeCallers(folder, laboratory: lab, country: country, at: addresses, trusting: trusted)
            let outcome: Result<SmokeTest.Outcome, any Error>
            do {
                let code = code.flatMap { TeleTAN($0) }
                outcome = .success(
                    try await SmokeTest(callers: callers, country: country, code: code, say: Console.say).run())
            } catch {
                outcome = .failure(error)
            }
            await callers.close()
            return try outcome.get()
        }
    }

    // MARK: The last lines

    private func tell(_ addresses: SmokeCallers.Addresses, _ outcome: SmokeTest.Outcome) {
        Console.say("Apps call          \(addresses.apps)")
        Console.say("Apps download from \(addresses.downloads)")
        Console.say("Laboratories post  \(addresses.laboratories)/api/v1/lab/results (deploy/laboratories.md)")
        Console.say("Officers sign in   \(addresses.portal)")
        if let provider = outcome.simulatedProvider {
            Console.say(
                """

                To sign in as an officer: user \(DevelopmentUser.officer.rawValue), password \(DevelopmentUser.password); the \
                one-time code is what `bash deploy/smoke.sh --one-time-code` prints. The browser must trust callers/ca.pem.
                """)
            if provider == Catalogue.Service.developmentIdentity.name {
                Console.say(
                    "For the browser to find the provider, put the line \"127.0.0.1 \(provider)\" into /etc/hosts.")
            }
        }
        let names = simulators.split(separator: ",")
        guard !names.isEmpty else { return }
        Console.say("\nStill simulated:")
        for name in names { Console.say("  \(name): \(Self.stakes[String(name)] ?? "an outside peer")") }
    }

    /// What a simulator in production means, and what replaces it.
    private static let stakes = [
        Catalogue.Service.developmentAPNs.name: "no phone is woken by a push (deploy/apple.yml)",
        Catalogue.Service.developmentIdentity.name:
            "whoever reaches its port can be an officer (deploy/identity.yml)",
        Catalogue.Service.developmentGateway.name: "no other country gets keys (deploy/gateway.yml)",
        Catalogue.Service.developmentAttestation.name:
            "no real phone is admitted to surveys and donations (deploy/vouchers.yml)",
    ]
}
