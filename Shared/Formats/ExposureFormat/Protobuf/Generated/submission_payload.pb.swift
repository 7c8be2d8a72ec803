// swift-format-ignore-file
// Made by Shared/Formats/generate.py from submission_payload.proto: change that.
//
// What a phone uploads: its diagnosis keys, and reports about the venues it checked in to.
//
// Field names and numbers are those the Corona-Warn-App's phones send: never renumber.

package import FoundationEssentials
package import SwiftProtobuf

/// The message `SubmissionPayload`.
package struct SubmissionPayload: Message {
    /// `keys`
    package var keys: [TemporaryExposureKey] = []
    /// Makes all uploads equally long; its content means nothing.
    @Presence package var requestPadding: Data
    /// Whether ``requestPadding`` is set.
    package var hasRequestPadding: Bool { _requestPadding.value != nil }
    /// Makes ``requestPadding`` a field that isn't set.
    package mutating func clearRequestPadding() { _requestPadding.value = nil }
    /// `visitedCountries`
    package var visitedCountries: [String] = []
    /// `origin`
    @Presence package var origin: String
    /// Whether ``origin`` is set.
    package var hasOrigin: Bool { _origin.value != nil }
    /// Makes ``origin`` a field that isn't set.
    package mutating func clearOrigin() { _origin.value = nil }
    /// `consentToFederation`
    @Presence package var consentToFederation: Bool
    /// Whether ``consentToFederation`` is set.
    package var hasConsentToFederation: Bool { _consentToFederation.value != nil }
    /// Makes ``consentToFederation`` a field that isn't set.
    package mutating func clearConsentToFederation() { _consentToFederation.value = nil }
    /// Deprecated by the contract: these tell the server which venue it was. Phones send the protected reports.
    package var checkIns: [CheckIn] = []
    /// `submissionType`
    @Presence package var submissionType: SubmissionPayload.SubmissionType
    /// Whether ``submissionType`` is set.
    package var hasSubmissionType: Bool { _submissionType.value != nil }
    /// Makes ``submissionType`` a field that isn't set.
    package mutating func clearSubmissionType() { _submissionType.value = nil }
    /// `checkInProtectedReports`
    package var checkInProtectedReports: [CheckInProtectedReport] = []
    /// Fields that the schema doesn't have.
    package var unknownFields = UnknownStorage()

    /// Without fields.
    package init() {}

    /// See ``Message``.
    package static let fields = FieldTable("vigil.exposure.SubmissionPayload", \Self.unknownFields, [
        Field(1, "keys", \Self.keys),
        Field(2, "requestPadding", \Self._requestPadding),
        Field(3, "visitedCountries", \Self.visitedCountries),
        Field(4, "origin", \Self._origin),
        Field(5, "consentToFederation", \Self._consentToFederation),
        Field(6, "checkIns", \Self.checkIns),
        Field(7, "submissionType", \Self._submissionType),
        Field(8, "checkInProtectedReports", \Self.checkInProtectedReports),
    ])

    /// The enumeration `SubmissionType`.
    package enum SubmissionType: Int, Enum {
        /// `SUBMISSION_TYPE_PCR_TEST`
        case pcrTest = 0
        /// `SUBMISSION_TYPE_RAPID_TEST`
        case rapidTest = 1
        /// `SUBMISSION_TYPE_HOST_WARNING`
        case hostWarning = 2
        /// `SUBMISSION_TYPE_SRS_SELF_TEST`
        case srsSelfTest = 3
        /// `SUBMISSION_TYPE_SRS_REGISTERED_RAT`
        case srsRegisteredRat = 4
        /// `SUBMISSION_TYPE_SRS_UNREGISTERED_RAT`
        case srsUnregisteredRat = 5
        /// `SUBMISSION_TYPE_SRS_REGISTERED_PCR`
        case srsRegisteredPcr = 6
        /// `SUBMISSION_TYPE_SRS_UNREGISTERED_PCR`
        case srsUnregisteredPcr = 7
        /// `SUBMISSION_TYPE_SRS_RAPID_PCR`
        case srsRapidPcr = 8
        /// `SUBMISSION_TYPE_SRS_OTHER`
        case srsOther = 9

        /// The first value.
        package init() { self = .pcrTest }
        /// See ``Enum``.
        package static let names = [
            0: "SUBMISSION_TYPE_PCR_TEST",
            1: "SUBMISSION_TYPE_RAPID_TEST",
            2: "SUBMISSION_TYPE_HOST_WARNING",
            3: "SUBMISSION_TYPE_SRS_SELF_TEST",
            4: "SUBMISSION_TYPE_SRS_REGISTERED_RAT",
            5: "SUBMISSION_TYPE_SRS_UNREGISTERED_RAT",
            6: "SUBMISSION_TYPE_SRS_REGISTERED_PCR",
            7: "SUBMISSION_TYPE_SRS_UNREGISTERED_PCR",
            8: "SUBMISSION_TYPE_SRS_RAPID_PCR",
            9: "SUBMISSION_TYPE_SRS_OTHER",
        ]
    }
}
