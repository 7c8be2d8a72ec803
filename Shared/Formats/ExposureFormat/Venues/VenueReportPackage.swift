package import ExposureKeys
import FoundationEssentials
import SwiftProtobuf
package import Venues

/// The venue reports of two hours, as phones download them: a `VenueReportBundle` with its signatures in a `SignedVenueReports`.
///
/// There is no ZIP archive around it: random bytes don't shrink, and one download has everything.
package struct VenueReportPackage: Hashable, Sendable {
    /// The first of its hours, an even number.
    package let firstHour: Hour
    /// Sorted by their bytes, each once.
    package let reports: [VenueReport]

    /// The number of hours in a package.
    package static let hours = 2
    /// The version of the message.
    private static let version: UInt32 = 1

    /// The first hour of the package that has the reports of an hour.
    package static func firstHour(of hour: Hour) -> Hour {
        Hour(number: hour.number - (hour.number % Int32(hours) + Int32(hours)) % Int32(hours))
    }

    /// Sorts the reports; their order and repetitions have no effect.
    /// - Parameter hour: any hour of the package.
    package init(containing hour: Hour, reports: some Sequence<VenueReport>) {
        firstHour = Self.firstHour(of: hour)
        self.reports = Set(reports).sorted()
    }

    /// What is signed: the bytes of the bundle, the same for the same reports.
    package func bundle() throws -> [UInt8] {
        let message = VenueReportBundle.with {
            $0.version = Self.version
            $0.start = UInt64(clamping: firstHour.startSeconds)
            $0.seconds = UInt32(Self.hours * 3600)
            $0.reports = Data(reports.flatMap(\.bytes))
        }
        return try message.serializedBytes()
    }

    /// The file that phones download.
    ///
    /// With one signature it has at most 200 bytes more than its reports, unless the app's name is longer than 60 bytes.
    /// - Parameters:
    ///   - bundle: from ``bundle()``.
    ///   - signatures: over it; at least one.
    package static func file(of bundle: [UInt8], signatures: [ArchiveSignature]) throws -> [UInt8] {
        let signatures = try WireSignatureList.encode(signatures)
        let message = SignedVenueReports.with {
            $0.bundle = Data(bundle)
            $0.signatures = Data(signatures)
        }
        return try message.serializedBytes()
    }

    /// Reads a downloaded file.
    /// - Parameter publicKeys: one of them must have signed it. Nothing of an unsigned bundle is interpreted.
    /// - Throws: ``ArchiveDamage``: a signature's problem, or ``ArchiveDamage/unreadableContent`` unless the bundle is exactly what
    ///   ``bundle()`` makes.
    package init(reading file: [UInt8], signedBy publicKeys: [VerificationKey]) throws(ArchiveDamage) {
        let signed = try Self.open(file)
        try signed.requireSignature(of: publicKeys)
        guard let package = VenueReportPackage(bundle: signed.export) else { throw .unreadableContent }
        self = package
    }

    /// Opens a downloaded file: the bundle, as an archive's `export.bin`, and its signatures, which are read and not checked.
    package static func open(_ file: [UInt8]) throws(ArchiveDamage) -> SignedArchive {
        guard let message = try? SignedVenueReports(serializedBytes: file), message.unknownFields.data.isEmpty else {
            throw .unreadableContent
        }
        return try SignedArchive(
            export: Array(message.bundle), signatures: WireSignatureList.decode(Array(message.signatures)))
    }

    /// Reads a bundle whose signature somebody has checked. Nil unless the bytes are what ``bundle()`` makes: reports in order, each
    /// once, of two hours that belong together.
    package init?(bundle: [UInt8]) {
        guard let message = try? VenueReportBundle(serializedBytes: bundle),
            let start = Int32(exactly: message.start / 3600), message.reports.count % VenueReport.count == 0
        else { return nil }
        let bytes = Array(message.reports)
        let reports = stride(from: 0, to: bytes.count, by: VenueReport.count).compactMap {
            VenueReport(bytes[$0..<$0 + VenueReport.count])
        }
        self.init(containing: Hour(number: start), reports: reports)
        // Version, window, order and unknown fields: any difference shows here.
        guard (try? self.bundle()) == bundle else { return nil }
    }
}
