import CompactJOSE
import Crypto
import DevelopmentAttestation
import Foundation
import PlayIntegrity

/// A request of an app, and Google's judgement of it.
enum Sample {
    /// 2026-11-24, at noon.
    static let now = Date(timeIntervalSince1970: 1_795_521_600)
    static let packageName = "de.example.app"
    static let salt = Array("0123456789abcdef".utf8)
    static let payload = Array("what the phone sends".utf8)
    static let digest = [UInt8](SHA256.hash(data: Array("the app's certificate".utf8)))
    static let otherDigest = [UInt8](SHA256.hash(data: Array("somebody else's certificate".utf8)))
    static let mint = PlayIntegrityMint()

    static var keys: PlayIntegrityKeys {
        get throws { try PlayIntegrityKeys(decryption: mint.decryptionKey, verification: mint.verificationKey) }
    }

    /// What a policy with every demand admits.
    static func verdict(_ change: (inout SimulatedVerdict) -> Void = { _ in }) -> SimulatedVerdict {
        var verdict = SimulatedVerdict(
            packageName: packageName, certificateDigests: [Base64URL.text(digest)], at: now)
        verdict.requestDetails.nonce = PlayIntegrityPolicy.binding(salt: salt, payload: payload)
        change(&verdict)
        return verdict
    }

    static func policy(
        _ request: PlayIntegrityPolicy.Request = .classic, packageNames: Set<String> = [packageName],
        digests: Set<[UInt8]> = [digest], recognition: Bool = true, licence: Bool = true,
        strength: PlayIntegrityVerdict.DeviceStrength? = .strong
    ) -> PlayIntegrityPolicy {
        PlayIntegrityPolicy(
            request: request, packageNames: packageNames, certificateDigests: digests, tolerance: 600,
            demandsRecognition: recognition, demandsLicence: licence, strength: strength)
    }

    /// The payload's text, with a change.
    static func json(replacing old: String = "", with new: String = "") throws -> [UInt8] {
        Array(String(decoding: try verdict().json, as: UTF8.self).replacing(old, with: new).utf8)
    }

    /// What is wrong with a token; nil for nothing.
    static func flaw(of token: String) throws -> PlayIntegrityFlaw? {
        let keys = try keys
        do throws(PlayIntegrityFlaw) {
            _ = try PlayIntegrityVerdict(classic: token, keys: keys)
            return nil
        } catch {
            return error
        }
    }
}
