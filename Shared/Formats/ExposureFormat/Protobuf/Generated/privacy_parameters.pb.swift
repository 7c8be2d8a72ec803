// swift-format-ignore-file
// Made by Shared/Formats/generate.py from privacy_parameters.proto: change that.
//
// Surveys, analytics, error logs and self-reports. The contract's prefix PPDD is "privacy-preserving data donation".

import SwiftProtobuf

/// What a phone has to prove of itself.
struct WirePPDDPrivacyPreservingAccessControlParametersIOS: Message {
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.PPDDPrivacyPreservingAccessControlParametersIOS", \Self.unknownFields, [])
}

struct WirePPDDPrivacyPreservingAccessControlParametersAndroid: Message {
    var requireBasicIntegrity: Bool = false
    var requireCtsprofileMatch: Bool = false
    var requireEvaluationTypeBasic: Bool = false
    var requireEvaluationTypeHardwareBacked: Bool = false
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.PPDDPrivacyPreservingAccessControlParametersAndroid", \Self.unknownFields, [
        Field(1, "requireBasicIntegrity", \Self.requireBasicIntegrity),
        Field(2, "requireCTSProfileMatch", \Self.requireCtsprofileMatch),
        Field(3, "requireEvaluationTypeBasic", \Self.requireEvaluationTypeBasic),
        Field(4, "requireEvaluationTypeHardwareBacked", \Self.requireEvaluationTypeHardwareBacked),
    ])
}

struct WirePPDDEventDrivenUserSurveyParametersIOS: Message {
    @Presence var common: WirePPDDEventDrivenUserSurveyParametersCommon
    var hasCommon: Bool { _common.value != nil }
    @Presence var ppac: WirePPDDPrivacyPreservingAccessControlParametersIOS
    var hasPpac: Bool { _ppac.value != nil }
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.PPDDEventDrivenUserSurveyParametersIOS", \Self.unknownFields, [
        Field(1, "common", \Self._common),
        Field(2, "ppac", \Self._ppac),
    ])
}

struct WirePPDDEventDrivenUserSurveyParametersAndroid: Message {
    @Presence var common: WirePPDDEventDrivenUserSurveyParametersCommon
    var hasCommon: Bool { _common.value != nil }
    @Presence var ppac: WirePPDDPrivacyPreservingAccessControlParametersAndroid
    var hasPpac: Bool { _ppac.value != nil }
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.PPDDEventDrivenUserSurveyParametersAndroid", \Self.unknownFields, [
        Field(1, "common", \Self._common),
        Field(2, "ppac", \Self._ppac),
    ])
}

struct WirePPDDEventDrivenUserSurveyParametersCommon: Message {
    /// The one-time password goes to the survey's address under this name.
    var otpQueryParameterName: String = ""
    var surveyOnHighRiskEnabled: Bool = false
    var surveyOnHighRiskURL: String = ""
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.PPDDEventDrivenUserSurveyParametersCommon", \Self.unknownFields, [
        Field(1, "otpQueryParameterName", \Self.otpQueryParameterName),
        Field(2, "surveyOnHighRiskEnabled", \Self.surveyOnHighRiskEnabled),
        Field(3, "surveyOnHighRiskUrl", \Self.surveyOnHighRiskURL),
    ])
}

struct WirePPDDPrivacyPreservingAnalyticsParametersIOS: Message {
    @Presence var common: WirePPDDPrivacyPreservingAnalyticsParametersCommon
    var hasCommon: Bool { _common.value != nil }
    @Presence var ppac: WirePPDDPrivacyPreservingAccessControlParametersIOS
    var hasPpac: Bool { _ppac.value != nil }
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.PPDDPrivacyPreservingAnalyticsParametersIOS", \Self.unknownFields, [
        Field(1, "common", \Self._common),
        Field(2, "ppac", \Self._ppac),
    ])
}

struct WirePPDDPrivacyPreservingAnalyticsParametersAndroid: Message {
    @Presence var common: WirePPDDPrivacyPreservingAnalyticsParametersCommon
    var hasCommon: Bool { _common.value != nil }
    @Presence var ppac: WirePPDDPrivacyPreservingAccessControlParametersAndroid
    var hasPpac: Bool { _ppac.value != nil }
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.PPDDPrivacyPreservingAnalyticsParametersAndroid", \Self.unknownFields, [
        Field(1, "common", \Self._common),
        Field(2, "ppac", \Self._ppac),
    ])
}

