// swift-format-ignore-file
// Made by Shared/Formats/generate.py from app_configuration_v1.proto: change that.
//
// The configuration of the first apps, which scored exposures with version 1 of Exposure Notification.

import SwiftProtobuf

enum WireRiskLevel: Enum {
    case unspecified
    case lowest
    case low
    case lowMedium
    case medium
    case mediumHigh
    case high
    case veryHigh
    case highest
    case UNRECOGNIZED(Int)

    init() { self = .unspecified }
    init?(rawValue: Int) {
        switch rawValue {
        case 0: self = .unspecified
        case 1: self = .lowest
        case 2: self = .low
        case 3: self = .lowMedium
        case 4: self = .medium
        case 5: self = .mediumHigh
        case 6: self = .high
        case 7: self = .veryHigh
        case 8: self = .highest
        default: self = .UNRECOGNIZED(rawValue)
        }
    }
    var rawValue: Int {
        switch self {
        case .unspecified: 0
        case .lowest: 1
        case .low: 2
        case .lowMedium: 3
        case .medium: 4
        case .mediumHigh: 5
        case .high: 6
        case .veryHigh: 7
        case .highest: 8
        case .UNRECOGNIZED(let number): number
        }
    }
    static let names = [
        0: "RISK_LEVEL_UNSPECIFIED",
        1: "RISK_LEVEL_LOWEST",
        2: "RISK_LEVEL_LOW",
        3: "RISK_LEVEL_LOW_MEDIUM",
        4: "RISK_LEVEL_MEDIUM",
        5: "RISK_LEVEL_MEDIUM_HIGH",
        6: "RISK_LEVEL_HIGH",
        7: "RISK_LEVEL_VERY_HIGH",
        8: "RISK_LEVEL_HIGHEST",
    ]
}

struct WireApplicationConfiguration: Message {
    var minRiskScore: Int32 = 0
    @Presence var riskScoreClasses: WireRiskScoreClassification
    var hasRiskScoreClasses: Bool { _riskScoreClasses.value != nil }
    @Presence var exposureConfig: WireRiskScoreParameters
    var hasExposureConfig: Bool { _exposureConfig.value != nil }
    @Presence var attenuationDuration: WireAttenuationDuration
    var hasAttenuationDuration: Bool { _attenuationDuration.value != nil }
    @Presence var appVersion: WireApplicationVersionConfiguration
    var hasAppVersion: Bool { _appVersion.value != nil }
    @Presence var appFeatures: WireAppFeatures
    var hasAppFeatures: Bool { _appFeatures.value != nil }
    var supportedCountries: [String] = []
    @Presence var iosKeyDownloadParameters: WireKeyDownloadParametersIOS
    var hasIosKeyDownloadParameters: Bool { _iosKeyDownloadParameters.value != nil }
    @Presence var androidKeyDownloadParameters: WireKeyDownloadParametersAndroid
    var hasAndroidKeyDownloadParameters: Bool { _androidKeyDownloadParameters.value != nil }
    @Presence var iosExposureDetectionParameters: WireExposureDetectionParametersIOS
    var hasIosExposureDetectionParameters: Bool { _iosExposureDetectionParameters.value != nil }
    @Presence var androidExposureDetectionParameters: WireExposureDetectionParametersAndroid
    var hasAndroidExposureDetectionParameters: Bool { _androidExposureDetectionParameters.value != nil }
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.ApplicationConfiguration", \Self.unknownFields, [
        Field(1, "minRiskScore", \Self.minRiskScore),
        Field(2, "riskScoreClasses", \Self._riskScoreClasses),
        Field(3, "exposureConfig", \Self._exposureConfig),
        Field(4, "attenuationDuration", \Self._attenuationDuration),
        Field(5, "appVersion", \Self._appVersion),
        Field(6, "appFeatures", \Self._appFeatures),
        Field(7, "supportedCountries", \Self.supportedCountries),
        Field(8, "iosKeyDownloadParameters", \Self._iosKeyDownloadParameters),
        Field(9, "androidKeyDownloadParameters", \Self._androidKeyDownloadParameters),
        Field(10, "iosExposureDetectionParameters", \Self._iosExposureDetectionParameters),
        Field(11, "androidExposureDetectionParameters", \Self._androidExposureDetectionParameters),
    ])
}

struct WireRiskScoreClassification: Message {
    var riskClasses: [WireRiskScoreClass] = []
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.RiskScoreClassification", \Self.unknownFields, [
        Field(1, "risk_classes", \Self.riskClasses),
    ])
}

/// From `min`, up to where the next class begins.
struct WireRiskScoreClass: Message {
    var label: String = ""
    var min: Int32 = 0
    var max: Int32 = 0
    var url: String = ""
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.RiskScoreClass", \Self.unknownFields, [
        Field(1, "label", \Self.label),
        Field(2, "min", \Self.min),
        Field(3, "max", \Self.max),
        Field(4, "url", \Self.url),
    ])
}

