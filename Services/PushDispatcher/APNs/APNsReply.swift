import FoundationEssentials

/// What Apple's service answered to one request.
struct APNsReply: Sendable, Equatable {
    let status: Int
    /// Nil for an accepted push.
    let reason: APNsReason?
    /// Of a 410: when the token was found not to be in use.
    let timestamp: Date?
    /// Seconds after which to come back; Apple documents none, and it is honoured if there is one.
    let retryAfter: Int?

    init(status: Int, reason: APNsReason?, timestamp: Date? = nil, retryAfter: Int? = nil) {
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
        self.retryAfter = retryAfter
    }

    /// Reads an answer; a body that can't be read is an unknown reason, and the status counts.
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

/// The JSON of a rejection, which may ride in a GOAWAY frame, too.
struct APNsReplyBody {
    let reason: APNsReason
    /// In milliseconds since the epoch.
    let timestamp: Double?

    /// The most bytes of it that are kept.
    static let limit = 4096

    init(_ bytes: [UInt8]) {
        let content = bytes.isEmpty ? nil : try? JSONDecoder().decode(Content.self, from: Data(bytes))
        reason = content?.reason.flatMap(APNsReason.init) ?? .unknown
        timestamp = content?.timestamp.flatMap { $0.isFinite && abs($0) < 1e15 ? $0 : nil }
    }

    private struct Content: Decodable {
        let reason: String?
        let timestamp: Double?
    }
}
