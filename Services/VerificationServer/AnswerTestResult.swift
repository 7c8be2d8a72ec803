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
        if request.isFake {
            return TestResultResponse(testResult: .pcrPositive, sampleCollected: clock.epochSeconds, labID: nil)
        }
        guard let session = try await store.session(request.registrationToken.digest) else {
            throw Problem.badRequest
        }
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
    func result(of session: VerificationSession) async throws -> ResultAnswer {
        switch session.proof {
        case .teleTAN:
            ResultAnswer(
                testResult: .pcrPositive,
                sampleCollected: Int32(clamping: Int64(session.createdAt.timeIntervalSince1970)), labID: nil)
        case .guid(let guid):
            try await results.call(TestResultAPI.appResult, ResultQuery(ResultID(guid)))
        }
    }
}

extension WallClock {
    var epochSeconds: Int32 { Int32(clamping: Int64(now.timeIntervalSince1970)) }
}
