/// What clients discover (OpenID Connect Discovery, section 3; RFC 9126, section 5; RFC 9207, section 3; Back-Channel
/// Logout, section 2.1).
struct ProviderMetadata: Encodable {
    let issuer: String
    let authorizationEndpoint: String
    let tokenEndpoint: String
    let endSessionEndpoint: String
    let keySet: String
    let pushedAuthorizationEndpoint: String
    let responseTypes = ["code"]
    let responseModes = ["query"]
    let grantTypes = ["authorization_code", "refresh_token"]
    let subjectTypes = ["public"]
    let idTokenAlgorithms = ["ES256"]
    let clientAuthentication = ["private_key_jwt", "client_secret_basic", "client_secret_post"]
    let clientAlgorithms = ["ES256"]
    let challengeMethods = ["S256"]
    let scopes = ["openid", "profile"]
    let acrValues = [Tokens.acr]
    let languages = Words.all.map(\.tag)
    let namesIssuer = true
    let hasBackChannelLogout = true
    let namesSession = true
    let takesClaims = false
    let takesRequests = false
    let takesRequestURIs = false

    init(_ issuer: String) {
        self.issuer = issuer
        authorizationEndpoint = issuer + "/authorize"
        tokenEndpoint = issuer + "/token"
        endSessionEndpoint = issuer + "/logout"
        keySet = issuer + "/keys"
        pushedAuthorizationEndpoint = issuer + "/par"
    }

    enum CodingKeys: String, CodingKey {
        case issuer
        case authorizationEndpoint = "authorization_endpoint"
        case tokenEndpoint = "token_endpoint"
        case endSessionEndpoint = "end_session_endpoint"
        case keySet = "jwks_uri"
        case pushedAuthorizationEndpoint = "pushed_authorization_request_endpoint"
        case responseTypes = "response_types_supported"
        case responseModes = "response_modes_supported"
        case grantTypes = "grant_types_supported"
        case subjectTypes = "subject_types_supported"
        case idTokenAlgorithms = "id_token_signing_alg_values_supported"
        case clientAuthentication = "token_endpoint_auth_methods_supported"
        case clientAlgorithms = "token_endpoint_auth_signing_alg_values_supported"
        case challengeMethods = "code_challenge_methods_supported"
        case scopes = "scopes_supported"
        case acrValues = "acr_values_supported"
        case languages = "ui_locales_supported"
        case namesIssuer = "authorization_response_iss_parameter_supported"
        case hasBackChannelLogout = "backchannel_logout_supported"
        case namesSession = "backchannel_logout_session_supported"
        case takesClaims = "claims_parameter_supported"
        case takesRequests = "request_parameter_supported"
        case takesRequestURIs = "request_uri_parameter_supported"
    }
}
