import Calling
import Credentials
import FoundationEssentials
import HTTPContract
import ServiceLifecycle
import TestResultAPI
import VerificationAPI

/// Whose token it is, and what the result is. The server stores no result: it asks each time.
///
/// Questions of many phones go together, to the database and to the test result server, which so learns less about when
/// somebody asked, too.
struct ResultLookUp: Service {
    private let sessions: Batcher<Digest, VerificationSession?>
    /// A test's one or two ids are one question, so that both make one call.
    private let results: Batcher<[ResultID], [ResultAnswer]>
    private let uses: Batcher<[Digest], [Bool]>

    init(store: VerificationStore, tans: TANStore, results server: ServiceClient) {
        sessions = Batcher(maximum: 256) { try await store.sessions($0) }
        results = Batcher(maximum: TestResultAPI.maximumQueries / 2) { tests in
            try await Self.answers(to: tests) {
                try await server.call(TestResultAPI.appResults, ResultQueries($0)).results
            }
        }
        uses = Batcher(maximum: 128) { registrations in
            try await Self.answers(to: registrations) { try await tans.confirmed($0) }
        }
    }

    /// Asks for all parts of several questions at once, and gives each question its own answers.
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

    func run() async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await sessions.run() }
            group.addTask { try await results.run() }
            group.addTask { try await uses.run() }
            try await group.waitForAll()
        }
    }

    /// The session of a registration token; nil when there is none.
    func session(of token: RegistrationToken) async throws -> VerificationSession? {
        try await sessions.answer(to: token.digest)
    }

    /// A teleTAN stands for a positive test. A GUID's result is the test result server's to say.
    /// - Throws: ``Problem`` 403 where the results under the test's two ids differ.
    func result(of session: VerificationSession) async throws -> ResultAnswer {
        switch session.proof {
        case .teleTAN:
            // Else the number of calls would tell who has a teleTAN. Its owner needs no answer.
            try? await ask()
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

    /// Whether it is a positive test. Two ids that contradict each other are none.
    /// - Parameter session: nil for none; then somebody else's question is asked.
    func isPositive(_ session: VerificationSession?) async throws -> Bool {
        guard let session else {
            try await ask()
            return false
        }
        do {
            return try await result(of: session).testResult.isPositive
        } catch let problem as Problem where problem == .forbidden {
            return false
        }
    }

    /// Which of a registration's uploads are confirmed.
    /// - Parameter uses: as many as a registration authorises.
    func confirmed(_ uses: [Digest]) async throws -> [Bool] {
        try await self.uses.answer(to: uses)
    }

    /// Asks for a test that there is not, in the place of one that somebody has: whoever watches the test result server
    /// can't tell, and while it is away both are refused alike.
    func ask() async throws {
        var randomness = SystemRandomNumberGenerator()
        let nobodys = HashedGUID(hashing: RandomIdentifier(using: &randomness).text)
        _ = try await results.answer(to: [ResultID(nobodys)])
    }
}
