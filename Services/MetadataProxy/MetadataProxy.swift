package import ArgumentParser
import HTTPContract
package import ServiceKit
import SubmissionAPI
import VerificationAPI

/// The executable `metadata-proxy`: the only door for apps.
package struct MetadataProxy: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "metadata-proxy",
        abstract: "The only door for apps: passes on what a request must say and nothing about who asks.")

    /// What the command line says: the path of the configuration file.
    @OptionGroup package var options: ServiceOptions

    /// For ArgumentParser, which fills in the options afterwards.
    package init() {}

    package func run() async throws {
        try await Self.serve(ServiceRuntime(name: "metadata-proxy", options: options))
    }

    /// What verification and submission offer to apps; everything else is 404.
    static let verificationRoutes = [
        VerificationAPI.registrationToken.route, VerificationAPI.testResult.route, VerificationAPI.tan.route,
    ]
    static let submissionRoutes = [SubmissionAPI.diagnosisKeys.route]

    /// Runs the service until it is told to stop.
    package static func serve(_ runtime: ServiceRuntime) async throws {
        let settings = runtime.configuration
        let tls = try TLSFiles(settings)
        let verification = try Upstream(base: settings.url("verification.url"), tls: tls)
        let submission = try Upstream(base: settings.url("submission.url"), tls: tls)

        let listener = try Listener(
            "listen", from: settings, defaultPort: 8000,
            security: .publicTLS(TLSFiles(settings, prefix: "public", mutual: false))
        ) { routes in
            for route in verificationRoutes { routes.forward(route, to: verification) }
            for route in submissionRoutes { routes.forward(route, to: submission) }
        }
        try await runtime.run(listeners: [listener], services: [verification, submission])
    }
}
