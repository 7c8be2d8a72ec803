package import OutsideCalls

/// Why a sign-in, a token, or a document of the identity provider isn't accepted: one fixed word each, for the log.
///
/// deploy/runbook.md, "Reasons of the identity provider", has a row for each.
package enum IdentityFault: String, Error, CaseIterable, Sendable {
    // Calls to the provider.
    /// Its name has no address, nobody is there, or too many calls wait.
    case noConnection = "no_connection"
    /// Its certificate isn't trusted.
    case certificate
    /// The proxy refuses the call.
    case proxy
    /// The answer wasn't complete in time.
    case late
    /// The status of the answer isn't that of a success or of a refusal with a reason.
    case status
    /// The answer exceeds its limit.
    case tooLarge = "too_large"
    /// The answer isn't HTTP, or not what the protocol has there.
    case malformed

    // The discovery document and the keys.
    /// The document names another issuer than the configured one.
    case documentIssuer = "document_issuer"
    /// The document isn't JSON, lacks a member, or has an address that isn't https.
    case documentForm = "document_form"
    /// The set has no key to verify with.
    case keySet = "key_set"
    /// There are no keys: none could be read since the start.
    case keysUnread = "keys_unread"

    // The browser's return from the provider.
    /// The browser has no attempt to sign in, or one that is too old.
    case attempt
    /// The return belongs to another attempt.
    case state
    /// The return is another issuer's, or names none although the provider announces that it does.
    case returnIssuer = "return_issuer"
    /// The return has no code, or something twice.
    case returnForm = "return_form"

    // What the provider says. The first list is of the token endpoint (RFC 6749, section 5.2; RFC 9449, sections 5 and 8), the second
    // of returns (RFC 6749, section 4.1.2.1; OpenID Connect Core 1.0, section 3.1.2.6; unmet requirements by a document of its own).
    case invalidRequest = "invalid_request"
    case invalidClient = "invalid_client"
    case invalidGrant = "invalid_grant"
    case unauthorizedClient = "unauthorized_client"
    case unsupportedGrantType = "unsupported_grant_type"
    case invalidScope = "invalid_scope"
    case invalidProof = "invalid_dpop_proof"
    case useNonce = "use_dpop_nonce"

    case accessDenied = "access_denied"
    case unsupportedResponseType = "unsupported_response_type"
    case serverError = "server_error"
    case temporarilyUnavailable = "temporarily_unavailable"
    case interactionRequired = "interaction_required"
    case loginRequired = "login_required"
    case consentRequired = "consent_required"
    case requestNotSupported = "request_not_supported"
    case invalidRequestURI = "invalid_request_uri"
    case unmetRequirements = "unmet_authentication_requirements"

    /// Another error than those.
    case otherError = "other_error"

    // Tokens.
    /// It isn't a JSON web token with the name of a key and the claims that it needs.
    case tokenForm = "token_form"
    /// There is no ID token.
    case idTokenMissing = "id_token_missing"
    case issuer
    case audience
    /// It was made for another client (`azp`).
    case authorizedParty = "authorized_party"
    case expired
    /// It was made, or is valid, from a time on that is more than a minute ahead.
    case future
    /// It was made too long ago.
    case age
    case nonce
    /// It came with another access token (`at_hash`).
    case accessTokenHash = "access_token_hash"
    /// The officer didn't authenticate as configured.
    case acr
    /// The officer authenticated too long ago, or it doesn't say when.
    case authTime = "auth_time"
    /// It has no subject.
    case subject
    /// It is signed by a key that the set hasn't.
    case keyUnknown = "key_unknown"
    /// It is signed by another algorithm than its key's.
    case algorithm
    case signature
    /// The access token isn't a JSON web token with a subject and an end.
    case accessTokenForm = "access_token_form"
    /// The access token is another officer's.
    case accessTokenSubject = "access_token_subject"
    /// The access token has ended already.
    case accessTokenEnded = "access_token_ended"
    /// Its roles don't allow what was asked.
    case role
    /// Its scope doesn't allow what was asked.
    case scope
    /// verification-server doesn't accept the officer's access token.
    case officerToken = "officer_token"
    /// It isn't a log-out token: event, session or identifier is missing, or there is a nonce.
    case logOutForm = "log_out_form"
    /// The log-out token was used before.
    case logOutUsed = "log_out_used"

    /// What an error of the provider's means, by its name there.
    package init(error: String) {
        let own: Set<String> = Self.errors
        self = own.contains(error) ? Self(rawValue: error) ?? .otherError : .otherError
    }

    /// Only these are taken from the provider, so that it can't write our own words into the log.
    private static let errors = Set(
        [
            Self.invalidRequest, .invalidClient, .invalidGrant, .unauthorizedClient, .unsupportedGrantType,
            .invalidScope, .invalidProof, .useNonce, .accessDenied, .unsupportedResponseType, .serverError,
            .temporarilyUnavailable, .interactionRequired, .loginRequired, .consentRequired, .requestNotSupported,
            .invalidRequestURI, .unmetRequirements,
        ].map(\.rawValue))

    /// Why a document couldn't be read.
    package init(_ problem: DocumentProblem) {
        self =
            switch problem {
            case .status: .status
            case .call(.tls): .certificate
            case .call(.proxy): .proxy
            case .call(.timedOut), .call(.cancelled): .late
            case .call(.tooLarge): .tooLarge
            case .call(.malformed): .malformed
            case .call(.noConnection), .call(.forbiddenAddress), .call(.url), .call(.busy): .noConnection
            }
    }
}
