// swift-format-ignore-file
// Made by Shared/Formats/generate.py from venue_reports.proto: change that.
//
// Reports about venues in Apple's form, as phones upload and download them: 57 bytes that are random to everybody who wasn't there.
//
// No other back end has these messages: Apple's "Exposure Notifications: Off-Device Venue Check-Ins" (2021) leaves them open.

package import FoundationEssentials
package import SwiftProtobuf

/// What a phone uploads: always 8,192 bytes.
package struct VenueReportUpload: Message {
    /// 1.
    package var version: UInt32 = 0
    /// At most 128, each of 57 bytes.
    package var reports: [Data] = []
    /// Makes all uploads equally long; its content means nothing.
    package var padding: Data = Data()
    /// Diagnosis keys and what is said with them, and check-in reports of the Corona-Warn-App; without visits in the clear.
    @Presence package var submission: SubmissionPayload
    /// Whether ``submission`` is set.
    package var hasSubmission: Bool { _submission.value != nil }
    /// Fields that the schema doesn't have.
    package var unknownFields = UnknownStorage()

    /// Without fields.
    package init() {}

    /// See ``Message``.
    package static let fields = FieldTable("vigil.exposure.VenueReportUpload", \Self.unknownFields, [
        Field(1, "version", \Self.version),
        Field(2, "reports", \Self.reports),
        Field(3, "padding", \Self.padding),
        Field(4, "submission", \Self._submission),
    ])
}

/// What phones download.
package struct SignedVenueReports: Message {
    /// A serialised VenueReportBundle. The signatures cover exactly these bytes.
    package var bundle: Data = Data()
    /// A serialised TEKSignatureList.
    package var signatures: Data = Data()
    /// Fields that the schema doesn't have.
    package var unknownFields = UnknownStorage()

    /// Without fields.
    package init() {}

    /// See ``Message``.
    package static let fields = FieldTable("vigil.exposure.SignedVenueReports", \Self.unknownFields, [
        Field(1, "bundle", \Self.bundle),
        Field(2, "signatures", \Self.signatures),
    ])
}

/// The reports of two hours.
package struct VenueReportBundle: Message {
    /// 1.
    package var version: UInt32 = 0
    /// UTC seconds since 1970.
    package var start: UInt64 = 0
    /// The length of the window.
    package var seconds: UInt32 = 0
    /// Reports of 57 bytes each, one behind the other, sorted by their bytes.
    package var reports: Data = Data()
    /// Fields that the schema doesn't have.
    package var unknownFields = UnknownStorage()

    /// Without fields.
    package init() {}

    /// See ``Message``.
    package static let fields = FieldTable("vigil.exposure.VenueReportBundle", \Self.unknownFields, [
        Field(1, "version", \Self.version),
        Field(2, "start", \Self.start),
        Field(3, "seconds", \Self.seconds),
        Field(4, "reports", \Self.reports),
    ])
}
