import DevelopmentIdentityAPI
import FoundationEssentials
import Synchronization

/// A sign-in that has begun in one browser.
struct PendingSignIn: Sendable {
    let request: AuthorizationRequest
    /// The cookie of the browser in which it began.
    let browser: String
    let begun: Date
    /// The user whose password was right.
    var user: String?
}

/// Somebody who has signed in.
struct Session: Sendable {
    /// The claim `sid`.
    let id: String
    /// The second half of the cookie; clients don't know it.
    let secret: String
    let user: User
    let begun: Date
    var lastUsed: Date
    /// The clients that have had tokens.
    var clients: Set<String> = []
}

/// An authorization request that a client has pushed, good for one browser.
struct PushedRequest: Sendable {
    let request: AuthorizationRequest
    let issued: Date
}

/// A code that a client may exchange once.
struct IssuedCode: Sendable {
    let request: AuthorizationRequest
    let session: String
    let issued: Date
    /// The grant that it was exchanged for.
    var grant: String?
    var isUsed = false
}

/// What a code was exchanged for. It ends with its session, and when its code or an old refresh token comes again.
struct Grant: Sendable {
    let client: String
    let session: String
    let scope: String
    /// The second half of the newest refresh token.
    var secret: String
}

/// Everything that the provider remembers, all of it in memory and bounded.
final class ProviderState: Sendable {
    struct Contents: Sendable {
        var pending = Bounded<PendingSignIn>(capacity: 1_000)
        var sessions = Bounded<Session>(capacity: 10_000)
        var codes = Bounded<IssuedCode>(capacity: 1_000)
        var grants = Bounded<Grant>(capacity: 10_000)
        /// The assertions by which clients proved themselves, until they expire.
        var assertions = Bounded<Date>(capacity: 10_000)
        /// The step of the last one-time code of each user.
        var usedSteps: [String: UInt64] = [:]
        var behaviour = Behaviour(.well)
        var keys: KeyRing
        /// The names of disabled users.
        var disabled: Set<String> = []
        /// Authorization requests that clients have pushed, by the last part of their address.
        var pushed = Bounded<PushedRequest>(capacity: 1_000)
    }

    private let contents: Mutex<Contents>
    /// By how many seconds the provider's clock is ahead. Not among the contents, whose users read the clock.
    let clockAhead = Atomic(0)

    init(_ key: SigningKey) { contents = Mutex(Contents(keys: KeyRing(key))) }

    /// The key that signs now.
    var signingKey: SigningKey { with { $0.keys.current } }

    /// Passes everything to a closure, one after the other.
    func with<Result: Sendable>(_ body: (inout Contents) throws -> Result) rethrows -> Result {
        try contents.withLock { try body(&$0) }
    }
}

extension ProviderState.Contents {
    /// Half an hour without use, ten hours altogether: Keycloak's defaults.
    private static let idle: TimeInterval = 1800
    private static let longest: TimeInterval = 36_000

    /// A session that hasn't ended, of a user who isn't disabled.
    func session(_ id: String, at now: Date) -> Session? {
        guard let session = sessions[id], !disabled.contains(session.user.name),
            now.timeIntervalSince(session.lastUsed) <= Self.idle,
            now.timeIntervalSince(session.begun) <= Self.longest
        else { return nil }
        return session
    }

    /// How long a session lasts if nobody uses it, in seconds.
    static func rest(of session: Session, at now: Date) -> Int {
        Int(min(idle, longest - now.timeIntervalSince(session.begun)))
    }
}
