package import HTTPContract

/// Asks for a user's one-time code.
package struct CodeQuery: JSONMessage, Equatable {
    /// The user's log-in name.
    package let user: String
    /// Whether codes that were used may be used again, for tests that sign in more often than people can.
    package let forgetsUsed: Bool?

    /// Creates a query for one user.
    package init(user: String, forgetsUsed: Bool? = nil) {
        self.user = user
        self.forgetsUsed = forgetsUsed
    }

    package static var schema: JSONSchema {
        .object(["user": .text(count: 1...200)], optional: ["forgetsUsed": .boolean])
    }
}

/// A one-time code.
package struct OneTimeCodeAnswer: JSONMessage, Equatable {
    /// Six digits.
    package let code: String

    /// Creates an answer.
    package init(code: String) { self.code = code }

    package static var schema: JSONSchema { .object(["code": .text(count: 6...6)]) }
}

/// Names the user whose sessions end.
package struct SessionEnd: JSONMessage, Equatable {
    /// The user's log-in name.
    package let user: String

    /// Creates a request for one user.
    package init(user: String) { self.user = user }

    package static var schema: JSONSchema { .object(["user": .text(count: 1...200)]) }
}

/// How many sessions have ended.
package struct EndedSessions: JSONMessage, Equatable {
    /// The sessions of the user that were open.
    package let count: Int
    /// The clients' answers to back-channel log-out: how many were 200.
    package let notified: Int

    /// Creates an answer from its parts.
    package init(count: Int, notified: Int) {
        self.count = count
        self.notified = notified
    }

    package static var schema: JSONSchema { .object(["count": .wholeNumber, "notified": .wholeNumber]) }
}

/// Asks for a new signing key.
package struct KeyRotation: JSONMessage, Equatable {
    /// Whether the key set loses the keys before; by default it keeps them.
    package let removesOld: Bool?

    /// Creates a request.
    package init(removesOld: Bool? = nil) { self.removesOld = removesOld }

    package static var schema: JSONSchema { .object([:], optional: ["removesOld": .boolean]) }
}

/// The key that signs from now on.
package struct RotatedKey: JSONMessage, Equatable {
    /// Its name (`kid`).
    package let key: String

    /// Creates an answer.
    package init(key: String) { self.key = key }

    package static var schema: JSONSchema { .object(["key": .text(count: 1...200)]) }
}

/// Whether a user may sign in and have tokens.
package struct UserSwitch: JSONMessage, Equatable {
    /// The user's log-in name.
    package let user: String
    /// Whether the user is enabled again; by default disabled.
    package let enabled: Bool?

    /// Creates a request for one user.
    package init(user: String, enabled: Bool? = nil) {
        self.user = user
        self.enabled = enabled
    }

    package static var schema: JSONSchema {
        .object(["user": .text(count: 1...200)], optional: ["enabled": .boolean])
    }
}

/// How the provider answers browsers and clients.
package struct Behaviour: JSONMessage, Equatable {
    /// The kinds of illness.
    package enum Kind: String, Codable, Sendable, CaseIterable {
        /// As it should.
        case well
        /// After ``Behaviour/seconds``.
        case slow
        /// With the status ``Behaviour/status``.
        case broken
        /// Not at all: it closes the connection.
        case away
    }

    /// The kind.
    package let kind: Kind
    /// The delay when it is slow; 5 if missing.
    package let seconds: Int?
    /// The status when it is broken; 500 if missing.
    package let status: Int?
    /// By how many seconds its clock is ahead, or behind if negative; 0 if missing.
    package let clockAhead: Int?
    /// Whether published keys name no algorithm, as some providers' don't (`alg` is optional: RFC 7517, section 4.4).
    package let omitsAlgorithms: Bool?

    /// Creates a behaviour from its parts.
    package init(
        _ kind: Kind, seconds: Int? = nil, status: Int? = nil, clockAhead: Int? = nil, omitsAlgorithms: Bool? = nil
    ) {
        self.kind = kind
        self.seconds = seconds
        self.status = status
        self.clockAhead = clockAhead
        self.omitsAlgorithms = omitsAlgorithms
    }

    package static var schema: JSONSchema {
        .object(
            ["kind": .name(of: Kind.self)],
            optional: [
                "seconds": .integer(in: 0...60), "status": .integer(in: 500...599),
                "clockAhead": .integer(in: -120...120), "omitsAlgorithms": .boolean,
            ])
    }
}
