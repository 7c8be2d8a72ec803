import Credentials
import FoundationEssentials
import Running
import Schema
import VerificationAPI

/// Derives TANs, and recognises them without having stored them. Replicas share the key.
struct IssuedTANs: Sendable {
    private let key: HashKey
    private let cipher: TANCipher
    /// How long a TAN is valid, in hours; it is valid to the end of its last hour.
    private let lifetime: Int32
    /// How many uploads a registration authorises: two, past keys and that of the day itself, and more if people may consent on
    /// later days (cwa-documentation, `solution_architecture.md`, "two uploads are required").
    private let uploads: Int16

    init(key: HashKey, lifetime: Int32, uploads: Int16) {
        self.key = key
        cipher = TANCipher(key)
        self.lifetime = lifetime
        self.uploads = uploads
    }

    /// From `secrets.tanKey`, `tan.lifetime` (hours) and `tan.perRegistration`.
    init(_ settings: Settings) throws {
        self.init(
            key: try settings.hashKey("secrets.tanKey"),
            lifetime: Int32(try settings.int("tan.lifetime", default: 24, in: 1...336)),
            uploads: Int16(try settings.int("tan.perRegistration", default: 2, in: 1...14)))
    }

    /// How many uploads a registration authorises.
    var perRegistration: Int { Int(uploads) }

    // MARK: Issuing

    /// An upload that a registration authorises, regardless of which of its TANs is used.
    struct Upload: Sendable {
        fileprivate let nonce: Digest
        /// The digest that is stored when the upload's TAN is used.
        let use: Digest
    }

    /// The uploads of a registration, in their order.
    func uploads(of token: RegistrationToken) -> [Upload] {
        (1...uploads).map { number in
            let nonce = key.digest(for: "TAN", token.identifier.bytes, [UInt8(number)])
            let claims = TANClaims(nonce: nonce, kind: nil, lastHour: 0)
            return Upload(nonce: nonce, use: use(of: claims))
        }
    }

    /// An upload's TAN; the same for the rest of the hour.
    ///
    /// None is valid for more than a day after its registration is deleted, so its use needn't be stored longer.
    func tan(for upload: Upload, of session: VerificationSession, at now: Date) -> TAN {
        let last = min(now.hourNumber + lifetime, session.createdHour + RetentionRule.sessionHours + 24)
        return cipher.seal(TANClaims(nonce: upload.nonce, kind: session.teleTANKind, lastHour: last))
    }

    // MARK: Recognising

    /// The claims of a TAN of this server, even if it has expired; nil for any other.
    func claims(of tan: TAN, at now: Date) -> TANClaims? {
        let today = now.hourNumber / 24
        // Most TANs are used soon after they are issued. One that has just expired may still be confirmed.
        return cipher.open(tan, days: ((today - 1)...(now.hourNumber + lifetime) / 24).reversed())
    }

    /// The digest under which the use of a TAN is stored: the same for all TANs of one upload.
    func use(of claims: TANClaims) -> Digest { key.digest(for: "use of a TAN", claims.nonceBytes) }

    /// The digest under which the use of a self-report's password is stored.
    func use(ofPassword password: TAN) -> Digest { key.digest(for: "use of a password", password.identifier.bytes) }

    /// What makes repeats of a self-report one redemption: it follows from the upload's tag, so another upload has another one.
    func redemption(of reservation: TANReservation) -> Digest {
        key.digest(for: "redemption of a password", reservation.tan.identifier.bytes, reservation.tag.bytes)
    }

    /// The tag under which ``VerifyTAN`` redeems a TAN: with an idempotency key the same for a repeat.
    func tag(of request: TANVerification) -> Digest {
        let idempotencyKey =
            request.idempotencyKey.map { Array($0.text.utf8) }
            ?? {
                var randomness = SystemRandomNumberGenerator()
                return RandomIdentifier(using: &randomness).bytes
            }()
        return key.digest(for: "verified at once", idempotencyKey, request.tan.identifier.bytes)
    }
}

extension TANClaims {
    /// Whether the TAN hasn't expired.
    func isValid(at now: Date) -> Bool { now.hourNumber <= lastHour }
}
