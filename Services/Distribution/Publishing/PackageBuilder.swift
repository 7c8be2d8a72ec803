import Crypto
import ExposureFormat
import FoundationEssentials
import Running
import TraceKeyFormat

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

    /// A file of venue reports.
    func build(_ package: VenueReportPackage) async throws -> [UInt8] {
        let bundle = try package.bundle()
        let signatures = try await signing.signatures(over: SHA256.hash(data: bundle), keptIn: store, at: clock.now)
        let file = try VenueReportPackage.file(of: bundle, signatures: signed(signatures))
        // Never publish a file that phones would refuse.
        for key in signing.verificationKeys { _ = try VenueReportPackage(reading: file, signedBy: [key]) }
        return file
    }

    /// Any other archive; its `export.bin` has no header.
    func build(_ export: [UInt8]) async throws -> [UInt8] {
        let digest = SHA256.hash(data: export)
        let signatures = try await signing.signatures(over: digest, keptIn: store, at: clock.now)
        let archive = try SignedArchive(export: export, signatures: signed(signatures))
        let zipped = try archive.zipped()
        // Never publish an archive that phones would refuse.
        let read = try SignedArchive.read(zipped)
        for key in signing.verificationKeys { try read.requireSignature(of: [key]) }
        return zipped
    }

    /// The header field `Signature` of a list of trace keys, by the newest key.
    func token(of signature: ContentSignature) async throws -> String {
        let signatures = try await signing.signatures(over: signature.digest, keptIn: store, at: clock.now)
        return try signature.token(signature: signatures[0])
    }

    /// Signatures of the signers, in their order.
    private func signed(_ signatures: [[UInt8]]) -> [ArchiveSignature] {
        zip(signing.identities, signatures).map { ArchiveSignature(identity: $0, batch: .only, bytes: $1) }
    }
}
