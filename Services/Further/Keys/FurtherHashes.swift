import Credentials
import FoundationEssentials
import FurtherAPI

/// The keyed hashes that show who owns an id, and which nonces were used. Replicas share the key.
struct FurtherHashes: Sendable {
    private let key: HashKey

    init(_ key: HashKey) { self.key = key }

    /// Shows that a key owns an id. Each id has another one.
    func holder(_ name: KeyName, of id: UUID) -> Digest {
        key.digest(for: "further holder", name.bytes, withUnsafeBytes(of: id.uuid) { Array($0) })
    }

    /// Identifies a nonce of a key.
    func nonce(_ nonce: [UInt8], of name: KeyName) -> Digest { key.digest(for: "further nonce", name.bytes, nonce) }

    /// Identifies what a call signed: its route, time, nonce and body.
    func call(_ signedText: [UInt8]) -> Digest { key.digest(for: "further call", signedText) }
}
