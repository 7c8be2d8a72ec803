package import FoundationEssentials

/// The outcome of a push.
package enum PushOutcome: Sendable, Equatable {
    /// APNs has accepted it; whether it is delivered is unknown.
    case accepted
    /// According to APNs the token wasn't in use at this time; a later registration may still be valid.
    case unregistered(Date)
    /// The token is malformed, or belongs to another app or environment. If many are, our settings are probably wrong.
    case wrongToken
    /// No connection could be made, so it wasn't sent, or not again: the registration stays.
    case unreachable
    /// Retries are exhausted, or there were too many pushes for this token: the registration stays.
    case givenUp
    /// APNs refuses our credentials or requests: the wave must stop, the registration stays.
    case refused(APNsReason)
}