/// A score is the product of four levels, one of each group.
struct WireRiskScoreParameters: Message {
    @Presence var transmission: WireRiskScoreParameters.TransmissionRiskParameters
    var hasTransmission: Bool { _transmission.value != nil }
    var transmissionWeight: Double = 0
    @Presence var duration: WireRiskScoreParameters.DurationRiskParameters
    var hasDuration: Bool { _duration.value != nil }
    var durationWeight: Double = 0
    @Presence var daysSinceLastExposure: WireRiskScoreParameters.DaysSinceLastExposureRiskParameters
    var hasDaysSinceLastExposure: Bool { _daysSinceLastExposure.value != nil }
    var daysWeight: Double = 0
    @Presence var attenuation: WireRiskScoreParameters.AttenuationRiskParameters
    var hasAttenuation: Bool { _attenuation.value != nil }
    var attenuationWeight: Double = 0
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.RiskScoreParameters", \Self.unknownFields, [
        Field(1, "transmission", \Self._transmission),
        Field(2, "transmission_weight", \Self.transmissionWeight),
        Field(3, "duration", \Self._duration),
        Field(4, "duration_weight", \Self.durationWeight),
        Field(5, "days_since_last_exposure", \Self._daysSinceLastExposure),
        Field(6, "days_weight", \Self.daysWeight),
        Field(7, "attenuation", \Self._attenuation),
        Field(8, "attenuation_weight", \Self.attenuationWeight),
    ])

    /// By the key's transmission risk level.
    struct TransmissionRiskParameters: Message {
        var appDefined1: WireRiskLevel = .unspecified
        var appDefined2: WireRiskLevel = .unspecified
        var appDefined3: WireRiskLevel = .unspecified
        var appDefined4: WireRiskLevel = .unspecified
        var appDefined5: WireRiskLevel = .unspecified
        var appDefined6: WireRiskLevel = .unspecified
        var appDefined7: WireRiskLevel = .unspecified
        var appDefined8: WireRiskLevel = .unspecified
        var unknownFields = UnknownStorage()

        static let fields = FieldTable("vigil.exposure.RiskScoreParameters.TransmissionRiskParameters", \Self.unknownFields, [
            Field(1, "app_defined_1", \Self.appDefined1),
            Field(2, "app_defined_2", \Self.appDefined2),
            Field(3, "app_defined_3", \Self.appDefined3),
            Field(4, "app_defined_4", \Self.appDefined4),
            Field(5, "app_defined_5", \Self.appDefined5),
            Field(6, "app_defined_6", \Self.appDefined6),
            Field(7, "app_defined_7", \Self.appDefined7),
            Field(8, "app_defined_8", \Self.appDefined8),
        ])
    }

    /// By minutes: eq is equal, gt above, le at most.
    struct DurationRiskParameters: Message {
        var eq0Min: WireRiskLevel = .unspecified
        var gt0Le5Min: WireRiskLevel = .unspecified
        var gt5Le10Min: WireRiskLevel = .unspecified
        var gt10Le15Min: WireRiskLevel = .unspecified
        var gt15Le20Min: WireRiskLevel = .unspecified
        var gt20Le25Min: WireRiskLevel = .unspecified
        var gt25Le30Min: WireRiskLevel = .unspecified
        var gt30Min: WireRiskLevel = .unspecified
        var unknownFields = UnknownStorage()

        static let fields = FieldTable("vigil.exposure.RiskScoreParameters.DurationRiskParameters", \Self.unknownFields, [
            Field(1, "eq_0_min", \Self.eq0Min),
            Field(2, "gt_0_le_5_min", \Self.gt0Le5Min),
            Field(3, "gt_5_le_10_min", \Self.gt5Le10Min),
            Field(4, "gt_10_le_15_min", \Self.gt10Le15Min),
            Field(5, "gt_15_le_20_min", \Self.gt15Le20Min),
            Field(6, "gt_20_le_25_min", \Self.gt20Le25Min),
            Field(7, "gt_25_le_30_min", \Self.gt25Le30Min),
            Field(8, "gt_30_min", \Self.gt30Min),
        ])
    }

    /// By age in days: ge is at least, lt below.
    struct DaysSinceLastExposureRiskParameters: Message {
        var ge14Days: WireRiskLevel = .unspecified
        var ge12Lt14Days: WireRiskLevel = .unspecified
        var ge10Lt12Days: WireRiskLevel = .unspecified
        var ge8Lt10Days: WireRiskLevel = .unspecified
        var ge6Lt8Days: WireRiskLevel = .unspecified
        var ge4Lt6Days: WireRiskLevel = .unspecified
        var ge2Lt4Days: WireRiskLevel = .unspecified
        var ge0Lt2Days: WireRiskLevel = .unspecified
        var unknownFields = UnknownStorage()

        static let fields = FieldTable("vigil.exposure.RiskScoreParameters.DaysSinceLastExposureRiskParameters", \Self.unknownFields, [
            Field(1, "ge_14_days", \Self.ge14Days),
            Field(2, "ge_12_lt_14_days", \Self.ge12Lt14Days),
            Field(3, "ge_10_lt_12_days", \Self.ge10Lt12Days),
            Field(4, "ge_8_lt_10_days", \Self.ge8Lt10Days),
            Field(5, "ge_6_lt_8_days", \Self.ge6Lt8Days),
            Field(6, "ge_4_lt_6_days", \Self.ge4Lt6Days),
            Field(7, "ge_2_lt_4_days", \Self.ge2Lt4Days),
            Field(8, "ge_0_lt_2_days", \Self.ge0Lt2Days),
        ])
    }

    /// By attenuation in dB.
    struct AttenuationRiskParameters: Message {
        var gt73Dbm: WireRiskLevel = .unspecified
        var gt63Le73Dbm: WireRiskLevel = .unspecified
        var gt51Le63Dbm: WireRiskLevel = .unspecified
        var gt33Le51Dbm: WireRiskLevel = .unspecified
        var gt27Le33Dbm: WireRiskLevel = .unspecified
        var gt15Le27Dbm: WireRiskLevel = .unspecified
        var gt10Le15Dbm: WireRiskLevel = .unspecified
        var le10Dbm: WireRiskLevel = .unspecified
        var unknownFields = UnknownStorage()

        static let fields = FieldTable("vigil.exposure.RiskScoreParameters.AttenuationRiskParameters", \Self.unknownFields, [
            Field(1, "gt_73_dbm", \Self.gt73Dbm),
            Field(2, "gt_63_le_73_dbm", \Self.gt63Le73Dbm),
            Field(3, "gt_51_le_63_dbm", \Self.gt51Le63Dbm),
            Field(4, "gt_33_le_51_dbm", \Self.gt33Le51Dbm),
            Field(5, "gt_27_le_33_dbm", \Self.gt27Le33Dbm),
            Field(6, "gt_15_le_27_dbm", \Self.gt15Le27Dbm),
            Field(7, "gt_10_le_15_dbm", \Self.gt10Le15Dbm),
            Field(8, "le_10_dbm", \Self.le10Dbm),
        ])
    }
}

