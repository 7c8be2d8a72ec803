import Crypto
import ExposureFormat
import ExposureKeys
import Foundation
import ServiceKit

/// Builds a package: export, signature, archive.
struct PackageBuilder: Sendable {
    let store: DistributionStore
    let signing: Signing
    let clock: WallClock

    /// The archive's bytes; the same for the same keys, because a signature that was made once is kept.
    func build(_ keys: [DiagnosisKey], hours: Range<Hour>, region: String) async throws -> Data {
        let header = ExportHeader(hours: hours, region: region)
        let export = try KeyExport(header: header, keys: keys).encoded(signers: [signing.key.identity])
        let digest = Array(SHA256.hash(data: export))
        let fresh = try signing.key.sign(export)
        let kept = try await store.keepSignature(fresh.bytes, of: digest, by: signing.fingerprint, at: clock.now)
        let archive = try SignedArchive(
            export: export,
            signatures: [ArchiveSignature(identity: fresh.identity, batch: fresh.batch, bytes: kept)])
        // What phones would refuse is never written.
        try archive.requireSignature(of: [signing.key.verificationKey])
        return Data(try archive.zipped())
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
