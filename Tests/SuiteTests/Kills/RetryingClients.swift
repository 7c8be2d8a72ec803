import Calling
import Catalogue
import Credentials
import DevelopmentSuite
import Foundation
import HTTPTypes
import Running
import Synchronization
import TestResultAPI
import TestSupport
import Testing
import VerificationAPI
import Vigil

/// A laboratory, phones, a portal and submission servers that retry every call until it is answered, and the history of their
/// calls.
struct RetryingClients: Sendable {
    let history = History(clock: .system)
    private let lab: ServiceClient
    private let results: ServiceClient
    private let apps: ServiceClient
    private let submission: ServiceClient
    private let portal: ServiceClient
    private let officerToken: String
    private let cipher: TANCipher
    private let finished = Finished()

    /// A call wasn't answered in time.
    struct Unanswered: Error {
        let action: History.Action
    }

    /// What is known of a finished journey.
    private struct Journey {
        let guid: HashedGUID
        let proof: Proof
        let key: IdempotencyKey
        let tan: TAN
        let tag: Digest
    }

    private struct Proof {
        let name: String
        let value: RegistrationTokenRequest.Proof
    }

    private final class Finished: Sendable {
        let journeys = Mutex<[Journey]>([])
        let isOver = Mutex(false)
    }

    private static let hour: TimeInterval = 3600

