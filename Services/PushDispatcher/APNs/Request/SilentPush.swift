package import FoundationEssentials

/// One silent push.
package struct SilentPush: Sendable {
    /// The phone's token.
    package let token: PushToken
    /// Which of the two services knows the token.
    package let environment: APNsEnvironment
    /// Sent as `apns-id`; a retry has the same.
    package let id: UUID
    /// Whether the token is likely to be rejected: such pushes have a connection of their own, because after a rejection APNs
    /// allows one stream until the next accepted push (<https://github.com/jchambers/pushy/issues/476>).
    package let isSuspect: Bool

    /// Creates a push from its parts.
    package init(token: PushToken, environment: APNsEnvironment, id: UUID, isSuspect: Bool) {
        self.token = token
        self.environment = environment
        self.id = id
        self.isSuspect = isSuspect
    }

    /// The body of every silent push.
    static let payload = #"{"aps":{"content-available":1}}"#

    /// Which connections may carry it.
    var lane: PushLane { PushLane(environment: environment, isQuarantine: isSuspect) }
}
