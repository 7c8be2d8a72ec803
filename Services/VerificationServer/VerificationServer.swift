package import ArgumentParser
import Calling
import Credentials
import DonationAPI
import HTTPContract
package import Running
import Schema
import ServiceLifecycle
import Serving
import TLS
import TestResultAPI
import VerificationAPI

/// The executable `verification-server`: registration tokens, results, TANs and teleTANs.
package struct VerificationServer: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "verification-server",
        abstract: "Issues registration tokens, results and TANs to phones, and teleTANs to health officers.",
        subcommands: [ReadyCommand.self])

    /// The options of the command line: the path of the configuration file.
    @OptionGroup package var options: ServiceOptions

    /// For ArgumentParser, which sets the options afterwards.
    package init() {}

    package func run() async throws {
        try await Self.serve(ServiceRuntime(name: "verification-server", options: options))
    }

    /// Runs the service until shutdown.
    package static func serve(_ runtime: ServiceRuntime) async throws {
        let settings = runtime.configuration
        let clock = runtime.clock
        let tls = try TLSFiles(settings)
        let tokens = try RegistrationTokens(settings)
        let teleTANs = try TeleTANHashes(settings)
        try settings.refuseSimulator("officers.issuer")
        let officers = try await OfficerAuthentication(runtime)
        let limits = TeleTANLimits(
            perHour: try settings.int("teleTAN.hourlyLimit", default: 1000, in: 1...1_000_000),
            perOfficer: try settings.int("teleTAN.officerHourlyLimit", default: 60, in: 1...1_000_000))
        let guessBudget = try settings.int("teleTAN.refusalBudget", default: 25_000, in: 1...1_000_000)
        let tans = try IssuedTANs(settings)
        let database = try ServiceDatabase.client(for: runtime)
        try await Schema.verification.check(database)
        let databaseClock = try await DatabaseClock(of: runtime, in: database)
        let calendar = try await LocalCalendar(settings, in: database)
        let figures = FigureRelease(calendar, in: database, by: databaseClock)
        let store = RegistrationStore(database)
        let results = try ServiceClient(
            base: settings.url("testResults.url"), tls: tls, name: "test-result-server", logger: runtime.logger)
        // An upload waits for at most two batches, also one with a TAN: by default half of what phones wait for an answer.
        let patience = try settings.int("donation.milliseconds", default: 500, in: 10...60_000)
        let donation =
            settings.optionalString("donation.url") == nil
            ? nil
            : try ServiceClient(
                base: settings.url("donation.url"), tls: tls, name: "data-donation", deadline: .milliseconds(patience),
                logger: runtime.logger)
        var checks = [
            PeerCheck(
                results, at: "testResults.url", needing: [TestResultAPI.appResults.route], logger: runtime.logger)
        ]
        if let donation {
            checks.append(
                PeerCheck(
                    donation, at: "donation.url", needing: [DonationAPI.reportRedemptions.route], logger: runtime.logger
                ))
        }
        let passwords = ReportPasswords(donation: donation, tans: tans)
        let uses = TANStore(database)
        let lookUp = ResultLookUp(store: store, tans: uses, results: results)
        let guesses = GuessLimit(budget: guessBudget, runtime: runtime)
        let registrations = Registrations(store: store, guesses: guesses, clock: clock)

        let apps = try Listener("app", from: settings, defaultPort: 8010, security: .mutualTLS(tls)) { routes in
            routes.on(
                VerificationAPI.registrationToken,
                use: RegisterTest(
                    registrations: registrations, tokens: tokens, teleTANs: teleTANs, guesses: guesses, clock: clock
                ).handle)
            routes.on(
                VerificationAPI.testResult, use: GetTestResult(lookUp: lookUp, clock: clock).handle)
            routes.on(VerificationAPI.tan, use: IssueTAN(lookUp: lookUp, tans: tans, clock: clock).handle)
        }
        // A separate listener: a caller that occupies all its connections doesn't affect phones or uploads.
        let portal = try Listener(
            "portal", from: settings, defaultPort: 8011, security: .mutualTLS(tls), limits: .door
        ) { routes in
            routes.on(
                VerificationAPI.certificateResult,
                use: GetCertificateResult(lookUp: lookUp, clock: clock).handle)
            routes.on(VerificationAPI.teleTANState) { _, _ in
                TeleTANState(areAccepted: !guesses.isClosed(at: clock.now))
            }
            routes.on(
                VerificationAPI.teleTAN,
                use: IssueTeleTAN(
                    store: TeleTANStore(database), hashes: teleTANs, officers: officers, limits: limits, clock: clock
                ).handle)
        }
        let suite = try Listener("internal", from: settings, defaultPort: 8012, security: .mutualTLS(tls)) { routes in
            routes.on(
                VerificationAPI.reservations,
                use: ReserveTANs(store: uses, tans: tans, passwords: passwords, clock: clock).handle)
            routes.on(VerificationAPI.confirmations, use: ConfirmTANs(store: uses, tans: tans, clock: clock).handle)
            routes.on(
                VerificationAPI.tanVerification,
                use: VerifyTAN(store: uses, tans: tans, clock: clock).handle)
        }
        try await runtime.run(
            listeners: [apps, suite, portal],
            services: (donation.map { [$0] } ?? []) + [
                database, ClockWatch(databaseClock, runtime), results,
            ] + (checks as [any Service]) + lookUp.services + [
                registrations, officers.refreshing(in: runtime),
                // Hourly counts are deleted soon after their hour.
                Retention.every(300, for: .verification, in: database, by: databaseClock, calendar: calendar, runtime),
                figures.everyHour(
                    [
                        .codesByDay, .testCodesByWeek, .eventCodesByWeek, .wrongEntries, .testsRegistered,
                        // A phone may report itself once in 90 days.
                        .warningsSent(uploads: tans.perRegistration + (donation == nil ? 0 : 1)),
                    ], in: runtime),
            ],
            readiness: [ServiceDatabase.readiness(of: database)],
            warnings: { [checks] in checks.flatMap(\.warnings) })
    }
}
