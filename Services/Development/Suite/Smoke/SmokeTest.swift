import Calling
import Catalogue
import Credentials
import ExposureKeys
import Foundation
import HTTPTypes
import Phone
import Running
import TestResultAPI
import VerificationAPI
import Vigil

/// Uses each door of a running suite once, by the real clock: a laboratory, two phones, an officer, and an app that downloads.
///
/// It may run in production, so it leaves as little as it can: one positive result, one code if the provider is simulated, and two keys
/// that nobody can have met, of a level that isn't published (``SmokeKey``).
struct SmokeTest: Sendable {
    let callers: SmokeCallers
    let country: String
    /// A code that an officer made at the portal; nil to have one made, which is possible at the simulated provider.
    let code: TeleTAN?
    /// Receives a line at a time.
    let say: @Sendable (String) -> Void

    /// What a smoke test found out.
    struct Outcome {
        /// How many steps were left out.
        var skipped = 0
        /// The name of the simulated identity provider, if officers sign in there.
        var simulatedProvider: String?
    }

    /// Takes all steps.
    /// - Throws: `CommandFailure` with what happened at the first step that failed, and what to do.
    func run() async throws -> Outcome {
        var outcome = Outcome()
        let test = HashedGUID(hashing: UUID().uuidString)
        let doors = callers.doors
        try await step(doors.laboratories, .testResultServer) { try await post(test) }
        let token = try await step(doors.apps, .verificationServer) { try await register(.guid(test)) }
        try await step(doors.apps, .testResultServer) { try await poll(token) }
        try await warn(token)
        let provider = try await step(doors.portal, .healthPortal) { try await findProvider() }
        outcome.simulatedProvider = Self.isSimulated(provider) ? provider.host() : nil
        if let code = try await officersCode(provider) {
            let token = try await step(doors.apps, .verificationServer) { try await register(.teleTAN(code)) }
            try await warn(token)
        } else {
            outcome.skipped = 1
            say(
                "skipped  An officer's code. Have an officer make one at \(doors.portal.url) and pass it: --code XXXXXXXXXX."
            )
        }
        for system in ["ios", "android"] {
            try await step(doors.downloads, .distribution) { try await configuration(for: system) }
        }
        try await step(doors.downloads, .distribution) { try await newestPackage() }
        return outcome
    }

    // MARK: Steps

    private func post(_ test: HashedGUID) async throws -> String {
        try requireCurrentCertificate()
        let results = LabResults(
            testResults: [LabResults.Result(id: ResultID(test), result: .pcrPositive, sampleCollected: nil)],
            labID: Self.name)
        do {
            _ = try await callers.laboratory.call(TestResultAPI.labResults, results)
        } catch {
            guard error == .refused(.tooManyRequests) else { throw error }
            throw CommandFailure(
                "The laboratory has used up this hour's positive results. Try again in the next hour, or name another one by --lab."
            )
        }
        return "A laboratory posted a positive result at \(callers.doors.laboratories.url) (204)."
    }

    /// Servers close the connection of a caller whose certificate has expired, and say no more.
    private func requireCurrentCertificate() throws {
        guard let expiry = callers.laboratory.watchedTLS?.expiry else { return }
        let end = Date(timeIntervalSince1970: TimeInterval(expiry))
        guard end <= Date() else { return }
        throw CommandFailure(
            "The laboratory's certificate expired at \(end.formatted(.iso8601)). Renew it: bash deploy/secrets.sh.")
    }

    private func register(_ proof: RegistrationTokenRequest.Proof) async throws -> Seen<RegistrationToken> {
        guard case .teleTAN = proof else {
            return Seen(
                try await callers.app.register(proof), "A phone registered the test at \(callers.doors.apps.url) (201)."
            )
        }
        do {
            return Seen(
                try await callers.app.register(proof), "Another phone registered with the officer's code (201).")
        } catch CallError.refused(.badRequest) {
            throw CommandFailure(
                "The officer's code was refused (400): it is used, unknown or an hour old. Have another one made.")
        }
    }

    private func poll(_ token: RegistrationToken) async throws -> String {
        let result = try await callers.app.testResult(token)
        guard result == .pcrPositive else {
            throw Unmet("The phone was told another result (\(result.rawValue)) than the laboratory posted")
        }
        return "It asked for the result: positive (200)."
    }

    /// A phone gets a TAN and uploads.
    private func warn(_ token: RegistrationToken) async throws {
        let tan = try await step(callers.doors.apps, .verificationServer) {
            Seen(try await callers.app.tan(token), "It got a TAN (201).")
        }
        try await step(callers.doors.apps, .submissionServer) {
            do {
                try await callers.app.upload([try SmokeKey.fresh(at: Date())], tan: tan)
            } catch CallError.refused(.badRequest) {
                throw Unmet(
                    "The upload was refused (400), which it is if it names another country than VIGIL_ORIGIN: it named \(country) (--country)"
                )
            }
            return "It uploaded a key with the TAN (200)."
        }
    }

