package import HTTPContract
package import HTTPTypes

/// Why a call to another service has no answer that counts.
///
/// In a handler that lets it through, the caller is told 503: what another service refused to us is not the fault of who
/// called us.
package enum CallError: ProblemConvertible, Equatable {
    /// The other service answered, and refused (4xx).
    case refused(HTTPResponse.Status)
    /// No connection, no answer in time, or an answer that says "not now" (5xx).
    case unavailable
    /// The other service answered with something that its contract doesn't have.
    case malformedAnswer

    package var problem: Problem { .unavailable }
}