/// How the minutes in three bands of attenuation count, and what the product is divided by.
struct WireAttenuationDuration: Message {
    @Presence var thresholds: WireAttenuationThresholds
    var hasThresholds: Bool { _thresholds.value != nil }
    @Presence var weights: WireAttenuationWeights
    var hasWeights: Bool { _weights.value != nil }
    var defaultBucketOffset: Int32 = 0
    var riskScoreNormalizationDivisor: Int32 = 0
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.AttenuationDuration", \Self.unknownFields, [
        Field(1, "thresholds", \Self._thresholds),
        Field(2, "weights", \Self._weights),
        Field(3, "defaultBucketOffset", \Self.defaultBucketOffset),
        Field(4, "riskScoreNormalizationDivisor", \Self.riskScoreNormalizationDivisor),
    ])
}

/// In dB.
struct WireAttenuationThresholds: Message {
    var lower: Int32 = 0
    var upper: Int32 = 0
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.AttenuationThresholds", \Self.unknownFields, [
        Field(1, "lower", \Self.lower),
        Field(2, "upper", \Self.upper),
    ])
}

struct WireAttenuationWeights: Message {
    var low: Double = 0
    var mid: Double = 0
    var high: Double = 0
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.AttenuationWeights", \Self.unknownFields, [
        Field(1, "low", \Self.low),
        Field(2, "mid", \Self.mid),
        Field(3, "high", \Self.high),
    ])
}

struct WireApplicationVersionConfiguration: Message {
    @Presence var ios: WireApplicationVersionInfo
    var hasIos: Bool { _ios.value != nil }
    @Presence var android: WireApplicationVersionInfo
    var hasAndroid: Bool { _android.value != nil }
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.ApplicationVersionConfiguration", \Self.unknownFields, [
        Field(1, "ios", \Self._ios),
        Field(2, "android", \Self._android),
    ])
}

struct WireApplicationVersionInfo: Message {
    @Presence var latest: WireSemanticVersion
    var hasLatest: Bool { _latest.value != nil }
    @Presence var min: WireSemanticVersion
    var hasMin: Bool { _min.value != nil }
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.ApplicationVersionInfo", \Self.unknownFields, [
        Field(1, "latest", \Self._latest),
        Field(2, "min", \Self._min),
    ])
}
