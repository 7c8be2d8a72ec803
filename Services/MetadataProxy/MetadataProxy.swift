package import ArgumentParser
import HTTPContract
import HTTPTypes
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
    private static let verificationOperations = [
        EndpointDescription(VerificationAPI.registrationToken), EndpointDescription(VerificationAPI.testResult),
        EndpointDescription(VerificationAPI.tan),
    ]
    private static let submissionOperations = [EndpointDescription(SubmissionAPI.diagnosisKeys)]

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
            func forward(_ operations: [EndpointDescription], to upstream: Upstream) {
                for var operation in operations {
                    let route = operation.route
                    let isRegistration = route == VerificationAPI.registrationToken.route
                    let limits = isRegistration ? [requests, registrations] : [requests]
                    operation.refusals[.tooManyRequests] = "Too many requests come from the caller's part of the net."
                    routes.on(operation) { exchange in
                        for limit in limits where !limit.admits(exchange.remoteAddress) {
                            throw Problem.tooManyRequests
                        }
                        return try await upstream.forward(exchange, along: route)
                    }
                }
            }
            forward(verificationOperations, to: verification)
            forward(submissionOperations, to: submission)
        }
        try await runtime.run(listeners: [listener], services: [verification, submission])
    }
}
