package import ArgumentParser
import Calling
import Credentials
import ExposureKeys
package import FoundationEssentials
import HTTPContract
import HourKeys
import Logging
import Postgres
package import Running
import Schema
import Serving
import SubmissionAPI
import TLS
import VerificationAPI

/// The executable `submission-server`, which runs as two processes.
///
/// One accepts uploads and seals them; the other folds them every hour. The first can't open what it sealed; the second answers
/// only operators and Prometheus.
package struct SubmissionServer: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "submission-server",
        abstract:
            "Takes diagnosis keys, each upload authorised by one TAN, and seals them; `fold` folds them every hour.",
        subcommands: [ServeCommand.self, FoldCommand<Fold>.self, ReadyCommand.self],
        defaultSubcommand: ServeCommand.self)

    /// For ArgumentParser, which chooses among the subcommands.
    package init() {}

    // MARK: The server

    /// Accepts uploads until shutdown. Any number of replicas can share a database and the tag key; they share nothing else.
    package static func serve(_ runtime: ServiceRuntime) async throws {
        let settings = runtime.configuration
        try HourKeyFiles.refuse(in: settings, of: "submission-server fold")
        let tls = try TLSFiles(settings)
        let tagKey = try UploadTagKey(settings)
        let database = try ServiceDatabase.client(for: runtime)
        try await Schema.submission.check(database)
        let clock = try await DatabaseClock(of: runtime, in: database)
        let store = InboxStore(database)
        let inbox = Inbox(store: store, current: store.currentKey(by: clock), clock: runtime.clock)
        let verification = try ServiceClient(
            base: settings.url("verification.url"), tls: tls, name: "verification-server", logger: runtime.logger)
        let check = PeerCheck(
            verification, at: "verification.url",
            needing: [VerificationAPI.reservations.route, VerificationAPI.confirmations.route], logger: runtime.logger)
        let tans = UploadTANs(verification: verification)
        let rules = PayloadRules(origin: try await settings.agreed(on: .origin, in: database))
        func accept(_ form: UploadForm, _ operation: Endpoint<UploadRequest, UploadAccepted>) -> AcceptUpload {
            AcceptUpload(
                form: form, route: operation.route, rules: rules, tagKey: tagKey, tans: tans, inbox: inbox,
                clock: runtime.clock, databaseClock: clock, logger: runtime.logger)
        }

        let listener = try Listener("listen", from: settings, defaultPort: 8030, security: .mutualTLS(tls)) { routes in
            routes.on(SubmissionAPI.diagnosisKeys, use: accept(.diagnosisKeys, SubmissionAPI.diagnosisKeys).handle)
            routes.on(SubmissionAPI.onBehalf, use: accept(.onBehalf, SubmissionAPI.onBehalf).handle)
            routes.on(SubmissionAPI.venueReports, use: accept(.venueReports, SubmissionAPI.venueReports).handle)
        }
        try await runtime.run(
            listeners: [listener],
            services: [database, ClockWatch(clock, runtime), verification, check] + tans.services + [inbox],
            readiness: [ServiceDatabase.readiness(of: database), inbox.readiness], warnings: { check.warnings })
    }

    // MARK: The fold

    /// Folds at startup and after every hour until shutdown. Of several processes with one key directory, one folds.
    package static func fold(_ runtime: ServiceRuntime) async throws { try await Fold.serve(runtime) }

    /// Folds once.
    /// - Parameter instant: the hours that ended at or before it are folded.
    package static func fold(asOf instant: Date, _ runtime: ServiceRuntime) async throws {
        try await Fold.once(asOf: instant, runtime)
    }
}

/// `submission-server serve`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Accept uploads and seal them (the default).")

    @OptionGroup var options: ServiceOptions

    func run() async throws {
        try await SubmissionServer.serve(ServiceRuntime(name: "submission-server", options: options))
    }
}
