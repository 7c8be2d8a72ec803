import Crypto
import ExposureFormat
import ExposureKeys
import Foundation
import ServiceKit

/// Builds what is published: an export, signatures that were made once and are kept, the archive around them.
struct PackageBuilder: Sendable {
    let store: DistributionStore
    let signing: Signing
    let clock: WallClock

    /// A file of keys.
    func build(_ keys: KeySet, of package: KeyPackage, as file: KeyFile) async throws -> [UInt8] {
        let header = ExportHeader(hours: package.window.hours, region: file.region, batch: file.batch)
        let export = try KeyExport(header: header, signers: [signing.key.identity], keys: keys)
        let signature = try await signature(over: export.digest) { try signing.key.sign(export.encoded).bytes }
        return try checked(try export.archive(signatures: [signature]))
    }

    /// Any other archive; its `export.bin` has no header.
    func build(_ export: [UInt8]) async throws -> [UInt8] {
        let signature = try await signature(over: SHA256.hash(data: export)) { try signing.key.sign(export).bytes }
        let archive = try SignedArchive(
            export: export,
            signatures: [ArchiveSignature(identity: signing.key.identity, batch: .only, bytes: signature)])
        return try checked(try archive.zipped())
    }

    /// The signature that is kept, so that the same content gives the same bytes; made now if there is none.
    private func signature(over digest: SHA256.Digest, _ make: () throws -> [UInt8]) async throws -> [UInt8] {
        let digest = Array(digest)
        if let kept = try await store.keptSignature(over: digest, by: signing.fingerprint, at: clock.now) {
            return kept
        }
        return try await store.keepSignature(make(), over: digest, by: signing.fingerprint, at: clock.now)
    }

    /// The archive, read as a phone reads it: what phones would refuse is never written.
    private func checked(_ archive: [UInt8]) throws -> [UInt8] {
        try SignedArchive.read(archive).requireSignature(of: [signing.key.verificationKey])
        return archive
    }
}

/// The key that signs packages.
struct Signing: Sendable {
    let key: SigningKey
    /// SHA-256 of the public key, under which signatures are kept.
    let fingerprint: [UInt8]

    /// From `signing.key` (path of a PEM file), `signing.keyID`, `signing.keyVersion` and `signing.bundleID`.
    init(_ settings: Settings) throws {
        let identity = SigningIdentity(
            appBundleID: settings.string("signing.bundleID", default: "de.rki.coronawarnapp-dev"),
            keyID: settings.string("signing.keyID", default: "262"),
            keyVersion: settings.string("signing.keyVersion", default: "v1"))
        let path = try settings.path("signing.key")
        guard let pem = try? String(contentsOfFile: path, encoding: .utf8),
            let key = try? SigningKey(pem: pem, identity: identity)
        else { throw settings.wrong("signing.key", "must name a P-256 private key in PEM") }
        self.key = key
        fingerprint = Array(SHA256.hash(data: Array(key.verificationKey.pem.utf8)))
    }
}