    private func findProvider() async throws -> Seen<URL> {
        let found: URL?
        do {
            found = try await callers.officer.provider()
        } catch CallError.refused(let status) {
            // The portal shows officers a page. The provider takes requests for sign-in from the portal itself.
            throw CommandFailure(
                "\(callers.doors.portal.url)/login answered \(status.code): the identity provider didn't answer, or doesn't accept the "
                    + "portal. The portal's log has the reason: deploy/runbook.md, \"Reasons of the identity provider\"."
            )
        }
        guard let provider = found, let host = provider.host() else {
            throw CommandFailure(
                "\(callers.doors.portal.url) answers, but sends officers nowhere to sign in. It does so under its own addresses "
                    + "only: name one of VIGIL_PORTAL_ORIGINS by --portal.")
        }
        let port = provider.port.map { ":\($0)" } ?? ""
        let kind = Self.isSimulated(provider) ? ", which is simulated" : ""
        return Seen(
            provider,
            "The portal \(callers.doors.portal.url) sends officers to https://\(host)\(port) to sign in\(kind)."
        )
    }

    private func officersCode(_ provider: URL) async throws -> TeleTAN? {
        if let code { return code }
        guard Self.isSimulated(provider) else { return nil }
        return try await step(callers.doors.portal, .healthPortal) {
            do {
                return Seen(
                    try await callers.officer.makeCode(),
                    "An officer signed in there, made a code for a test and signed out."
                )
            } catch let silence as Browser.Silence where silence.origin != callers.doors.portal.url {
                throw CommandFailure(
                    "\(silence.description) Its name must lead to this machine: put the line \"127.0.0.1 "
                        + "\(provider.host() ?? "")\" into /etc/hosts.")
            }
        }
    }

    /// An app's configuration. A suite that has just started publishes it within seconds.
    private func configuration(for system: String) async throws -> String {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            do {
                let message = try await callers.packages.configuration(for: system)
                return
                    "The configuration for \(system) was downloaded (\(message.count) bytes); its signature is right."
            } catch PackageClient.Failure.missing {
                guard ContinuousClock.now < deadline else {
                    throw Unmet("\(callers.doors.downloads.url) has no configuration for \(system)")
                }
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    private func newestPackage() async throws -> String {
        let now = Date()
        let countries: [String]
        do {
            countries = try await callers.packages.countries()
        } catch PackageClient.Failure.missing {
            throw Unmet("\(callers.doors.downloads.url) has no index of diagnosis keys")
        }
        guard countries.contains(country) else {
            throw CommandFailure(
                "The index names \(countries.joined(separator: ", ")), and not \(country), where apps look: VIGIL_REGIONS must name "
                    + "it if it is set.")
        }
        let published = try await PublishedHours(of: callers.packages, today: Day(containing: now))
        guard let newest = published.names.last, let hour = published.last else {
            return
                "The index names \(country). No package yet: a new suite publishes the first within two hours of its start."
        }
        let keys = try await callers.packages.keys(of: newest.day, hour: newest.hour)
        let minutes = Int(now.timeIntervalSince(hour.end) / 60)
        let isLate = minutes > Self.lateMinutes
        return
            "The newest package of \(country) is that of \(newest.day), hour \(newest.hour), which ended \(minutes) minutes "
            + "ago: \(keys.count) keys; its signature is right."
            + (isLate
                ? " Later hours are missing: unless the suite has just started, see NothingNewPublished in the runbook."
                : "")
    }

    // MARK: Helpers

    /// What results are stored under, beside the laboratory's name.
    static let name = "smoke-test"

    /// An hour is folded and published a few minutes after its end. Until then the one before is the newest.
    private static let lateMinutes = 120

    private static let patience = Duration.seconds(30)

    /// `vigil-dev up` runs the simulated provider on this machine.
    private static func isSimulated(_ provider: URL) -> Bool {
        [Catalogue.Service.developmentIdentity.name, "localhost", "127.0.0.1"].contains(provider.host() ?? "")
    }

    /// What came of a step, and what to say of it.
    private struct Seen<Value: Sendable>: Sendable {
        let value: Value
        let sentence: String

        init(_ value: Value, _ sentence: String) {
            self.value = value
            self.sentence = sentence
        }
    }

    /// A step of which nothing is needed afterwards.
    private func step(
        _ door: Door, _ service: Catalogue.Service, _ body: () async throws -> String
    ) async throws {
        _ = try await step(door, service) { Seen(true, try await body()) }
    }

    /// Takes a step and says what was seen, or explains what went wrong.
    /// - Parameter service: whom the step needs behind the door.
    private func step<Result: Sendable>(
        _ door: Door, _ service: Catalogue.Service, _ body: () async throws -> Seen<Result>
    ) async throws -> Result {
        let start = ContinuousClock.now
        do {
            let seen = try await body()
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            say("\(String(format: "%5.2f s", seconds))  \(seen.sentence)")
            return seen.value
        } catch {
            throw CommandFailure(await door.explain(error, of: service))
        }
    }
}
