import Credentials
import FurtherAPI

/// What one call asks for: all of its reports are taken, or none.
struct Post: Sendable {
    let reports: [HealthReport]
    /// Whether the ids are those of a phone's last days, which nobody may see together. A batch binds no id to its key.
    let isBatch: Bool
    /// Nil if the call isn't signed, or signatures are off.
    let signer: Signer?
    /// Whether ids that a key owns are its only. Not if signatures are off.
    let respectsHolders: Bool
}

/// Who signed a call.
struct Signer: Sendable {
    let key: KeyName
    /// Of the call's nonce.
    let nonce: Digest
    /// Of what was signed.
    let call: Digest
    /// By which a report shows that the key owns its id.
    let hashes: FurtherHashes
}

/// What became of a call.
enum PostOutcome: Sendable {
    /// Its reports are stored, or need not be, or the same call was taken before.
    case taken
    /// Another call has used its nonce.
    case replayed
    /// A key owns one of its ids, and the call isn't signed.
    case unsigned
    /// Another key owns one of its ids.
    case foreign
}
