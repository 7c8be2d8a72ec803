package import FoundationEssentials

/// One silent push: to whom, and under which id.
package struct SilentPush: Sendable {
    /// Whom to wake.
    package let token: PushToken
    /// Which of the two services knows the token.
    package let environment: APNsEnvironment
    /// Goes out as `apns-id`; a repetition has the same.
    package let id: UUID
    /// Whether the token is likely to be rejected: such pushes have a connection of their own, because after a rejection
    /// Apple's service takes one request at a time until the next accepted one (push sheet, 1.6.5).
    package let isSuspect: Bool

    /// A push as its parts.
    package init(token: PushToken, environment: APNsEnvironment, id: UUID, isSuspect: Bool) {
        self.token = token
        self.environment = environment
        self.id = id
        self.isSuspect = isSuspect
    }

    /// The body of every one of them.
    static let payload: StaticString = #"{"aps":{"content-available":1}}"#

    /// Which connections it may go over.
    var lane: PushLane { PushLane(environment: environment, isQuarantine: isSuspect) }
}
