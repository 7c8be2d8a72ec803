import FoundationEssentials

/// Why a request is refused, in APNs's terms.
struct Rejection: Error, Equatable, Sendable {
    let status: Int
    let reason: String

    init(_ status: Int, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    var answer: SimulatedAnswer { .reply(status: status, reason: reason) }
}
