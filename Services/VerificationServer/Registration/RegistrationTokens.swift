import Credentials
import Running
import Schema
import VerificationAPI

/// Derives registration tokens. Replicas share the key.
struct RegistrationTokens: Sendable {
    private let key: HashKey

    /// From the file that `secrets.tanKey` names.
    init(_ settings: Settings) throws {
        key = try settings.hashKey("secrets.tanKey")
    }

    /// The token for a registration: with an idempotency key the same for the same key and proof, otherwise random.
    func token(for request: RegistrationTokenRequest) -> RegistrationToken {
        guard let idempotencyKey = request.idempotencyKey else {
            var randomness = SystemRandomNumberGenerator()
            return RegistrationToken(RandomIdentifier(using: &randomness))
        }
        let (kind, text) =
            switch request.proof {
            case .guid(let guid, _): ("GUID", guid.text)
            case .teleTAN(let code): ("TELETAN", code.text)
            }
        return RegistrationToken(
            RandomIdentifier(
                key.digest(
                    for: "registration token", Array(idempotencyKey.text.utf8), Array(kind.utf8),
                    Array(text.utf8))))
    }
}
