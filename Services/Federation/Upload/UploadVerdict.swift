import FederationFormat

/// What an answer to an upload means for the batch.
///
/// See `DiagnosisKeyService` and `UploadController` of efgs-federation-gateway.
enum UploadVerdict: Equatable {
    /// The gateway has all keys, from us or from somebody else.
    case delivered
    /// The keys, by their position in the batch, have different fates; those that neither list names are done.
    case mixed(again: [Int], failed: [Int])
    /// There are too many keys, or the gateway's front doesn't take so many bytes.
    case split
    /// Sending it once more would give the same answer.
    case refused(reason: String)
    /// Nobody knows, or the gateway doesn't take anything now.
    case later(reason: String)

    /// The reasons of ``later(reason:)`` after which the gateway may still be at work: nobody answered, or somebody in front of it.
    static let unsettled = ["no_answer", "status_502", "status_504"]

    /// - Parameter count: how many keys the batch has.
    init(_ reply: GatewayClient.UploadReply, of count: Int, to gateway: GatewayPlan.Behaviour) {
        switch reply.status {
        // Nothing but 201 is success: a load balancer says 200 as well.
        case 201: self = .delivered
        case 207:
            guard let answer = UploadAnswer(json: reply.body, of: count) else {
                self = .later(reason: "unreadable")
                return
            }
            let again = gateway.storesPartly ? answer.unnamed : (answer.new + answer.unnamed).sorted()
            if again.isEmpty, answer.failed.isEmpty {
                self = .delivered
            } else if again.count == count {
                self = .later(reason: "not_stored")
            } else {
                self = .mixed(again: again, failed: answer.failed)
            }
        // The tag follows from the content, so it was this batch that arrived before.
        case 409: self = .delivered
        case 413: self = .split
        case 400: self = .refused(reason: "status_400")
        // A certificate that isn't known (403), or a version (406, 415), concerns every batch, and whoever mends it needn't tell us.
        case let status?: self = .later(reason: "status_\(status)")
        case nil: self = .later(reason: "no_answer")
        }
    }
}
