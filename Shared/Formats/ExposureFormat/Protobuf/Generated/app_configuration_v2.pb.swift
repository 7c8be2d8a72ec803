// swift-format-ignore-file
// Made by Shared/Formats/generate.py from app_configuration_v2.proto: change that.
//
// The configurations of the two apps, which score exposures with version 2 of Exposure Notification.

import SwiftProtobuf

struct WireApplicationConfigurationIOS: Message {
    @Presence var minVersion: WireSemanticVersion
    var hasMinVersion: Bool { _minVersion.value != nil }
    @Presence var latestVersion: WireSemanticVersion
    var hasLatestVersion: Bool { _latestVersion.value != nil }
    @Presence var appFeatures: WireAppFeatures
    var hasAppFeatures: Bool { _appFeatures.value != nil }
    var supportedCountries: [String] = []
    @Presence var keyDownloadParameters: WireKeyDownloadParametersIOS
    var hasKeyDownloadParameters: Bool { _keyDownloadParameters.value != nil }
    @Presence var exposureDetectionParameters: WireExposureDetectionParametersIOS
    var hasExposureDetectionParameters: Bool { _exposureDetectionParameters.value != nil }
    @Presence var riskCalculationParameters: WireRiskCalculationParameters
    var hasRiskCalculationParameters: Bool { _riskCalculationParameters.value != nil }
    @Presence var exposureConfiguration: WireExposureConfiguration
    var hasExposureConfiguration: Bool { _exposureConfiguration.value != nil }
    @Presence var eventDrivenUserSurveyParameters: WirePPDDEventDrivenUserSurveyParametersIOS
    var hasEventDrivenUserSurveyParameters: Bool { _eventDrivenUserSurveyParameters.value != nil }
    @Presence var privacyPreservingAnalyticsParameters: WirePPDDPrivacyPreservingAnalyticsParametersIOS
    var hasPrivacyPreservingAnalyticsParameters: Bool { _privacyPreservingAnalyticsParameters.value != nil }
    @Presence var errorLogSharingParameters: WirePPDDErrorLogSharingParametersIOS
    var hasErrorLogSharingParameters: Bool { _errorLogSharingParameters.value != nil }
    @Presence var presenceTracingParameters: WirePresenceTracingParameters
    var hasPresenceTracingParameters: Bool { _presenceTracingParameters.value != nil }
    @Presence var coronaTestParameters: WireCoronaTestParameters
    var hasCoronaTestParameters: Bool { _coronaTestParameters.value != nil }
    @Presence var dgcParameters: WireDGCParameters
    var hasDgcParameters: Bool { _dgcParameters.value != nil }
    @Presence var selfReportParameters: WirePPDDSelfReportSubmissionParametersIOS
    var hasSelfReportParameters: Bool { _selfReportParameters.value != nil }
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.ApplicationConfigurationIOS", \Self.unknownFields, [
        Field(1, "minVersion", \Self._minVersion),
        Field(2, "latestVersion", \Self._latestVersion),
        Field(3, "appFeatures", \Self._appFeatures),
        Field(4, "supportedCountries", \Self.supportedCountries),
        Field(5, "keyDownloadParameters", \Self._keyDownloadParameters),
        Field(6, "exposureDetectionParameters", \Self._exposureDetectionParameters),
        Field(7, "riskCalculationParameters", \Self._riskCalculationParameters),
        Field(8, "exposureConfiguration", \Self._exposureConfiguration),
        Field(9, "eventDrivenUserSurveyParameters", \Self._eventDrivenUserSurveyParameters),
        Field(10, "privacyPreservingAnalyticsParameters", \Self._privacyPreservingAnalyticsParameters),
        Field(11, "errorLogSharingParameters", \Self._errorLogSharingParameters),
        Field(12, "presenceTracingParameters", \Self._presenceTracingParameters),
        Field(13, "coronaTestParameters", \Self._coronaTestParameters),
        Field(14, "dgcParameters", \Self._dgcParameters),
        Field(15, "selfReportParameters", \Self._selfReportParameters),
    ])
}

