/// What Apple's service answers: a status, and plain text or JSON.
package struct DeviceCheckReply: Error, Hashable, Sendable {
    /// The status.
    package let status: Int
    /// The body; empty after a success that has nothing to tell.
    package let body: String

    /// Whose words a refusal has.
    package enum Wording: String, Sendable, CaseIterable {
        /// Apple's documentation ("Accessing and modifying per-device data").
        case documented
        /// What developers see (Apple Developer Forums, thread 95888; catawiki/devicecheck-ruby).
        case live
    }

    /// What the service says instead of bits.
    enum Refusal: CaseIterable {
        case neverSet
        case deviceToken
        case bits
        case timestamp
        case payload
        case missingAuthorization
        case invalidAuthorization
        case expiredAuthorization

        /// Bits that nobody set are a success, with plain text.
        var status: Int {
            switch self {
            case .neverSet: 200
            case .deviceToken, .bits, .timestamp, .payload, .missingAuthorization: 400
            case .invalidAuthorization, .expiredAuthorization: 401
            }
        }

        func text(_ wording: Wording) -> String {
            switch (self, wording) {
            case (.neverSet, .documented): "Bit State Not Found"
            case (.neverSet, .live): "Failed to find bit state"
            case (.deviceToken, .documented): "Bad Device Token"
            case (.deviceToken, .live): "Missing or incorrectly formatted device token payload"
            case (.bits, .documented): "Bad Bits"
            case (.bits, .live): "Missing or incorrectly formatted bits"
            case (.timestamp, .documented): "Bad Timestamp"
            case (.timestamp, .live): "Missing or incorrectly formatted time stamp"
            case (.payload, _): "Bad Payload"
            case (.missingAuthorization, .documented): "Bad Authorization Token"
            case (.missingAuthorization, .live): "Missing or badly formatted authorization token"
            case (.invalidAuthorization, .documented): "Invalid Authorization Token"
            case (.expiredAuthorization, .documented): "Authorization Token Expired"
            case (.invalidAuthorization, .live), (.expiredAuthorization, .live):
                "Unable to verify authorization token"
            }
        }
    }

    init(status: Int, body: String) {
        self.status = status
        self.body = body
    }

    init(_ refusal: Refusal, _ wording: Wording) {
        self.init(status: refusal.status, body: refusal.text(wording))
    }
}
