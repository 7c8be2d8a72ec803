import Credentials
import HTTPContract
import VerificationAPI

/// Requests that mean nothing, and look like real ones to whoever watches the line: each has the length of a real one, and so has its
/// answer.
extension AppClient {
    /// A registration of nobody's test.
    package func pretendToRegister() async throws {
        let bare = RegistrationTokenRequest(.guid(HashedGUID(hashing: Self.nobodys.text)))
        var request = RegistrationTokenRequest(
            bare.proof, idempotencyKey: .fresh, requestPadding: try Self.padding(after: bare))
        request.isFake = true
        _ = try await proxy.call(VerificationAPI.registrationToken, request)
    }

    /// A question for the result of nobody's test.
    package func pretendToAskForResult() async throws {
        _ = try await proxy.call(VerificationAPI.testResult, Self.dummy())
    }

    /// A question for a TAN that opens nothing.
    package func pretendToAskForTAN() async throws {
        _ = try await proxy.call(VerificationAPI.tan, Self.dummy())
    }

    private static func dummy() throws -> RegisteredTestRequest {
        let token = RegistrationToken(nobodys)
        var request = RegisteredTestRequest(
            token, requestPadding: try padding(after: RegisteredTestRequest(token)))
        request.isFake = true
        return request
    }

    /// What no server has given out.
    private static var nobodys: RandomIdentifier {
        var randomness = SystemRandomNumberGenerator()
        return RandomIdentifier(using: &randomness)
    }
}