struct WireApplicationConfigurationAndroid: Message {
    var minVersionCode: Int64 = 0
    var latestVersionCode: Int64 = 0
    @Presence var appFeatures: WireAppFeatures
    var hasAppFeatures: Bool { _appFeatures.value != nil }
    var supportedCountries: [String] = []
    @Presence var keyDownloadParameters: WireKeyDownloadParametersAndroid
    var hasKeyDownloadParameters: Bool { _keyDownloadParameters.value != nil }
    @Presence var exposureDetectionParameters: WireExposureDetectionParametersAndroid
    var hasExposureDetectionParameters: Bool { _exposureDetectionParameters.value != nil }
    @Presence var riskCalculationParameters: WireRiskCalculationParameters
    var hasRiskCalculationParameters: Bool { _riskCalculationParameters.value != nil }
    @Presence var diagnosisKeysDataMapping: WireDiagnosisKeysDataMapping
    var hasDiagnosisKeysDataMapping: Bool { _diagnosisKeysDataMapping.value != nil }
    @Presence var dailySummariesConfig: WireDailySummariesConfig
    var hasDailySummariesConfig: Bool { _dailySummariesConfig.value != nil }
    @Presence var eventDrivenUserSurveyParameters: WirePPDDEventDrivenUserSurveyParametersAndroid
    var hasEventDrivenUserSurveyParameters: Bool { _eventDrivenUserSurveyParameters.value != nil }
    @Presence var privacyPreservingAnalyticsParameters: WirePPDDPrivacyPreservingAnalyticsParametersAndroid
    var hasPrivacyPreservingAnalyticsParameters: Bool { _privacyPreservingAnalyticsParameters.value != nil }
    @Presence var errorLogSharingParameters: WirePPDDErrorLogSharingParametersAndroid
    var hasErrorLogSharingParameters: Bool { _errorLogSharingParameters.value != nil }
    @Presence var presenceTracingParameters: WirePresenceTracingParameters
    var hasPresenceTracingParameters: Bool { _presenceTracingParameters.value != nil }
    @Presence var coronaTestParameters: WireCoronaTestParameters
    var hasCoronaTestParameters: Bool { _coronaTestParameters.value != nil }
    @Presence var dgcParameters: WireDGCParameters
    var hasDgcParameters: Bool { _dgcParameters.value != nil }
    @Presence var selfReportParameters: WirePPDDSelfReportSubmissionParametersAndroid
    var hasSelfReportParameters: Bool { _selfReportParameters.value != nil }
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.ApplicationConfigurationAndroid", \Self.unknownFields, [
        Field(1, "minVersionCode", \Self.minVersionCode),
        Field(2, "latestVersionCode", \Self.latestVersionCode),
        Field(3, "appFeatures", \Self._appFeatures),
        Field(4, "supportedCountries", \Self.supportedCountries),
        Field(5, "keyDownloadParameters", \Self._keyDownloadParameters),
        Field(6, "exposureDetectionParameters", \Self._exposureDetectionParameters),
        Field(7, "riskCalculationParameters", \Self._riskCalculationParameters),
        Field(8, "diagnosisKeysDataMapping", \Self._diagnosisKeysDataMapping),
        Field(9, "dailySummariesConfig", \Self._dailySummariesConfig),
        Field(10, "eventDrivenUserSurveyParameters", \Self._eventDrivenUserSurveyParameters),
        Field(11, "privacyPreservingAnalyticsParameters", \Self._privacyPreservingAnalyticsParameters),
        Field(12, "errorLogSharingParameters", \Self._errorLogSharingParameters),
        Field(13, "presenceTracingParameters", \Self._presenceTracingParameters),
        Field(14, "coronaTestParameters", \Self._coronaTestParameters),
        Field(15, "dgcParameters", \Self._dgcParameters),
        Field(16, "selfReportParameters", \Self._selfReportParameters),
    ])
}

