package import ArgumentParser
import Calling
import Credentials
package import Running
import Schema
import Serving
import TLS
import TestResultAPI
import VerificationAPI

/// The executable `verification-server`: registration tokens, results, TANs and teleTANs.
package struct VerificationServer: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "verification-server",
        abstract: "Gives phones registration tokens, results and TANs, and health officers teleTANs.",
        subcommands: [ReadyCommand.self])

    /// What the command line says: the path of the configuration file.
    @OptionGroup package var options: ServiceOptions

    /// For ArgumentParser, which fills in the options afterwards.
    package init() {}

    package func run() async throws {
        try await Self.serve(ServiceRuntime(name: "verification-server", options: options))
    }

    /// Runs the service until it is told to stop.
    package static func serve(_ runtime: ServiceRuntime) async throws {
        let settings = runtime.configuration
        let clock = runtime.clock
        let tls = try TLSFiles(settings)
        let keys = try VerificationKeys(settings)
        let officers = try await OfficerAuthentication(runtime)
        let limits = TeleTANLimits(
            perHour: try settings.int("teleTAN.hourlyLimit", default: 1000, in: 1...1_000_000),
            perOfficer: try settings.int("teleTAN.officerHourlyLimit", default: 60, in: 1...1_000_000))
        let guessBudget = try settings.int("teleTAN.refusalBudget", default: 10_000, in: 1...1_000_000)
        let tans = try IssuedTANs(settings)
        let database = try ServiceDatabase.client(for: runtime)
        try await Schema.verification.check(database)
        let databaseClock = try await DatabaseClock(of: runtime, in: database)
        let store = VerificationStore(database)
        let results = try ServiceClient(
            base: settings.url("testResults.url"), tls: tls, name: "test-result-server")
        let uses = TANStore(database)
        let lookUp = ResultLookUp(store: store, tans: uses, results: results)
        let guesses = GuessLimit(budget: guessBudget, runtime: runtime)
        let registrations = Registrations(store: store, guesses: guesses, clock: clock)

        let apps = try Listener("app", from: settings, defaultPort: 8010, security: .mutualTLS(tls)) { routes in
            routes.on(
                VerificationAPI.registrationToken,
                use: RegisterTest(registrations: registrations, keys: keys, guesses: guesses, clock: clock).handle)
            routes.on(
                VerificationAPI.testResult, use: AnswerTestResult(lookUp: lookUp, clock: clock).handle)
            routes.on(VerificationAPI.tan, use: IssueTAN(lookUp: lookUp, tans: tans, clock: clock).handle)
        }
        // A door of its own: whoever holds all its connections keeps no upload from its TAN.
        let portal = try Listener(
            "portal", from: settings, defaultPort: 8011, security: .mutualTLS(tls), limits: .door
        ) { routes in
            routes.on(
                VerificationAPI.certificateResult,
                use: AnswerCertificateResult(lookUp: lookUp, clock: clock).handle)
            routes.on(
                VerificationAPI.teleTAN,
                use: IssueTeleTAN(store: store, keys: keys, officers: officers, limits: limits, clock: clock).handle)
        }
        let suite = try Listener("internal", from: settings, defaultPort: 8012, security: .mutualTLS(tls)) { routes in
            routes.on(VerificationAPI.reservations, use: ReserveTANs(store: uses, tans: tans, clock: clock).handle)
            routes.on(VerificationAPI.confirmations, use: ConfirmTANs(store: uses, tans: tans, clock: clock).handle)
            routes.on(
                VerificationAPI.tanVerification,
                use: VerifyTAN(store: uses, tans: tans, keys: keys, clock: clock).handle)
        }
        try await runtime.run(
            listeners: [apps, suite, portal],
            services: [
                database, ClockWatch(databaseClock, runtime), results, lookUp, registrations,
                officers.refreshing(in: runtime),
                // What is counted by the hour goes soon after it.
                Retention.every(300, for: .verification, in: database, by: databaseClock, runtime),
            ],
            readiness: [ServiceDatabase.readiness(of: database)])
    }
}

/// The server's keyed hashes. Replicas share the keys.
struct VerificationKeys: Sendable {
    private let tan: HashKey
    private let teleTAN: HashKey

    /// From the files that `secrets.tanKey` and `secrets.teleTANKey` name, 64 hexadecimal digits each.
    init(_ settings: Settings) throws {
        tan = try HashKey(settings: settings, key: "secrets.tanKey")
        teleTAN = try HashKey(settings: settings, key: "secrets.teleTANKey")
    }

    /// The token for a registration: with an idempotency key the same for the same key and proof, without one a random
    /// one.
    func registrationToken(for request: RegistrationTokenRequest) -> RegistrationToken {
        guard let key = request.idempotencyKey else {
            var randomness = SystemRandomNumberGenerator()
            return RegistrationToken(RandomIdentifier(using: &randomness))
        }
        let (kind, text) =
            switch request.proof {
            case .guid(let guid, _): ("GUID", guid.text)
            case .teleTAN(let code): ("TELETAN", code.text)
            }
        return RegistrationToken(
            RandomIdentifier(
                tan.digest(for: "registration token", Array(key.text.utf8), Array(kind.utf8), Array(text.utf8))))
    }

    /// The tag under which ``VerifyTAN`` uses up a TAN: with an idempotency key the same for a repeat.
    func tag(of request: TANVerification) -> Digest {
        let key =
            request.idempotencyKey.map { Array($0.text.utf8) }
            ?? {
                var randomness = SystemRandomNumberGenerator()
                return RandomIdentifier(using: &randomness).bytes
            }()
        return tan.digest(for: "verified at once", key, request.tan.identifier.bytes)
    }

    /// Under what an officer's teleTANs of an hour are counted.
    func digest(of officer: Officer, hour: Int32) -> Digest {
        teleTAN.digest(for: "officer", Array(officer.subject.utf8), Array("\(hour)".utf8))
    }

    /// What is stored of a teleTAN. It is short enough to be guessed, so its hash is keyed.
    func digest(of code: TeleTAN) -> Digest {
        teleTAN.digest(for: "teleTAN", Array(code.text.utf8))
    }
}

extension HashKey {
    /// The key in the file that a configuration key names.
    init(settings: Settings, key: String) throws {
        guard let hashKey = HashKey(bytes: try settings.secretFile(key)) else {
            throw ConfigurationProblem("\(key) must name a file of 64 hexadecimal digits (32 bytes).")
        }
        self = hashKey
    }
}
