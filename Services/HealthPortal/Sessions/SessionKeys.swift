import Credentials
import FoundationEssentials
import Running
import StrictJSON

import enum Crypto.AES
import struct Crypto.HKDF
import struct Crypto.SHA256
import struct Crypto.SymmetricKey

/// The server's part of the keys with which sessions are sealed, and the keyed hashes by which log-out finds them.
///
/// A session's content is sealed under a key derived from its identifier and the server's key. The table alone opens nothing, nor
/// does the table with the server's key, nor a stolen cookie without the table.
///
/// There may be a previous key: what it sealed stays readable while a new one takes over.
struct SessionKeys: Sendable {
    /// What is sealed, so that one thing never opens as another.
    enum Purpose: String {
        case attempt, officer, codes
    }

    private struct Generation: Sendable {
        let root: SymmetricKey
        let hashes: HashKey
    }

    /// The current generation first.
    private let generations: [Generation]

    /// From the files that `secrets.sessionKey` and `secrets.previousSessionKey` (optional) name.
    init(_ settings: Settings) throws {
        var secrets = [try settings.secretFile("secrets.sessionKey")]
        if settings.optionalString("secrets.previousSessionKey") != nil {
            secrets.append(try settings.secretFile("secrets.previousSessionKey"))
        }
        generations = try secrets.map { secret in
            guard let hashes = HashKey(bytes: secret) else {
                throw settings.wrong("secrets.sessionKey", "has 32 bytes")
            }
            return Generation(root: SymmetricKey(data: secret), hashes: hashes)
        }
    }

    // MARK: Sealing

    /// Seals a value.
    ///
    /// - Parameter id: what only the owner has.
    func seal(_ value: some Encodable, for id: [UInt8], _ purpose: Purpose) throws -> [UInt8] {
        let box = try AES.GCM.seal(
            JSONEncoder().encode(value), using: Self.key(generations[0], id, purpose),
            authenticating: Array(purpose.rawValue.utf8))
        guard let sealed = box.combined else { preconditionFailure("a nonce of the usual length is combined") }
        return [UInt8](sealed)
    }

    /// Opens a value; nil if it was sealed for another owner or purpose, with another key, or changed.
    func open<Value: Decodable>(_ sealed: [UInt8], as type: Value.Type, for id: [UInt8], _ purpose: Purpose) -> Value? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed) else { return nil }
        for generation in generations {
            let key = Self.key(generation, id, purpose)
            guard let json = try? AES.GCM.open(box, using: key, authenticating: Array(purpose.rawValue.utf8)) else {
                continue
            }
            return try? StrictJSON.decode(type, from: json)
        }
        return nil
    }

    private static func key(_ generation: Generation, _ id: [UInt8], _ purpose: Purpose) -> SymmetricKey {
        generation.root.withUnsafeBytes { root in
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: id), salt: Array(root),
                info: Array("vigil portal \(purpose.rawValue)".utf8), outputByteCount: 32)
        }
    }

    // MARK: Hashes

    /// The hashes of an officer's identifier, by the current key first.
    func hashes(subject: String) -> [Digest] {
        generations.map { $0.hashes.digest(for: "subject", Array(subject.utf8)) }
    }

    /// The hashes of a session's identifier at the provider, by the current key first.
    func hashes(providerSession: String) -> [Digest] {
        generations.map { $0.hashes.digest(for: "provider session", Array(providerSession.utf8)) }
    }

    /// The hash by which a log-out token is recognised when it is sent again.
    func hash(logOutToken id: String) -> Digest {
        generations[0].hashes.digest(for: "log-out token", Array(id.utf8))
    }
}
