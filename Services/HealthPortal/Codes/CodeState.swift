import Credentials
import FoundationEssentials
import VerificationAPI

/// What a session did with codes. It is stored sealed.
struct CodeState: Codable, Sendable {
    /// The position of the next form; see ``FormNumber``.
    var next = 0
    /// The last code; the next one replaces it.
    var last: IssuedCode?
}

/// A code that was made in this session.
struct IssuedCode: Codable, Sendable {
    /// The form that made it.
    let form: FormNumber
    /// The ten characters; a training code has a wrong check character.
    let text: String
    let authority: Authority?
    let issued: Date
    let validUntil: Date
    /// How many more codes the officer may make in the hour of ``issued``.
    let remaining: Int
    /// Whether the officer has told it.
    var isHidden = false

    /// Seconds for which a code can be shown.
    static let shownFor: TimeInterval = 600

    /// Whether the session still shows it, or would if the officer hadn't hidden it.
    func canBeShown(at now: Date) -> Bool {
        (0..<Self.shownFor).contains(now.timeIntervalSince(issued))
    }

    /// Seconds until it can't be shown any more.
    func secondsShown(at now: Date) -> Int { max(0, Int(Self.shownFor - now.timeIntervalSince(issued))) }

    /// Whether the page shows it.
    func isShown(at now: Date) -> Bool { !isHidden && canBeShown(at: now) }
}

/// The identity of a form: it makes one code, however often and from wherever it is sent.
///
/// Its number is derived from the session's identifier, so no other session or site can make one up, and nothing is stored for
/// forms that nobody sends. It is the `Idempotency-Key` of the call to the verification server.
struct FormNumber: Codable, Hashable, Sendable {
    let position: Int
    let kind: TeleTANKind
    let isTraining: Bool

    /// The text in the form.
    func text(in session: SessionID) -> String { key(in: session).text }

    /// The key of the call.
    func key(in session: SessionID) -> IdempotencyKey {
        guard let key = HashKey(bytes: session.bytes),
            let number = IdempotencyKey(
                key.digest(
                    for: "form", Array("\(position) \(kind.rawValue) \(isTraining ? "training" : "")".utf8)
                ).bytes.prefix(16).map { $0 }.hex)
        else { preconditionFailure("an identifier has as many bytes as a key") }
        return number
    }
}
