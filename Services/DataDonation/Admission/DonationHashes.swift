import Credentials
import DonationFormat
import FoundationEssentials
import Running
import Schema

/// The keyed hashes under which evidence, subjects and passwords are stored. Replicas share the key.
struct DonationHashes: Sendable {
    private let key: HashKey

    init(_ key: HashKey) { self.key = key }

    /// From the file that `secrets.hashKey` names, 64 hexadecimal digits.
    init(_ settings: Settings) throws { key = try settings.hashKey("secrets.hashKey") }

    /// The challenge of App Attest for an hour.
    func challenge(of hour: Int32) -> [UInt8] {
        key.digest(for: "challenge", withUnsafeBytes(of: hour.bigEndian) { Array($0) }).bytes
    }

    /// Identifies a donation, by all that the app sent: a repeat has the same.
    ///
    /// Many people's data are the same, and could be guessed by whoever has the key; their evidence isn't, and can't.
    func donation(_ request: DonationRequest) -> Digest {
        key.digest(for: "donation", request.authentication, request.payload)
    }

    /// Identifies a salt.
    func salt(_ bytes: [UInt8]) -> Digest { key.digest(for: "salt", bytes) }

    /// Identifies a device token.
    func deviceToken(_ text: String) -> Digest { key.digest(for: "device token", Array(text.utf8)) }

    /// Identifies an app by its attested key.
    func attestedKey(_ id: [UInt8]) -> Digest { key.digest(for: "attested key", id) }

    /// Identifies an app by the token that it chose for the month.
    func monthToken(_ token: UUID) -> Digest {
        key.digest(for: "month token", withUnsafeBytes(of: token.uuid) { Array($0) })
    }

    /// Identifies an Android phone.
    func androidID(_ id: AndroidID) -> Digest { key.digest(for: "android id", id.bytes) }

    /// Identifies a password of a kind.
    func password(_ password: OneTimePassword, for purpose: Purpose) -> Digest {
        key.digest(for: "password", [UInt8(purpose.rawValue)], password.bytes)
    }

    /// Identifies a call that redeems a password.
    func redemption(_ key: IdempotencyKey, of password: OneTimePassword) -> Digest {
        self.key.digest(for: "redemption", Array(key.text.utf8), password.bytes)
    }
}