    private init(_ suite: KillableSuite) async throws {
        func client(
            _ holder: String, _ service: Catalogue.Service, _ listener: Catalogue.ListenerName
        ) throws -> ServiceClient {
            try ServiceClient(
                base: suite.url(of: service, listener), tls: suite.certificate(holder), name: holder,
                deadline: .seconds(4))
        }
        lab = try client("lab", .testResultServer, .laboratories)
        results = try client("verification-server", .testResultServer, .internal)
        apps = try client("metadata-proxy", .verificationServer, .app)
        submission = try client("submission-server", .verificationServer, .internal)
        portal = try client("portal", .verificationServer, .portal)
        let key = try Settings(["tanKey": suite.folder.secret(SuiteSecrets.tanKey)]).secretFile("tanKey")
        cipher = TANCipher(try #require(HashKey(bytes: key)))
        officerToken = try OfficerIssuer(in: suite.folder, issuer: suite.issuer).token(
            role: .test, at: Date().addingTimeInterval(-1), lifetime: 24 * Self.hour)
    }

    /// Runs callers, each one journey after another, while `body` runs.
    ///
    /// Then lets them finish, and repeats every acknowledged call.
    /// - Parameter afterwards: is called then, before the connections are closed.
    static func run(
        _ count: Int, on suite: KillableSuite, _ body: (RetryingClients) async throws -> Void,
        afterwards: (RetryingClients) async throws -> Void = { _ in }
    ) async throws -> RetryingClients {
        let callers = try await RetryingClients(suite)
        let result: Result<Void, any Error>
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for caller in 0..<count {
                    group.addTask {
                        var number = 0
                        while !callers.finished.isOver.withLock({ $0 }) {
                            try await callers.journey("\(caller)-\(number)", byTelephone: number % 5 == 4)
                            number += 1
                        }
                    }
                }
                try await body(callers)
                callers.finished.isOver.withLock { $0 = true }
                try await group.waitForAll()
            }
            try await callers.askAgain()
            result = .success(try await afterwards(callers))
        } catch {
            result = .failure(error)
        }
        for client in [callers.lab, callers.results, callers.apps, callers.submission, callers.portal] {
            await client.close()
        }
        try result.get()
        return callers
    }

    /// The promises that the services broke.
    var violations: Set<HistoryChecker.Violation> {
        // If the test runs into the next hour, an upload's TAN changes, but its nonce stays the same.
        let today = Int32(Date().timeIntervalSince1970 / 86_400)
        return HistoryChecker(
            history.calls, tansPerRegistration: 2,
            upload: { text in
                TAN(text).flatMap { cipher.open($0, days: today - 1...today + 1) }?.nonceBytes.hex ?? text
            }
        ).violations
    }

    /// How many calls got no answer.
    var unanswered: Int { history.calls.count { $0.outcome == .unknown } }

    /// How many tests got as far as an upload.
    var journeys: Int { finished.journeys.withLock { $0.count } }

    // MARK: One test's journey

    /// Goes from the laboratory to the confirmed upload, with a rival at both steps that only one caller may win.
    ///
    /// The journey ends where everyone is refused; the checker decides whether that was right.
    private func journey(_ name: String, byTelephone: Bool) async throws {
        let guid = HashedGUID(hashing: name)
        try await post(guid, version: 1)
        try await post(guid, version: 2)
        try await read(guid)
        let proof: Proof
        if byTelephone, let code = try await teleTAN() {
            proof = Proof(name: code.text, value: .teleTAN(code))
        } else {
            proof = Proof(name: guid.text, value: .guid(guid))
        }
        let keys = (IdempotencyKey.fresh, IdempotencyKey.fresh)
        async let one = register(proof, keys.0)
        async let other = register(proof, keys.1)
        let (token, rival) = (try await one, try await other)
        guard let winner = token ?? rival, let tan = try await takeTAN(winner) else { return }
        let tags = (Digest(sha256: "\(name) one".utf8), Digest(sha256: "\(name) other".utf8))
        async let first = reserve(tan, tags.0)
        async let second = reserve(tan, tags.1)
        let (isFirst, isSecond) = (try await first, try await second)
        guard isFirst || isSecond else { return }
        // A repeat before the upload is stored gets the same TAN, or a longer-lived one that replaces it.
        guard try await takeTAN(winner) != nil else { return }
        let tag = isFirst ? tags.0 : tags.1
        guard try await confirm(tan, tag) else { return }
        _ = try await takeTAN(winner)
        let journey = Journey(guid: guid, proof: proof, key: token == nil ? keys.1 : keys.0, tan: tan, tag: tag)
        finished.journeys.withLock { $0.append(journey) }
    }

    /// Checks that everything acknowledged is still acknowledged.
    func askAgain() async throws {
        for journey in finished.journeys.withLock({ $0 }) {
            try await read(journey.guid)
            _ = try await register(journey.proof, journey.key)
            _ = try await reserve(journey.tan, journey.tag)
            _ = try await confirm(journey.tan, journey.tag)
        }
    }

    // MARK: Calls

    private func post(_ guid: HashedGUID, version: Int) async throws {
        let result = LabResults.Result(
            id: ResultID(guid), result: .pcrPositive, sampleCollected: Int32(clamping: version))
        _ = try await answered(.postResult(id: guid.text, version: version), refusal: .badRequest) {
            _ = try await lab.call(TestResultAPI.labResults, LabResults(testResults: [result], labID: nil))
            return ""
        }
    }

    private func read(_ guid: HashedGUID) async throws {
        _ = try await answered(.readResult(id: guid.text), refusal: .badRequest) {
            let answer = try await results.call(TestResultAPI.appResult, ResultQuery(ResultID(guid)))
            return answer.sampleCollected.map { "\($0)" } ?? ""
        }
    }

    /// A teleTAN; nil once the officer's hourly limit is reached.
    private func teleTAN() async throws -> TeleTAN? {
        let deadline = ContinuousClock.now + KillPlan.patience
        while true {
            switch await askForTeleTAN() {
            case .success(let code): return code
            case .failure(.refused(.tooManyRequests)): return nil
            case .failure(let error):
                guard error == .unavailable, ContinuousClock.now < deadline else { throw error }
                try await pause()
            }
        }
    }

    private func askForTeleTAN() async -> Result<TeleTAN, CallError> {
        do {
            return .success(
                try await portal.call(
                    VerificationAPI.teleTAN, TeleTANRequest(officerToken: officerToken, kind: .test)
                ).value)
        } catch {
            return .failure(error)
        }
    }

    private func register(_ proof: Proof, _ key: IdempotencyKey) async throws -> RegistrationToken? {
        try await answered(.register(proof: proof.name, key: key.text), refusal: .badRequest) {
            try await apps.call(
                VerificationAPI.registrationToken, RegistrationTokenRequest(proof.value, idempotencyKey: key)
            ).registrationToken.text
        }.flatMap { RegistrationToken($0) }
    }

    private func takeTAN(_ token: RegistrationToken) async throws -> TAN? {
        try await answered(.takeTAN(token: token.text), refusal: .badRequest) {
            try await apps.call(VerificationAPI.tan, RegisteredTestRequest(token)).tan.text
        }.flatMap { TAN($0) }
    }

    private func reserve(_ tan: TAN, _ tag: Digest) async throws -> Bool {
        try await granted(.reserve(tan: tan.text, tag: tag.hex)) {
            try await submission.call(
                VerificationAPI.reservations,
                TANReservations([TANReservation(tan: tan, tag: tag, purpose: .diagnosisKeys)]))
        }
    }

    private func confirm(_ tan: TAN, _ tag: Digest) async throws -> Bool {
        try await granted(.confirm(tan: tan.text, tag: tag.hex)) {
            try await submission.call(
                VerificationAPI.confirmations, TANConfirmations([TANConfirmation(tan: tan, tag: tag)]))
        }
    }

    // MARK: Retrying

    private func granted(_ action: History.Action, _ call: () async throws -> TANOutcomes) async throws -> Bool {
        try await known(action) { try await call().outcomes == [.granted] ? .ok() : .fail } != .fail
    }

    /// The answer; nil if the call was refused.
    private func answered(
        _ action: History.Action, refusal: HTTPResponse.Status, _ call: () async throws -> String
    ) async throws -> String? {
        let outcome = try await known(action) {
            do {
                return .ok(try await call())
            } catch CallError.refused(refusal) {
                return .fail
            }
        }
        guard case .ok(let text) = outcome else { return nil }
        return text
    }

    /// Retries until the outcome is known.
    private func known(
        _ action: History.Action, _ call: () async throws -> History.Outcome
    ) async throws -> History.Outcome {
        let deadline = ContinuousClock.now + KillPlan.patience
        while true {
            let outcome = try await history.record(action) {
                do {
                    return try await call()
                } catch CallError.unavailable {
                    return .unknown
                }
            }
            if outcome != .unknown { return outcome }
            guard ContinuousClock.now < deadline else { throw Unanswered(action: action) }
            try await pause()
        }
    }

    private func pause() async throws {
        try await Task.sleep(for: .milliseconds(.random(in: 5...60)))
    }
}
