package import HTTPContract
import HTTPTypes

/// The operations of `development-identity` besides OpenID Connect, for development and tests, on a loopback port.
package enum DevelopmentIdentityAPI {
    /// The second factor that a user's authenticator app would show.
    package static let oneTimeCode = Endpoint<CodeQuery, OneTimeCodeAnswer>(
        .post, "/version/v1/one-time-code", callers: [], bodyLimit: 1024,
        summary: "A one-time code of a user that hasn't been used.")

    /// Ends all sessions of a user, as an administrator would, and tells the clients by back-channel log-out.
    package static let endSessions = Endpoint<SessionEnd, EndedSessions>(
        .post, "/version/v1/end-sessions", callers: [], bodyLimit: 1024, summary: "Ends the sessions of a user.")

    /// Sets how the provider answers from now on.
    package static let behaviour = Endpoint<Behaviour, NoContent>(
        .post, "/version/v1/behaviour", callers: [], bodyLimit: 1024, success: .noContent,
        summary: "Lets the provider be well, slow, broken, or away.")

    /// Lets the provider sign with a new key from now on.
    package static let rotateKey = Endpoint<KeyRotation, RotatedKey>(
        .post, "/version/v1/rotate-key", callers: [], bodyLimit: 1024, summary: "Replaces the signing key.")

    /// Disables a user, or enables one again. As at Keycloak, no client is told: its next refresh is refused.
    package static let disable = Endpoint<UserSwitch, NoContent>(
        .post, "/version/v1/disable", callers: [], bodyLimit: 1024, success: .noContent,
        summary: "Disables a user, or enables one again.")
}
