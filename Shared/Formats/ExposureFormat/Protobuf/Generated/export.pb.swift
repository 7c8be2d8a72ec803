// swift-format-ignore-file
// Made by Shared/Formats/generate.py from export.proto: change that.
//
// Diagnosis keys as phones download them, and the signatures beside them.
//
// Message names and field numbers are those of the Exposure Notification key file ("EK Export v1") as the
// Corona-Warn-App publishes it. They are the contract with the phones' operating systems: never renumber.

package import FoundationEssentials
package import SwiftProtobuf

/// The content of `export.bin`, behind its header of 16 bytes.
package struct TemporaryExposureKeyExport: Message {
    /// UTC seconds since 1970; the window of time, on a boundary of an hour or a day, that this file covers.
    @Presence package var startTimestamp: UInt64
    /// Whether ``startTimestamp`` is set.
    package var hasStartTimestamp: Bool { _startTimestamp.value != nil }
    /// Makes ``startTimestamp`` a field that isn't set.
    package mutating func clearStartTimestamp() { _startTimestamp.value = nil }
    /// `end_timestamp`
    @Presence package var endTimestamp: UInt64
    /// Whether ``endTimestamp`` is set.
    package var hasEndTimestamp: Bool { _endTimestamp.value != nil }
    /// Makes ``endTimestamp`` a field that isn't set.
    package mutating func clearEndTimestamp() { _endTimestamp.value = nil }
    /// The country directory the file is published under, such as "DE".
    @Presence package var region: String
    /// Whether ``region`` is set.
    package var hasRegion: Bool { _region.value != nil }
    /// Makes ``region`` a field that isn't set.
    package mutating func clearRegion() { _region.value = nil }
    /// This file's place, counted from 1, among the files of the same window, and how many they are.
    @Presence package var batchNum: Int32
    /// Whether ``batchNum`` is set.
    package var hasBatchNum: Bool { _batchNum.value != nil }
    /// Makes ``batchNum`` a field that isn't set.
    package mutating func clearBatchNum() { _batchNum.value = nil }
    /// `batch_size`
    @Presence package var batchSize: Int32
    /// Whether ``batchSize`` is set.
    package var hasBatchSize: Bool { _batchSize.value != nil }
    /// Makes ``batchSize`` a field that isn't set.
    package mutating func clearBatchSize() { _batchSize.value = nil }
    /// `signature_infos`
    package var signatureInfos: [SignatureInfo] = []
    /// `keys`
    package var keys: [TemporaryExposureKey] = []
    /// Fields that the schema doesn't have.
    package var unknownFields = UnknownStorage()

    /// Without fields.
    package init() {}

    /// See ``Message``.
    package static let fields = FieldTable("vigil.exposure.TemporaryExposureKeyExport", \Self.unknownFields, [
        Field(fixed64: 1, "start_timestamp", \Self._startTimestamp),
        Field(fixed64: 2, "end_timestamp", \Self._endTimestamp),
        Field(3, "region", \Self._region),
        Field(4, "batch_num", \Self._batchNum),
        Field(5, "batch_size", \Self._batchSize),
        Field(6, "signature_infos", \Self.signatureInfos),
        Field(7, "keys", \Self.keys),
    ])
}

