import FoundationEssentials
import StrictJSON

/// A reply of APNs to one request.
struct APNsReply: Sendable, Equatable {
    let status: Int
    /// Nil for an accepted push.
    let reason: APNsReason?
    /// With 410: the time when APNs found that the token isn't in use.
    let timestamp: Date?
    /// `Retry-After`, in seconds. Apple doesn't document it; it is honoured if present.
    let retryAfter: Int?

    init(status: Int, reason: APNsReason?, timestamp: Date? = nil, retryAfter: Int? = nil) {
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
        self.retryAfter = retryAfter
    }

    /// Parses a reply; with an invalid body the reason is unknown, and the status counts.
    init(status: Int, retryAfter: Int?, body: [UInt8]) {
        guard status != 200 else {
            self.init(status: status, reason: nil)
            return
        }
        let content = APNsReplyBody(body)
        self.init(
            status: status, reason: content.reason,
            timestamp: content.timestamp.map { Date(timeIntervalSince1970: $0 / 1000) }, retryAfter: retryAfter)
    }
}

/// The JSON of a rejection, also in a GOAWAY frame.
struct APNsReplyBody {
    let reason: APNsReason
    /// The time in milliseconds since the epoch.
    let timestamp: Double?

    /// The maximum number of bytes that are kept.
    static let limit = 4096

    init(_ bytes: [UInt8]) {
        let content = bytes.isEmpty ? nil : try? StrictJSON.decode(Content.self, from: Data(bytes))
        reason = content?.reason.flatMap(APNsReason.init) ?? .unknown
        timestamp = content?.timestamp.flatMap { $0.isFinite && abs($0) < 1e15 ? $0 : nil }
    }

    private struct Content: Decodable {
        let reason: String?
        let timestamp: Double?
    }
}
