package import HTTPContract

/// What happens to the next pushes for a token.
package struct Instruction: JSONMessage, Equatable {
    /// What happens to one push.
    package enum Kind: String, Codable, Sendable, CaseIterable {
        /// It is answered with ``Instruction/status`` and ``Instruction/reason``.
        case reply
        /// It is never answered.
        case silence
        /// Its stream is reset with ``Instruction/code``.
        case reset
        /// The connection says that it takes no more, and that this push wasn't looked at.
        case goAway
        /// The connection is closed without a word.
        case hangUp
    }

    /// The token, in lower-case hexadecimal digits.
    package let token: String
    /// What happens.
    package let kind: Kind
    /// To how many pushes; nil for all that follow.
    package let times: Int?
    /// Of a reply: 400 if there is none.
    package let status: Int?
    /// Of a reply.
    package let reason: String?
    /// Of a reply: milliseconds since the epoch.
    package let timestamp: Int?
    /// Of a reset: an HTTP/2 error code, REFUSED_STREAM if there is none.
    package let code: Int?

    /// An instruction as its parts.
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
