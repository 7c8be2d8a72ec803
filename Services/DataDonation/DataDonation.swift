package import ArgumentParser
import DonationAPI
import DonationFormat
package import FoundationEssentials
import HTTPContract
import HourKeys
package import Running
import Schema
import Serving
import TLS

/// The executable `data-donation`: passwords for surveys, logs and self-reports, and data for analysis, for genuine apps.
///
/// It runs as two processes. One admits apps and seals what they donate; the other folds it every hour. The first can't open what it
/// sealed; the second answers only operators and Prometheus.
package struct DataDonation: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "data-donation",
        abstract:
            "Admits genuine apps to surveys, error logs, self-reports and donations of data; `fold` folds donations every hour.",
        subcommands: [
            ServeCommand.self, FoldCommand<Fold>.self, ExportCommand.self, RawCommand.self, ReadyCommand.self,
        ],
        defaultSubcommand: ServeCommand.self)

    /// For ArgumentParser, which chooses among the subcommands.
    package init() {}

    /// Runs the service until shutdown.
    package static func serve(_ runtime: ServiceRuntime) async throws {
        let settings = runtime.configuration
        try HourKeyFiles.refuse(in: settings, of: "data-donation fold")
        let clock = runtime.clock
        let tls = try TLSFiles(settings)
        let hashes = try DonationHashes(settings)
        let attest = try IPhoneProofs.appAttest(settings, runtime.logger)
        let apple = try DeviceCheckClient(settings, clock: clock, runtime.logger)
        let keys = try AndroidProofs.keys(settings)
        let configured: [Proof?] = [
            attest.map { _ in .appAttest }, apple.map { _ in .deviceCheck }, keys.map { _ in .playIntegrity },
        ]
        let accepted = try Proof.accepted(settings, configured: Set(configured.compactMap { $0 }))
        let database = try ServiceDatabase.client(for: runtime)
        try await Schema.donation.check(database)
        let databaseClock = try await DatabaseClock(of: runtime, in: database)
        let (admissions, passwords) = (AdmissionStore(database), PasswordStore(database))
        let challenges = Challenges(hashes: hashes, clock: clock, databaseClock: databaseClock)
        let admit = AdmitApp(
            iPhone: AdmitIPhone(
                proofs: IPhoneProofs(appAttest: attest, deviceCheck: apple, accepted: accepted), hashes: hashes,
                challenges: challenges, store: admissions, tokens: MonthTokenStore(database),
                turn: ReportTurn(database),
                clock: clock),
            android: AdmitAndroid(
                proofs: try AndroidProofs(settings, keys: keys, accepted: accepted), hashes: hashes,
                clock: clock),
            databaseClock: databaseClock)
        func issue(
            _ purpose: Purpose, _ platform: AppClient.Platform, _ operation: Endpoint<DonationBody, ExpirationAnswer>
        ) -> IssuePassword {
            IssuePassword(
                purpose: purpose, platform: platform, bodyLimit: operation.route.bodyLimit, admit: admit,
                hashes: hashes, admissions: admissions, passwords: passwords, clock: clock)
        }
        let inbox = DonationInbox(DonationStore(database), databaseClock: databaseClock, clock: clock)
        func accept(
            _ platform: AppClient.Platform, _ operation: Endpoint<DonationBody, ExpirationAnswer>
        ) -> AcceptDonation {
            AcceptDonation(
                platform: platform, bodyLimit: operation.route.bodyLimit, admit: admit, hashes: hashes,
                admissions: admissions, inbox: inbox, clock: clock)
        }
        func redeem(_ purpose: Purpose) -> RedeemPassword {
            RedeemPassword(purpose: purpose, hashes: hashes, passwords: passwords, clock: clock)
        }

        let apps = try Listener("app", from: settings, defaultPort: 8110, security: .mutualTLS(tls)) { routes in
            routes.on(DonationAPI.challenge, use: challenges.handle)
            routes.on(DonationAPI.surveyOnIOS, use: issue(.survey, .iOS, DonationAPI.surveyOnIOS).handle)
            routes.on(DonationAPI.surveyOnAndroid, use: issue(.survey, .android, DonationAPI.surveyOnAndroid).handle)
            routes.on(DonationAPI.logOnIOS, use: issue(.log, .iOS, DonationAPI.logOnIOS).handle)
            routes.on(DonationAPI.logOnAndroid, use: issue(.log, .android, DonationAPI.logOnAndroid).handle)
            routes.on(DonationAPI.reportOnIOS, use: issue(.selfReport, .iOS, DonationAPI.reportOnIOS).handle)
            routes.on(
                DonationAPI.reportOnAndroid, use: issue(.selfReport, .android, DonationAPI.reportOnAndroid).handle)
            routes.on(DonationAPI.analyticsOnIOS, use: accept(.iOS, DonationAPI.analyticsOnIOS).handle)
            routes.on(DonationAPI.analyticsOnAndroid, use: accept(.android, DonationAPI.analyticsOnAndroid).handle)
        }
        // A separate listener: a caller that occupies all its connections doesn't affect apps.
        let redemption = try Listener(
            "redemption", from: settings, defaultPort: 8111, security: .mutualTLS(tls), limits: .door
        ) { routes in
            routes.on(DonationAPI.surveyRedemption, use: redeem(.survey).handle)
            routes.on(DonationAPI.logRedemption, use: redeem(.log).handle)
            routes.on(
                DonationAPI.reportRedemptions,
                use: RedeemReports(hashes: hashes, passwords: passwords, clock: clock).handle)
        }
        try await runtime.run(
            listeners: [apps, redemption],
            services: [
                database, ClockWatch(databaseClock, runtime),
                WrittenHours.donations(database, by: databaseClock).everyHour(in: runtime),
                Retention.everyHour(for: .donation, in: database, by: databaseClock, runtime),
            ] + (apple.map { [$0] } ?? []),
            readiness: [ServiceDatabase.readiness(of: database), inbox.readiness])
    }

    /// Folds at startup and after every hour until shutdown, and releases what is over. Of several processes with one key directory,
    /// one folds.
    package static func fold(_ runtime: ServiceRuntime) async throws { try await Fold.serve(runtime) }

    /// Folds once.
    /// - Parameter instant: the hours that ended at or before it are folded.
    package static func fold(asOf instant: Date, _ runtime: ServiceRuntime) async throws {
        try await Fold.once(asOf: instant, runtime)
    }
}

/// `data-donation serve`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Admit apps, and redeem their passwords (the default).")

    @OptionGroup var options: ServiceOptions

    func run() async throws {
        try await DataDonation.serve(ServiceRuntime(name: "data-donation", options: options))
    }
}
