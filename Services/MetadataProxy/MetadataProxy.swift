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
        let verification = try Upstream(
            base: settings.url("verification.url"), tls: tls, name: "verification-server")
        let submission = try Upstream(
            base: settings.url("submission.url"), tls: tls, name: "submission-server")

        let requests = PrefixLimit(
            try settings.int("limits.requests", default: 30_000, in: 1...10_000_000), clock: runtime.clock)
        let registrations = PrefixLimit(
            try settings.int("limits.registrations", default: 600, in: 1...10_000_000), clock: runtime.clock)
        let listener = try Listener(
            "listen", from: settings, defaultPort: 8000,
            security: .publicTLS(TLSFiles(settings, prefix: "public", mutual: false))
        ) { routes in
            for route in verificationRoutes + submissionRoutes {
                let upstream = submissionRoutes.contains(route) ? submission : verification
                let limits = route == VerificationAPI.registrationToken.route ? [requests, registrations] : [requests]
                routes.on(route.method, route.path) { exchange in
                    for limit in limits where !limit.admits(exchange.remoteAddress) { throw Problem.tooManyRequests }
                    return try await upstream.forward(exchange, along: route)
                }
            }
        }
        try await runtime.run(listeners: [listener], services: [verification, submission])
    }
}