/// The message `SignatureInfo`.
package struct SignatureInfo: Message {
    /// `app_bundle_id`
    @Presence package var appBundleID: String
    /// Whether ``appBundleID`` is set.
    package var hasAppBundleID: Bool { _appBundleID.value != nil }
    /// Makes ``appBundleID`` a field that isn't set.
    package mutating func clearAppBundleID() { _appBundleID.value = nil }
    /// `android_package`
    @Presence package var androidPackage: String
    /// Whether ``androidPackage`` is set.
    package var hasAndroidPackage: Bool { _androidPackage.value != nil }
    /// Makes ``androidPackage`` a field that isn't set.
    package mutating func clearAndroidPackage() { _androidPackage.value = nil }
    /// `verification_key_version`
    @Presence package var verificationKeyVersion: String
    /// Whether ``verificationKeyVersion`` is set.
    package var hasVerificationKeyVersion: Bool { _verificationKeyVersion.value != nil }
    /// Makes ``verificationKeyVersion`` a field that isn't set.
    package mutating func clearVerificationKeyVersion() { _verificationKeyVersion.value = nil }
    /// `verification_key_id`
    @Presence package var verificationKeyID: String
    /// Whether ``verificationKeyID`` is set.
    package var hasVerificationKeyID: Bool { _verificationKeyID.value != nil }
    /// Makes ``verificationKeyID`` a field that isn't set.
    package mutating func clearVerificationKeyID() { _verificationKeyID.value = nil }
    /// An object identifier; ECDSA with SHA-256 is "1.2.840.10045.4.3.2".
    @Presence package var signatureAlgorithm: String
    /// Whether ``signatureAlgorithm`` is set.
    package var hasSignatureAlgorithm: Bool { _signatureAlgorithm.value != nil }
    /// Makes ``signatureAlgorithm`` a field that isn't set.
    package mutating func clearSignatureAlgorithm() { _signatureAlgorithm.value = nil }
    /// Fields that the schema doesn't have.
    package var unknownFields = UnknownStorage()

    /// Without fields.
    package init() {}

    /// See ``Message``.
    package static let fields = FieldTable("vigil.exposure.SignatureInfo", \Self.unknownFields, [
        Field(1, "app_bundle_id", \Self._appBundleID),
        Field(2, "android_package", \Self._androidPackage),
        Field(3, "verification_key_version", \Self._verificationKeyVersion),
        Field(4, "verification_key_id", \Self._verificationKeyID),
        Field(5, "signature_algorithm", \Self._signatureAlgorithm),
    ])
}

/// One day's key of one infected person, both when a phone uploads it and when it is published.
package struct TemporaryExposureKey: Message {
    /// `key_data`
    @Presence package var keyData: Data
    /// Whether ``keyData`` is set.
    package var hasKeyData: Bool { _keyData.value != nil }
    /// Makes ``keyData`` a field that isn't set.
    package mutating func clearKeyData() { _keyData.value = nil }
    /// `transmission_risk_level`
    @Presence package var transmissionRiskLevel: Int32
    /// Whether ``transmissionRiskLevel`` is set.
    package var hasTransmissionRiskLevel: Bool { _transmissionRiskLevel.value != nil }
    /// Makes ``transmissionRiskLevel`` a field that isn't set.
    package mutating func clearTransmissionRiskLevel() { _transmissionRiskLevel.value = nil }
    /// In units of ten minutes since 1970.
    @Presence package var rollingStartIntervalNumber: Int32
    /// Whether ``rollingStartIntervalNumber`` is set.
    package var hasRollingStartIntervalNumber: Bool { _rollingStartIntervalNumber.value != nil }
    /// Makes ``rollingStartIntervalNumber`` a field that isn't set.
    package mutating func clearRollingStartIntervalNumber() { _rollingStartIntervalNumber.value = nil }
    /// In units of ten minutes; 144 is a day.
    package var rollingPeriod: Int32 {
        get { _rollingPeriod.value ?? 144 }
        set { _rollingPeriod.value = newValue }
    }
    private var _rollingPeriod = Presence<Int32>()
    /// Whether ``rollingPeriod`` is set.
    package var hasRollingPeriod: Bool { _rollingPeriod.value != nil }
    /// Makes ``rollingPeriod`` a field that isn't set.
    package mutating func clearRollingPeriod() { _rollingPeriod.value = nil }
    /// `report_type`
    package var reportType: TemporaryExposureKey.ReportType {
        get { _reportType.value ?? .confirmedTest }
        set { _reportType.value = newValue }
    }
    private var _reportType = Presence<TemporaryExposureKey.ReportType>()
    /// Whether ``reportType`` is set.
    package var hasReportType: Bool { _reportType.value != nil }
    /// Makes ``reportType`` a field that isn't set.
    package mutating func clearReportType() { _reportType.value = nil }
    /// `days_since_onset_of_symptoms`
    @Presence package var daysSinceOnsetOfSymptoms: Int32
    /// Whether ``daysSinceOnsetOfSymptoms`` is set.
    package var hasDaysSinceOnsetOfSymptoms: Bool { _daysSinceOnsetOfSymptoms.value != nil }
    /// Makes ``daysSinceOnsetOfSymptoms`` a field that isn't set.
    package mutating func clearDaysSinceOnsetOfSymptoms() { _daysSinceOnsetOfSymptoms.value = nil }
    /// Fields that the schema doesn't have.
    package var unknownFields = UnknownStorage()

    /// Without fields.
    package init() {}

    /// See ``Message``.
    package static let fields = FieldTable("vigil.exposure.TemporaryExposureKey", \Self.unknownFields, [
        Field(1, "key_data", \Self._keyData),
        Field(2, "transmission_risk_level", \Self._transmissionRiskLevel),
        Field(3, "rolling_start_interval_number", \Self._rollingStartIntervalNumber),
        Field(4, "rolling_period", \Self._rollingPeriod),
        Field(5, "report_type", \Self._reportType),
        Field(sint32: 6, "days_since_onset_of_symptoms", \Self._daysSinceOnsetOfSymptoms),
    ])

    /// The enumeration `ReportType`.
    package enum ReportType: Int, Enum {
        /// `UNKNOWN`
        case unknown = 0
        /// `CONFIRMED_TEST`
        case confirmedTest = 1
        /// `CONFIRMED_CLINICAL_DIAGNOSIS`
        case confirmedClinicalDiagnosis = 2
        /// `SELF_REPORT`
        case selfReport = 3
        /// `RECURSIVE`
        case recursive = 4
        /// `REVOKED`
        case revoked = 5

        /// The first value.
        package init() { self = .unknown }
        /// See ``Enum``.
        package static let names = [
            0: "UNKNOWN",
            1: "CONFIRMED_TEST",
            2: "CONFIRMED_CLINICAL_DIAGNOSIS",
            3: "SELF_REPORT",
            4: "RECURSIVE",
            5: "REVOKED",
        ]
    }
}

