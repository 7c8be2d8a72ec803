import HTTPTypes
import Serving

/// Why the token endpoint refuses a request (RFC 6749, section 5.2).
enum TokenError: String, Error {
    case invalidRequest = "invalid_request"
    case invalidClient = "invalid_client"
    case invalidGrant = "invalid_grant"
    case unsupportedGrantType = "unsupported_grant_type"
    case invalidScope = "invalid_scope"

    private struct Body: Encodable {
        let error: String
    }

    /// The answer. A client that tried HTTP authentication is told the scheme.
    func response(usedBasic: Bool) throws -> Response {
        guard self == .invalidClient else {
            return try IdentityProvider.json(Body(error: rawValue), status: .badRequest)
        }
        return try IdentityProvider.json(
            Body(error: rawValue), status: .unauthorized,
            fields: usedBasic ? [.wwwAuthenticate: "Basic realm=\"clients\""] : [:])
    }
}
