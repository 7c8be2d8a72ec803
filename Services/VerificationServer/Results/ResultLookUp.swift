import Calling
import Credentials
import FoundationEssentials
import HTTPContract
import ServiceLifecycle
import TestResultAPI
import VerificationAPI

/// Looks up the session of a registration token and the result of its test.
///
/// The server stores no result: it asks the test result server each time.
///
/// Requests of many phones are batched, to the database and to the test result server, which therefore learns less about when
/// somebody asked.
///
/// What refuses a phone is looked up again, confirmed: in a failover, a database that lost its lead without knowing misses what
/// its successor acknowledged, and a phone believes a refusal. Dummy requests aren't refused, and apps that work hardly ever are.
struct ResultLookUp: Sendable {
    private let sessions: Batcher<Digest, VerificationSession?>
    private let confirmedSessions: Batcher<Digest, VerificationSession?>
    /// The one or two ids of a test are one entry, so that both make one call.
    private let results: Batcher<[ResultID], [ResultAnswer]>
    private let confirmedResults: Batcher<[ResultID], [ResultAnswer]>
    private let uses: Batcher<[Digest], [Bool]>

    init(store: RegistrationStore, tans: TANStore, results server: ServiceClient) {
        func results(confirmed: Bool?) -> Batcher<[ResultID], [ResultAnswer]> {
            Batcher(maximum: TestResultAPI.maximumQueries / 2) { tests in
                try await Self.answers(to: tests) {
                    try await server.call(TestResultAPI.appResults, ResultQueries($0, confirmed: confirmed)).results
                }
            }
        }
        sessions = Batcher(maximum: 256) { try await store.sessions($0) }
        confirmedSessions = Batcher(maximum: 256) { try await store.sessions($0, confirmed: true) }
        self.results = results(confirmed: nil)
        confirmedResults = results(confirmed: true)
        uses = Batcher(maximum: 128) { registrations in
            try await Self.answers(to: registrations) { try await tans.confirmed($0) }
        }
    }

    /// Queries the parts of several entries in one call, and returns each entry's answers.
    private static func answers<Part, Answer>(
        to questions: [[Part]], _ ask: ([Part]) async throws -> [Answer]
    ) async throws -> [[Answer]] {
        let parts = questions.flatMap(\.self)
        var answers = try await ask(parts)[...]
        guard answers.count == parts.count else { throw CallError.malformedAnswer }
        return questions.map { question in
            defer { answers = answers.dropFirst(question.count) }
            return Array(answers.prefix(question.count))
        }
    }

    /// What has to run for it.
    var services: [any Service] { [sessions, confirmedSessions, results, confirmedResults, uses] }

    /// The session of a registration token; nil when there is none, which is confirmed unless the request is a dummy.
    func session(of token: RegistrationToken, isFake: Bool) async throws -> VerificationSession? {
        if let session = try await sessions.answer(to: token.digest) { return session }
        return isFake ? nil : try await confirmedSessions.answer(to: token.digest)
    }

    /// The result of a test. A teleTAN counts as a positive result; for a GUID, this asks the test result server.
    /// - Throws: ``Problem`` 403 if the results under the test's two ids differ.
    func result(of session: VerificationSession) async throws -> ResultAnswer {
        try await result(of: session, from: results)
    }

    private func result(
        of session: VerificationSession, from results: Batcher<[ResultID], [ResultAnswer]>
    ) async throws -> ResultAnswer {
        switch session.proof {
        case .teleTAN:
            // Otherwise the number of calls would reveal who has a teleTAN. The reply isn't needed.
            try? await askDummy()
            return ResultAnswer(
                testResult: .pcrPositive,
                sampleCollected: session.createdHour * 3600, labID: nil)
        case .guid(let guid, nil):
            return try await results.answer(to: [ResultID(guid)])[0]
        case .guid(let guid, let birthDate?):
            let answers = try await results.answer(to: [ResultID(guid), birthDate])
            guard answers[0].testResult == answers[1].testResult else { throw Problem.forbidden }
            return answers[0]
        }
    }

    /// Whether the test is positive; if not, that is confirmed. If the results of its two ids differ, it isn't.
    /// - Parameter session: if nil, a dummy request is sent instead.
    func isPositive(_ session: VerificationSession?) async throws -> Bool {
        guard let session else {
            try await askDummy()
            return false
        }
        if try await isPositive(session, from: results) { return true }
        return try await isPositive(session, from: confirmedResults)
    }

    private func isPositive(
        _ session: VerificationSession, from results: Batcher<[ResultID], [ResultAnswer]>
    ) async throws -> Bool {
        do {
            return try await result(of: session, from: results).testResult.isPositive
        } catch let problem as Problem where problem == .forbidden {
            return false
        }
    }

    /// Which of a registration's uploads are confirmed.
    /// - Parameter uses: one for each upload that a registration authorises.
    func confirmed(_ uses: [Digest]) async throws -> [Bool] {
        try await self.uses.answer(to: uses)
    }

    /// Asks for the result of a random id, as a dummy request: an observer of the test result server can't tell it from a
    /// real one, and while that server is down both are refused alike.
    func askDummy() async throws {
        var randomness = SystemRandomNumberGenerator()
        let random = HashedGUID(hashing: RandomIdentifier(using: &randomness).text)
        _ = try await results.answer(to: [ResultID(random)])
    }
}