/// The content of `export.sig`.
package struct TEKSignatureList: Message {
    /// `signatures`
    package var signatures: [TEKSignature] = []
    /// Fields that the schema doesn't have.
    package var unknownFields = UnknownStorage()

    /// Without fields.
    package init() {}

    /// See ``Message``.
    package static let fields = FieldTable("vigil.exposure.TEKSignatureList", \Self.unknownFields, [
        Field(1, "signatures", \Self.signatures),
    ])
}

/// The message `TEKSignature`.
package struct TEKSignature: Message {
    /// `signature_info`
    @Presence package var signatureInfo: SignatureInfo
    /// Whether ``signatureInfo`` is set.
    package var hasSignatureInfo: Bool { _signatureInfo.value != nil }
    /// `batch_num`
    @Presence package var batchNum: Int32
    /// Whether ``batchNum`` is set.
    package var hasBatchNum: Bool { _batchNum.value != nil }
    /// Makes ``batchNum`` a field that isn't set.
    package mutating func clearBatchNum() { _batchNum.value = nil }
    /// `batch_size`
    @Presence package var batchSize: Int32
    /// Whether ``batchSize`` is set.
    package var hasBatchSize: Bool { _batchSize.value != nil }
    /// Makes ``batchSize`` a field that isn't set.
    package mutating func clearBatchSize() { _batchSize.value = nil }
    /// Over every byte of `export.bin`, DER (X9.62).
    @Presence package var signature: Data
    /// Whether ``signature`` is set.
    package var hasSignature: Bool { _signature.value != nil }
    /// Makes ``signature`` a field that isn't set.
    package mutating func clearSignature() { _signature.value = nil }
    /// Fields that the schema doesn't have.
    package var unknownFields = UnknownStorage()

    /// Without fields.
    package init() {}

    /// See ``Message``.
    package static let fields = FieldTable("vigil.exposure.TEKSignature", \Self.unknownFields, [
        Field(1, "signature_info", \Self._signatureInfo),
        Field(2, "batch_num", \Self._batchNum),
        Field(3, "batch_size", \Self._batchSize),
        Field(4, "signature", \Self._signature),
    ])
}
