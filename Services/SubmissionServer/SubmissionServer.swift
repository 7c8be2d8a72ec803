package import ArgumentParser
import Calling
import Credentials
import ExposureKeys
package import FoundationEssentials
import HTTPContract
import Logging
import Postgres
package import Running
import Schema
import Serving
import SubmissionAPI
import TLS
import VerificationAPI

/// The executable `submission-server`: takes uploads, seals them, and folds them every hour.
package struct SubmissionServer: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "submission-server",
        abstract: "Takes diagnosis keys, each upload authorised by one TAN; seals them, and folds them every hour.",
        subcommands: [ServeCommand.self, FoldCommand.self, ReadyCommand.self],
        defaultSubcommand: ServeCommand.self)

    /// For ArgumentParser, which chooses among the subcommands.
    package init() {}

    /// Runs the service until it is told to stop.
    package static func serve(_ runtime: ServiceRuntime) async throws {
        let settings = runtime.configuration
        let tls = try TLSFiles(settings)
        let tagKey = try UploadTagKey(settings)
        let database = try ServiceDatabase.client(for: runtime)
        try await Schema.submission.check(database)
        let clock = try await DatabaseClock(of: runtime, in: database)
        let store = SubmissionStore(database)
        let hourKeys = HourKeys(store: store, files: try HourKeyFiles(settings), clock: clock)
        let verification = try ServiceClient(
            base: settings.url("verification.url"), tls: tls, name: "verification-server")
        let inbox = Inbox(store: store, hourKeys: hourKeys, clock: runtime.clock)
        let tans = UploadTANs(verification: verification)
        let rules = PayloadRules(origin: settings.string("origin", default: "DE"))
        func accept(_ purpose: UploadPurpose, _ operation: Endpoint<UploadRequest, UploadAccepted>) -> AcceptUpload {
            AcceptUpload(
                purpose: purpose, route: operation.route, rules: rules, tagKey: tagKey, tans: tans, inbox: inbox,
                clock: runtime.clock, databaseClock: clock, logger: runtime.logger)
        }

        let listener = try Listener("listen", from: settings, defaultPort: 8030, security: .mutualTLS(tls)) { routes in
            routes.on(SubmissionAPI.diagnosisKeys, use: accept(.diagnosisKeys, SubmissionAPI.diagnosisKeys).handle)
            routes.on(SubmissionAPI.onBehalf, use: accept(.onBehalf, SubmissionAPI.onBehalf).handle)
        }
        let fold = try Fold(store: store, hourKeys: hourKeys, runtime: runtime)
        try await runtime.run(
            listeners: [listener],
            services: [
                database, ClockWatch(clock, runtime), verification, tans, inbox, fold.everyHour(in: runtime),
                Retention.everyHour(for: .submission, in: database, by: clock, runtime),
            ],
            readiness: [ServiceDatabase.readiness(of: database)])
    }

    /// Folds once.
    /// - Parameter instant: hours that ended at or before it are folded.
    package static func fold(asOf instant: Date, _ runtime: ServiceRuntime) async throws {
        let settings = runtime.configuration
        let database = try ServiceDatabase.client(for: runtime)
        do {
            try await Schema.submission.check(database)
            let clock = try await DatabaseClock(of: runtime, in: database)
            let store = SubmissionStore(database)
            let hourKeys = HourKeys(store: store, files: try HourKeyFiles(settings), clock: clock)
            let report = try await Fold(store: store, hourKeys: hourKeys, runtime: runtime).run(asOf: instant)
            runtime.logger.notice("Folded", metadata: report.metadata)
            await database.close()
        } catch {
            await database.close()
            throw error
        }
    }
}

/// `submission-server serve`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Take uploads and fold them every hour (the default).")

    @OptionGroup var options: ServiceOptions

    func run() async throws {
        try await SubmissionServer.serve(ServiceRuntime(name: "submission-server", options: options))
    }
}

/// `submission-server fold --as-of INSTANT`.
struct FoldCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fold", abstract: "Fold the hours that ended at or before an instant, once.",
        discussion: "The running server does this by itself; use it after an outage, or in a rehearsal.")

    @OptionGroup var options: ServiceOptions

    @Option(name: .customLong("as-of"), help: "An ISO 8601 instant, such as 2026-11-21T14:00:00Z.")
    var asOf: Instant

    func run() async throws {
        try await SubmissionServer.fold(
            asOf: asOf.date, ServiceRuntime(name: "submission-server", options: options))
    }
}
