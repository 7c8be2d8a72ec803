import Crypto
import ExposureFormat
import FoundationEssentials
import PKCS11
import Running

/// The signing keys, the newest first.
///
/// Every archive names all of them and has a signature of each, so that a key can be replaced while phones still know only
/// the old one.
struct Signing: Sendable {
    private let keys: [Key]

    private struct Key: Sendable {
        let signer: any ArchiveSigner
        /// SHA-256 of the public key, which identifies kept signatures.
        let fingerprint: [UInt8]
    }

    /// From `signing.keys` and `signing.bundleID`. Reads the keys and opens sessions with their tokens, and blocks meanwhile.
    init(_ settings: Settings) throws {
        let bundle = settings.string("signing.bundleID", default: "de.rki.coronawarnapp-dev")
        self.init(
            try SigningKeyEntry.list(settings).map { entry throws(ConfigurationProblem) in
                do {
                    return try entry.signer(appBundleID: bundle)
                } catch {
                    throw ConfigurationProblem("signing.keys, key \(entry.name): \(error).")
                }
            })
    }

    /// - Parameter signers: at least one, the newest first.
    init(_ signers: [any ArchiveSigner]) {
        keys = signers.map { signer in
            Key(signer: signer, fingerprint: Array(SHA256.hash(data: Array(signer.verificationKey.pem.utf8))))
        }
    }

    /// The signers that every export names.
    var identities: [SigningIdentity] { keys.map(\.signer.identity) }

    /// The public halves.
    var verificationKeys: [VerificationKey] { keys.map(\.signer.verificationKey) }

    /// Signs an archive with every key, given the digest of its `export.bin`.
    ///
    /// A kept signature is used again: the archive has the same bytes again, and a call of the token is saved.
    ///
    /// Every signature is verified before it is kept or used, so phones never refuse a published one.
    /// - Returns: one for each of ``identities``, DER.
    /// - Throws: ``SigningProblem``, and what the store throws.
    func signatures(
        over digest: SHA256Digest, keptIn store: DistributionStore, at now: Date
    ) async throws -> [[UInt8]] {
        var signatures: [[UInt8]] = []
        for key in keys { signatures.append(try await signature(over: digest, by: key, keptIn: store, at: now)) }
        return signatures
    }

    private func signature(
        over digest: SHA256Digest, by key: Key, keptIn store: DistributionStore, at now: Date
    ) async throws -> [UInt8] {
        if let kept = try await store.keptSignature(over: Array(digest), by: key.fingerprint, at: now) {
            guard key.signer.verificationKey.accepts(kept, over: digest) else {
                throw SigningProblem(key.signer.identity, "its kept signature no longer matches")
            }
            return kept
        }
        let fresh: [UInt8]
        do {
            fresh = try await key.signer.sign(digest)
        } catch let problem as PKCS11Problem {
            throw SigningProblem(key.signer.identity, problem.description)
        }
        guard key.signer.verificationKey.accepts(fresh, over: digest) else {
            throw SigningProblem(key.signer.identity, "the new signature does not match the public key")
        }
        return try await store.keepSignature(fresh, over: Array(digest), by: key.fingerprint, at: now)
    }
}

/// A key fails to sign, so nothing can be published.
struct SigningProblem: OperatorProblem, Equatable {
    let description: String

    /// - Parameter reason: without a full stop.
    init(_ key: SigningIdentity, _ reason: String) {
        description = "The signing key \(key.keyID)/\(key.keyVersion) can't be used: \(reason)."
    }
}
