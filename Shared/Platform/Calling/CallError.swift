package import HTTPContract
package import HTTPTypes

/// Why a call to another service has no usable answer.
///
/// A handler that doesn't catch it answers with 503: another service's refusal isn't the caller's fault.
package enum CallError: ProblemConvertible, Equatable {
    /// The other service answered, and refused (4xx).
    case refused(HTTPResponse.Status)
    /// No connection, no answer in time, or an answer that says "not now" (5xx).
    case unavailable
    /// The other service's answer isn't one of its contract.
    case malformedAnswer

    package var problem: Problem { .unavailable }
}
