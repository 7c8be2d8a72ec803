import Credentials
import HTTPContract
import Running
import Serving
import TestResultAPI
import VerificationAPI

/// `POST /version/v1/testresult`: the result of a registered test.
struct GetTestResult: Sendable {
    let lookUp: ResultLookUp
    let clock: WallClock

    func handle(_ request: RegisteredTestRequest, from caller: Caller) async throws -> TestResultResponse {
        let session = try await lookUp.session(of: request.registrationToken, isFake: request.isFake)
        if request.isFake {
            try await lookUp.askDummy()
            return TestResultResponse(testResult: .pcrPositive, sampleCollected: clock.epochSeconds, labID: nil)
        }
        guard let session else {
            try await lookUp.askDummy()
            throw Problem.badRequest
        }
        let answer = try await lookUp.result(of: session)
        return TestResultResponse(
            testResult: answer.testResult, sampleCollected: answer.sampleCollected ?? clock.epochSeconds,
            labID: answer.labID)
    }
}