/// What iOS is told of how keys and attenuations count (ENExposureConfiguration).
struct WireExposureConfiguration: Message {
    /// Days since onset, as they stand in a published key, to 0 none, 1 standard, 2 high.
    var infectiousnessForDaysSinceOnsetOfSymptoms: [Int32: Int32] = [:]
    /// The report type of keys that have none.
    var reportTypeNoneMap: Int32 = 0
    /// In dB, three: they divide immediate, near, medium and other.
    var attenuationDurationThresholds: [Int32] = []
    var immediateDurationWeight: Double = 0
    var mediumDurationWeight: Double = 0
    var nearDurationWeight: Double = 0
    var otherDurationWeight: Double = 0
    var daysSinceLastExposureThreshold: Int32 = 0
    var infectiousnessStandardWeight: Double = 0
    var infectiousnessHighWeight: Double = 0
    var reportTypeConfirmedTestWeight: Double = 0
    var reportTypeConfirmedClinicalDiagnosisWeight: Double = 0
    var reportTypeSelfReportedWeight: Double = 0
    var reportTypeRecursiveWeight: Double = 0
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.ExposureConfiguration", \Self.unknownFields, [
        Field(1, "infectiousnessForDaysSinceOnsetOfSymptoms", \Self.infectiousnessForDaysSinceOnsetOfSymptoms),
        Field(2, "reportTypeNoneMap", \Self.reportTypeNoneMap),
        Field(3, "attenuationDurationThresholds", \Self.attenuationDurationThresholds),
        Field(4, "immediateDurationWeight", \Self.immediateDurationWeight),
        Field(5, "mediumDurationWeight", \Self.mediumDurationWeight),
        Field(6, "nearDurationWeight", \Self.nearDurationWeight),
        Field(7, "otherDurationWeight", \Self.otherDurationWeight),
        Field(8, "daysSinceLastExposureThreshold", \Self.daysSinceLastExposureThreshold),
        Field(9, "infectiousnessStandardWeight", \Self.infectiousnessStandardWeight),
        Field(10, "infectiousnessHighWeight", \Self.infectiousnessHighWeight),
        Field(11, "reportTypeConfirmedTestWeight", \Self.reportTypeConfirmedTestWeight),
        Field(12, "reportTypeConfirmedClinicalDiagnosisWeight", \Self.reportTypeConfirmedClinicalDiagnosisWeight),
        Field(13, "reportTypeSelfReportedWeight", \Self.reportTypeSelfReportedWeight),
        Field(14, "reportTypeRecursiveWeight", \Self.reportTypeRecursiveWeight),
    ])
}

/// What Android is told of how keys count.
struct WireDiagnosisKeysDataMapping: Message {
    var daysSinceOnsetToInfectiousness: [Int32: Int32] = [:]
    var infectiousnessWhenDaysSinceOnsetMissing: Int32 = 0
    var reportTypeWhenMissing: Int32 = 0
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.DiagnosisKeysDataMapping", \Self.unknownFields, [
        Field(1, "daysSinceOnsetToInfectiousness", \Self.daysSinceOnsetToInfectiousness),
        Field(2, "infectiousnessWhenDaysSinceOnsetMissing", \Self.infectiousnessWhenDaysSinceOnsetMissing),
        Field(3, "reportTypeWhenMissing", \Self.reportTypeWhenMissing),
    ])
}

/// What Android is told of how attenuations count.
struct WireDailySummariesConfig: Message {
    /// In dB, three, which make four buckets.
    var attenuationBucketThresholdDb: [Int32] = []
    var attenuationBucketWeights: [Double] = []
    var daysSinceExposureThreshold: Int32 = 0
    var infectiousnessWeights: [Int32: Double] = [:]
    var minimumWindowScore: Double = 0
    var reportTypeWeights: [Int32: Double] = [:]
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.DailySummariesConfig", \Self.unknownFields, [
        Field(1, "attenuationBucketThresholdDb", \Self.attenuationBucketThresholdDb),
        Field(2, "attenuationBucketWeights", \Self.attenuationBucketWeights),
        Field(3, "daysSinceExposureThreshold", \Self.daysSinceExposureThreshold),
        Field(4, "infectiousnessWeights", \Self.infectiousnessWeights),
        Field(5, "minimumWindowScore", \Self.minimumWindowScore),
        Field(6, "reportTypeWeights", \Self.reportTypeWeights),
    ])
}
