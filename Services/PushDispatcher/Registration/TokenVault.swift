import Credentials
import FoundationEssentials
import Running

import enum Crypto.AES
import struct Crypto.HKDF
import struct Crypto.SHA256
import struct Crypto.SymmetricKey

/// The keys for the stored registrations: for the hashes of phones and tokens, and for sealing tokens.
///
/// Four keys are derived from one secret (HKDF-SHA-256), each for one purpose, so that no stored value can be compared with
/// another or with anything outside. Replicas share the secret. Without it the registrations are lost; phones renew them
/// within two weeks.
struct TokenVault: Sendable {
    private let instances: HashKey
    private let tokens: HashKey
    private let names: HashKey
    private let sealing: SymmetricKey

    /// - Parameter secret: 32 random bytes.
    init(secret: [UInt8]) {
        let root = SymmetricKey(data: secret)
        func derived(_ purpose: StaticString) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: root, info: Array("vigil push \(purpose.description)".utf8),
                outputByteCount: HashKey.count)
        }
        func hashKey(_ purpose: StaticString) -> HashKey {
            guard let key = derived(purpose).withUnsafeBytes({ HashKey(bytes: Array($0)) }) else {
                preconditionFailure("a derived key has as many bytes as were asked for")
            }
            return key
        }
        instances = hashKey("instance")
        tokens = hashKey("token")
        names = hashKey("apns-id")
        sealing = derived("sealing")
    }

    /// From the file that `secrets.tokenKey` names, 64 hexadecimal digits.
    init(_ settings: Settings) throws {
        self.init(secret: try settings.secretFile("secrets.tokenKey"))
    }

    // MARK: Hashes

    /// Identifies a phone.
    func hash(instance: Secret<String>) -> Digest {
        instance.exposed { instances.digest(for: "instance", Array($0.utf8)) }
    }

    /// Identifies a token.
    func hash(token: Secret<String>) -> Digest {
        token.exposed { tokens.digest(for: "token", Array($0.utf8)) }
    }

    /// The `apns-id` of a wave's push to a phone: a retry has the same.
    func pushID(wave: [UInt8], instance: Digest) -> UUID {
        let bytes = RandomIdentifier(names.digest(for: "push", wave, instance.bytes)).bytes
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
                bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }

    // MARK: Sealing

    /// Seals a token with AES-GCM, bound to its hash; all sealed tokens have one length.
    func seal(_ token: Secret<String>, hash: Digest) throws -> [UInt8] {
        try token.exposed { text in
            var plain = [UInt8(text.utf8.count)] + Array(text.utf8)
            plain += [UInt8](repeating: 0, count: 1 + Device.longestToken - plain.count)
            let box = try AES.GCM.seal(plain, using: sealing, authenticating: hash.bytes)
            return Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
        }
    }

    /// Nil if it was sealed with another key or for another hash, or was modified.
    func open(_ sealed: [UInt8], hash: Digest) -> Secret<String>? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let plain = try? AES.GCM.open(box, using: sealing, authenticating: hash.bytes),
            let length = plain.first, plain.count > Int(length),
            let text = String(validating: plain.dropFirst().prefix(Int(length)), as: UTF8.self)
        else { return nil }
        return Secret(text)
    }
}
