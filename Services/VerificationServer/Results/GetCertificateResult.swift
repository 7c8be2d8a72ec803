import Credentials
import HTTPContract
import HTTPTypes
import Running
import Serving
import TestResultAPI
import VerificationAPI

/// Portal `POST /version/v1/testresult`: the result of a registered test together with the test's id, for the server that
/// issues test certificates.
struct GetCertificateResult: Sendable {
    let lookUp: ResultLookUp
    let clock: WallClock

    func handle(
        _ request: CertificateResultRequest, from caller: Caller
    ) async throws -> CertificateResultResponse {
        guard let session = try await lookUp.session(of: request.registrationToken, isFake: false) else {
            throw Problem(.notFound)
        }
        // A teleTAN doesn't identify a test.
        guard case .guid(let guid, _) = session.proof else { throw Problem.forbidden }
        let answer = try await lookUp.result(of: session)
        return CertificateResultResponse(
            testResult: answer.testResult, sampleCollected: answer.sampleCollected ?? clock.epochSeconds,
            labID: answer.labID, testID: guid)
    }
}
