import FoundationEssentials
import SwiftProtobuf
package import Venues

/// An upload of venue reports, with or without diagnosis keys and check-in reports of the Corona-Warn-App (`VenueReportUpload`): always
/// ``size`` bytes, so that its length tells nothing.
package struct VenueUpload: Hashable, Sendable {
    /// At most ``maximumReports``, in the phone's order.
    package let reports: [VenueReport]
    /// Diagnosis keys and what is said with them, and check-in reports of the Corona-Warn-App; without visits in the clear.
    package let submission: SubmissionPayload?

    /// The length of every upload, in bytes.
    package static let size = 8192
    /// Nine reports a day for fourteen days. 14 keys fit beside them.
    package static let maximumReports = 128
    /// What reports of both kinds may take together, in bytes, if 14 keys have to fit beside them.
    package static let roomForReports = 7600
    /// The version of the message.
    private static let version: UInt32 = 1

    /// What so many reports take in an upload, in bytes: each with the bytes that say how long its parts are.
    package static func size(venueReports: Int, checkInReports: Int) -> Int {
        venueReports * (VenueReport.count + 2) + checkInReports * (CheckInReport.count + 10)
    }

    /// Nil with too many reports, or with visits in the clear in the submission.
    package init?(reports: [VenueReport], submission: SubmissionPayload? = nil) {
        guard reports.count <= Self.maximumReports, submission?.checkIns.isEmpty != false else { return nil }
        self.reports = reports
        self.submission = submission
    }

    /// Decodes an upload's body. Padding is dropped; anything that isn't known is refused, so that nothing unforeseen is taken in.
    package init(decoding bytes: [UInt8]) throws(UnreadableSubmission) {
        guard bytes.count <= Self.size else { throw .tooLarge(maximum: Self.size) }
        guard bytes.count == Self.size, let message = try? Self.message(bytes), message.version == Self.version,
            !message.hasUnknownFields
        else { throw .malformed }
        let reports = message.reports.compactMap { VenueReport($0) }
        guard reports.count == message.reports.count,
            let upload = VenueUpload(
                reports: reports, submission: message.hasSubmission ? message.submission : nil)
        else { throw .malformed }
        self = upload
    }

    private static func message(_ bytes: [UInt8]) throws -> VenueReportUpload {
        var options = BinaryDecodingOptions()
        // An upload nests three levels deep.
        options.messageDepthLimit = 5
        return try VenueReportUpload(serializedBytes: bytes, options: options)
    }

    /// The body that a phone uploads, ``size`` bytes.
    /// - Throws: ``UnreadableSubmission/tooLarge(maximum:)`` if keys and reports leave no room for the padding.
    package func encoded() throws -> [UInt8] {
        let message = VenueReportUpload.with {
            $0.version = Self.version
            $0.reports = reports.map { Data($0.bytes) }
            if let submission { $0.submission = submission }
        }
        var bytes: [UInt8] = try message.serializedBytes()
        // Field 3 and its length. Two bytes have the length even if one would do: with one or the other, some sizes can't be reached.
        let padding = Self.size - bytes.count - 3
        guard padding >= 0 else { throw UnreadableSubmission.tooLarge(maximum: Self.size) }
        bytes += [3 << 3 | 2, UInt8(padding & 0x7f) | 0x80, UInt8(padding >> 7)]
        return bytes + [UInt8](repeating: 0, count: padding)
    }
}

extension VenueReportUpload {
    /// Whether there are any here or in the messages within. Those of visits in the clear don't matter, as these are refused.
    fileprivate var hasUnknownFields: Bool {
        [unknownFields, submission.unknownFields].contains { !$0.data.isEmpty }
            || submission.keys.contains { !$0.unknownFields.data.isEmpty }
            || submission.checkInProtectedReports.contains { !$0.unknownFields.data.isEmpty }
    }
}