struct WirePPDDPrivacyPreservingAnalyticsParametersCommon: Message {
    var probabilityToSubmit: Double = 0
    var probabilityToSubmitExposureWindows: Double = 0
    var hoursSinceTestRegistrationToSubmitTestResultMetadata: Int32 = 0
    var hoursSinceTestResultToSubmitKeySubmissionMetadata: Int32 = 0
    @Presence var plausibleDeniabilityParameters: WirePPDDPrivacyPreservingAnalyticsPlausibleDeniabilityParameters
    var hasPlausibleDeniabilityParameters: Bool { _plausibleDeniabilityParameters.value != nil }
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.PPDDPrivacyPreservingAnalyticsParametersCommon", \Self.unknownFields, [
        Field(1, "probabilityToSubmit", \Self.probabilityToSubmit),
        Field(2, "probabilityToSubmitExposureWindows", \Self.probabilityToSubmitExposureWindows),
        Field(3, "hoursSinceTestRegistrationToSubmitTestResultMetadata", \Self.hoursSinceTestRegistrationToSubmitTestResultMetadata),
        Field(4, "hoursSinceTestResultToSubmitKeySubmissionMetadata", \Self.hoursSinceTestResultToSubmitKeySubmissionMetadata),
        Field(5, "plausibleDeniabilityParameters", \Self._plausibleDeniabilityParameters),
    ])
}

struct WirePPDDPrivacyPreservingAnalyticsPlausibleDeniabilityParameters: Message {
    var probabilityOfFakeKeySubmission: Double = 0
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.PPDDPrivacyPreservingAnalyticsPlausibleDeniabilityParameters", \Self.unknownFields, [
        Field(1, "probabilityOfFakeKeySubmission", \Self.probabilityOfFakeKeySubmission),
    ])
}

struct WirePPDDErrorLogSharingParametersIOS: Message {
    @Presence var common: WirePPDDErrorLogSharingParametersCommon
    var hasCommon: Bool { _common.value != nil }
    @Presence var ppac: WirePPDDPrivacyPreservingAccessControlParametersIOS
    var hasPpac: Bool { _ppac.value != nil }
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.PPDDErrorLogSharingParametersIOS", \Self.unknownFields, [
        Field(1, "common", \Self._common),
        Field(2, "ppac", \Self._ppac),
    ])
}

struct WirePPDDErrorLogSharingParametersAndroid: Message {
    @Presence var common: WirePPDDErrorLogSharingParametersCommon
    var hasCommon: Bool { _common.value != nil }
    @Presence var ppac: WirePPDDPrivacyPreservingAccessControlParametersAndroid
    var hasPpac: Bool { _ppac.value != nil }
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.PPDDErrorLogSharingParametersAndroid", \Self.unknownFields, [
        Field(1, "common", \Self._common),
        Field(2, "ppac", \Self._ppac),
    ])
}

struct WirePPDDErrorLogSharingParametersCommon: Message {
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.PPDDErrorLogSharingParametersCommon", \Self.unknownFields, [])
}

struct WirePPDDSelfReportSubmissionParametersIOS: Message {
    @Presence var common: WirePPDDSelfReportSubmissionParametersCommon
    var hasCommon: Bool { _common.value != nil }
    @Presence var ppac: WirePPDDPrivacyPreservingAccessControlParametersIOS
    var hasPpac: Bool { _ppac.value != nil }
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.PPDDSelfReportSubmissionParametersIOS", \Self.unknownFields, [
        Field(1, "common", \Self._common),
        Field(2, "ppac", \Self._ppac),
    ])
}

struct WirePPDDSelfReportSubmissionParametersAndroid: Message {
    @Presence var common: WirePPDDSelfReportSubmissionParametersCommon
    var hasCommon: Bool { _common.value != nil }
    @Presence var ppac: WirePPDDPrivacyPreservingAccessControlParametersAndroid
    var hasPpac: Bool { _ppac.value != nil }
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.PPDDSelfReportSubmissionParametersAndroid", \Self.unknownFields, [
        Field(1, "common", \Self._common),
        Field(2, "ppac", \Self._ppac),
    ])
}

struct WirePPDDSelfReportSubmissionParametersCommon: Message {
    var timeSinceOnboardingInHours: Int32 = 0
    var timeBetweenSubmissionsInDays: Int32 = 0
    @Presence var plausibleDeniabilityParameters: WirePPDDSelfReportSubmissionPlausibleDeniabilityParameters
    var hasPlausibleDeniabilityParameters: Bool { _plausibleDeniabilityParameters.value != nil }
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.PPDDSelfReportSubmissionParametersCommon", \Self.unknownFields, [
        Field(1, "timeSinceOnboardingInHours", \Self.timeSinceOnboardingInHours),
        Field(2, "timeBetweenSubmissionsInDays", \Self.timeBetweenSubmissionsInDays),
        Field(3, "plausibleDeniabilityParameters", \Self._plausibleDeniabilityParameters),
    ])
}

struct WirePPDDSelfReportSubmissionPlausibleDeniabilityParameters: Message {
    var minRequestPaddingBytes: Int32 = 0
    var maxRequestPaddingBytes: Int32 = 0
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.PPDDSelfReportSubmissionPlausibleDeniabilityParameters", \Self.unknownFields, [
        Field(1, "minRequestPaddingBytes", \Self.minRequestPaddingBytes),
        Field(2, "maxRequestPaddingBytes", \Self.maxRequestPaddingBytes),
    ])
}
