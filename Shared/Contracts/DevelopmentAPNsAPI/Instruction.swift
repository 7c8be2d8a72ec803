package import HTTPContract

/// Determines the outcome of the next pushes for a token.
package struct Instruction: JSONMessage, Equatable {
    /// The outcome of one push.
    package enum Kind: String, Codable, Sendable, CaseIterable {
        /// Answers with ``Instruction/status`` and ``Instruction/reason``.
        case reply
        /// Never answers.
        case silence
        /// Accepts the push, and never answers.
        case late
        /// Resets the stream with ``Instruction/code``.
        case reset
        /// Sends GOAWAY: no more streams are accepted, and this push wasn't processed.
        case goAway
        /// Closes the connection without notice.
        case hangUp
    }

    /// The token, in lower-case hexadecimal digits.
    package let token: String
    /// The outcome.
    package let kind: Kind
    /// The number of pushes; nil for all following ones.
    package let times: Int?
    /// The status of a reply; 400 if missing.
    package let status: Int?
    /// The reason of a reply.
    package let reason: String?
    /// The timestamp of a reply, in milliseconds since the epoch.
    package let timestamp: Int?
    /// The HTTP/2 error code of a reset; REFUSED_STREAM if missing.
    package let code: Int?

    /// Creates an instruction from its parts.
    package init(
        token: String, kind: Kind, times: Int? = nil, status: Int? = nil, reason: String? = nil, timestamp: Int? = nil,
        code: Int? = nil
    ) {
        self.token = token
        self.kind = kind
        self.times = times
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
        self.code = code
    }

    package static var schema: JSONSchema {
        .object(
            ["token": .text(count: 2...200), "kind": .name(of: Kind.self)],
            optional: [
                "times": .integer(in: 1...1_000_000), "status": .integer(in: 200...599), "reason": .text(count: 0...64),
                "timestamp": .wholeNumber, "code": .integer(in: 0...13),
            ])
    }
}
