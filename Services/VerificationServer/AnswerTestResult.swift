import Credentials
import FoundationEssentials
import HTTPContract
import ServiceKit
import TestResultAPI
import VerificationAPI

/// `POST /version/v1/testresult`: the result of a registered test.
struct AnswerTestResult: Sendable {
    let store: VerificationStore
    let lookUp: ResultLookUp
    let clock: WallClock

    func handle(_ request: RegisteredTestRequest, from caller: Caller) async throws -> TestResultResponse {
        let session = try await store.session(request.registrationToken.digest)
        if request.isFake {
            try await lookUp.ask()
            return TestResultResponse(testResult: .pcrPositive, sampleCollected: clock.epochSeconds, labID: nil)
        }
        guard let session else { throw Problem.badRequest }
        let answer = try await lookUp.result(of: session)
        return TestResultResponse(
            testResult: answer.testResult, sampleCollected: answer.sampleCollected ?? clock.epochSeconds,
            labID: answer.labID)
    }
}

/// Where a session's result comes from. The server stores no result: it asks each time.
struct ResultLookUp: Sendable {
    let results: ServiceClient

    /// A teleTAN stands for a positive test. A GUID's result is the test result server's to say.
    /// - Throws: ``Problem`` 403 where the results under the test's two ids differ.
    func result(of session: VerificationSession) async throws -> ResultAnswer {
        switch session.proof {
        case .teleTAN:
            return ResultAnswer(
                testResult: .pcrPositive,
                sampleCollected: Int32(clamping: Int64(session.createdAt.timeIntervalSince1970)), labID: nil)
        case .guid(let guid, nil):
            return try await ask(ResultID(guid))
        case .guid(let guid, let birthDate?):
            async let other = ask(birthDate)
            let answer = try await ask(ResultID(guid))
            guard try await other.testResult == answer.testResult else { throw Problem.forbidden }
            return answer
        }
    }

    /// Asks for a test that there is not, in the place of one that somebody has: whoever watches the test result server
    /// can't tell, and while it is away both are refused alike.
    func ask() async throws {
        var randomness = SystemRandomNumberGenerator()
        _ = try await ask(ResultID(HashedGUID(hashing: RandomIdentifier(using: &randomness).text)))
    }

    private func ask(_ id: ResultID) async throws -> ResultAnswer {
        try await results.call(TestResultAPI.appResult, ResultQuery(id))
    }
}

extension WallClock {
    var epochSeconds: Int32 { Int32(clamping: Int64(now.timeIntervalSince1970)) }
}
