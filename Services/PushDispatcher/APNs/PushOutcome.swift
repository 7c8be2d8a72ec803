package import FoundationEssentials

/// What became of a push.
package enum PushOutcome: Sendable, Equatable {
    /// Apple's service took it; whether it is delivered nobody learns.
    case accepted
    /// The token wasn't in use at this moment, says Apple's service; a later registration may be right nevertheless.
    case unregistered(Date)
    /// The token is malformed, or of another app or environment. If many are, the fault is most likely ours.
    case wrongToken
    /// No connection could be made, so that it wasn't sent, or not once more: the registration stays.
    case unreachable
    /// Repetitions are used up, or there were too many pushes for this token: the registration stays.
    case givenUp
    /// Apple's service doesn't take our credentials, or our requests: the wave must stop, the registration stays.
    case refused(APNsReason)
}
