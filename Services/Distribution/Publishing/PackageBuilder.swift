import Crypto
import ExposureFormat
import Foundation
import Running

/// Builds archives: an export with its kept or new signatures.
struct PackageBuilder: Sendable {
    let store: DistributionStore
    let signing: Signing
    let clock: WallClock

    /// The signers that every export names, the newest first.
    var signers: [SigningIdentity] { signing.identities }

    /// A file of keys.
    func build(_ export: KeyExport) async throws -> [UInt8] {
        let signatures = try await signing.signatures(over: export.digest, keptIn: store, at: clock.now)
        return try export.archive(signatures: signatures)
    }

    /// Any other archive; its `export.bin` has no header.
    func build(_ export: [UInt8]) async throws -> [UInt8] {
        let digest = SHA256.hash(data: export)
        let signatures = try await signing.signatures(over: digest, keptIn: store, at: clock.now)
        let archive = try SignedArchive(
            export: export,
            signatures: zip(signing.identities, signatures).map {
                ArchiveSignature(identity: $0, batch: .only, bytes: $1)
            })
        let zipped = try archive.zipped()
        // Never publish an archive that phones would refuse.
        let read = try SignedArchive.read(zipped)
        for key in signing.verificationKeys { try read.requireSignature(of: [key]) }
        return zipped
    }
}
