package import ArgumentParser
import Calling
import DonationAPI
import FurtherAPI
import HTTPContract
import PushAPI
package import Running
import Serving
import SubmissionAPI
import TLS
import VerificationAPI

/// The executable `metadata-proxy`: the only entry point for apps.
package struct MetadataProxy: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "metadata-proxy",
        abstract: "The only entry point for apps: forwards what a request must say and nothing about who sent it.",
        subcommands: [ReadyCommand.self])

    /// The options of the command line: the path of the configuration file.
    @OptionGroup package var options: ServiceOptions

    /// For ArgumentParser, which sets the options afterwards.
    package init() {}

    package func run() async throws {
        try await Self.serve(ServiceRuntime(name: "metadata-proxy", options: options))
    }

    /// The operations for apps; everything else is 404.
    private static let verificationOperations = [
        EndpointDescription(VerificationAPI.registrationToken), EndpointDescription(VerificationAPI.testResult),
        EndpointDescription(VerificationAPI.tan),
    ]
    private static let submissionOperations = [
        EndpointDescription(SubmissionAPI.diagnosisKeys), EndpointDescription(SubmissionAPI.onBehalf),
        EndpointDescription(SubmissionAPI.venueReports),
    ]
    private static let pushOperations = [
        EndpointDescription(PushAPI.register), EndpointDescription(PushAPI.registerV1),
    ]
    private static let donationOperations = [
        EndpointDescription(DonationAPI.surveyOnIOS), EndpointDescription(DonationAPI.surveyOnAndroid),
        EndpointDescription(DonationAPI.logOnIOS), EndpointDescription(DonationAPI.logOnAndroid),
        EndpointDescription(DonationAPI.reportOnIOS), EndpointDescription(DonationAPI.reportOnAndroid),
        EndpointDescription(DonationAPI.challenge),
        EndpointDescription(DonationAPI.analyticsOnIOS), EndpointDescription(DonationAPI.analyticsOnAndroid),
    ]

    private static let furtherOperations = [
        EndpointDescription(FurtherAPI.report), EndpointDescription(FurtherAPI.batch),
        EndpointDescription(FurtherAPI.key),
    ]

    /// Runs the service until shutdown.
    package static func serve(_ runtime: ServiceRuntime) async throws {
        let settings = runtime.configuration
        let tls = try TLSFiles(settings)
        let verification = try HTTPClient.upstream(
            settings.url("verification.url"), tls: tls, name: "verification-server")
        let submission = try HTTPClient.upstream(
            settings.url("submission.url"), tls: tls, name: "submission-server")
        let push = try HTTPClient.upstream(settings.url("push.url"), tls: tls, name: "push-dispatcher")
        // A country may do without donations of data, and without further.
        let donation =
            settings.optionalString("donation.url") == nil
            ? nil : try HTTPClient.upstream(settings.url("donation.url"), tls: tls, name: "data-donation")
        let further =
            settings.optionalString("further.url") == nil
            ? nil : try HTTPClient.upstream(settings.url("further.url"), tls: tls, name: "further")

        let requests = PrefixLimit(
            try settings.int("limits.requests", default: 30_000, in: 1...10_000_000), clock: runtime.clock)
        let registrations = PrefixLimit(
            try settings.int("limits.registrations", default: 600, in: 1...10_000_000), clock: runtime.clock)
        let refusals = RefusalLimit(
            try settings.int("limits.refusedRegistrations", default: 25, in: 1...10_000_000), clock: runtime.clock)
        let pushRegistrations = PrefixLimit(
            try settings.int("limits.pushRegistrations", default: 600, in: 1...10_000_000), clock: runtime.clock)
        let donations = PrefixLimit(
            try settings.int("limits.donations", default: 3000, in: 1...10_000_000), clock: runtime.clock)
        let healthReports = PrefixLimit(
            try settings.int("limits.further", default: 600, in: 1...10_000_000), clock: runtime.clock)
        let deadline = try settings.int("answers.deadline", default: 250, in: 10...10_000)
        let inFlight = try settings.int("requests.bytes", default: 64 << 20, in: 1 << 20...1 << 40)
        var plan = ProxyPlan(
            listener: "listen", schedule: DeadlineSchedule(interval: .milliseconds(deadline)),
            bytesInFlight: BytesInFlight(limit: inFlight, metrics: runtime.metrics), limit: requests,
            metrics: runtime.metrics)
        for operation in verificationOperations {
            let isRegistration = operation.route == VerificationAPI.registrationToken.route
            plan.forward(
                operation, to: verification, limit: isRegistration ? registrations : nil,
                refusals: isRegistration ? refusals : nil)
        }
        for operation in submissionOperations { plan.forward(operation, to: submission) }
        for operation in pushOperations { plan.forward(operation, to: push, limit: pushRegistrations) }
        if let donation {
            for operation in donationOperations { plan.forward(operation, to: donation, limit: donations) }
        }
        if let further {
            for operation in furtherOperations { plan.forward(operation, to: further, limit: healthReports) }
        }

        let listener = try plan.listener(
            host: settings.string("listen.host", default: "127.0.0.1"),
            port: settings.port("listen.port", default: 8000),
            connections: settings.int("listen.connections", default: 8192, in: 1...1_000_000),
            connectionsOfPrefix: settings.int("limits.connections", default: 2048, in: 1...1_000_000),
            connectionBytes: settings.int(
                "listen.connectionBytes", default: 256 << 10, in: ProxyPlan.minConnectionBytes...64 << 20),
            idle: .seconds(settings.int("listen.idle", default: 10, in: 1...3600)),
            life: .seconds(settings.int("listen.life", default: 60, in: 1...86_400)),
            tls: TLSFiles(settings, prefix: "public", mutual: false), balancers: Balancers(of: "listen", settings))
        let upstreams = [verification, submission, push] + [donation, further].compactMap { $0 }
        try await runtime.run(listeners: [listener], services: upstreams)
    }
}
