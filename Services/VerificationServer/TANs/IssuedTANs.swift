import Credentials
import FoundationEssentials
import Running
import VerificationAPI

/// The TANs that this server issues, which it recognises without having stored them.
struct IssuedTANs: Sendable {
    private let key: HashKey
    private let cipher: TANCipher
    /// How long a TAN is good, in hours; it is good to the end of its last hour.
    private let lifetime: Int32
    /// How many uploads a registration authorises.
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
            key: try HashKey(settings: settings, key: "secrets.tanKey"),
            lifetime: Int32(try settings.int("tan.lifetime", default: 24, in: 1...336)),
            uploads: Int16(try settings.int("tan.perRegistration", default: 1, in: 1...2)))
    }

    // MARK: Issuing

    /// An upload that a registration authorises, whichever TAN is used for it.
    struct Upload: Sendable {
        fileprivate let nonce: Digest
        /// What is stored when the upload's TAN is used.
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
    /// None is good for longer than a day after its registration is forgotten, so that its use needn't be remembered longer.
    func tan(for upload: Upload, of session: VerificationSession, at now: Date) -> TAN {
        let last = min(now.hourNumber + lifetime, session.createdHour + VerificationSession.lifetime + 24)
        return cipher.seal(TANClaims(nonce: upload.nonce, kind: session.teleTANKind, lastHour: last))
    }

    // MARK: Recognising

    /// What a TAN of this server says, whether it has expired or not; nil for any other.
    func claims(of tan: TAN, at now: Date) -> TANClaims? {
        let today = now.hourNumber / 24
        // Most TANs are used soon after they were issued. One that has just expired may still be confirmed.
        return cipher.open(tan, days: ((today - 1)...(now.hourNumber + lifetime) / 24).reversed())
    }

    /// Under what the use of a TAN is stored: the same for all TANs of one upload.
    func use(of claims: TANClaims) -> Digest { key.digest(for: "use of a TAN", claims.nonceBytes) }
}

extension TANClaims {
    /// Whether the TAN is good.
    func isValid(at now: Date) -> Bool { now.hourNumber <= lastHour }
}
