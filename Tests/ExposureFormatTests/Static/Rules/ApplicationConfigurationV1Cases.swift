import ExposureFormat

extension StaticMessageRuleTests {
    static let firstApps: [Case] = [
        Case(first, "minRiskScore", "-1", "minRiskScore must be at least 0."),
        Case(first, "riskScoreClasses", nil, "riskScoreClasses is missing."),
        Case(first, "riskScoreClasses.riskClasses", "[]", "riskScoreClasses.riskClasses must not be empty."),
        Case(
            first, "riskScoreClasses.riskClasses[0].label", #""""#,
            "riskScoreClasses.riskClasses[0].label must not be empty."),
        Case(
            first, "riskScoreClasses.riskClasses[1].label", #""LOW""#,
            "riskScoreClasses.riskClasses.label must not have the same value twice."),
        Case(
            first, "riskScoreClasses.riskClasses[0].min", "-1",
            "riskScoreClasses.riskClasses[0].min must be at least 0."),
        Case(
            first, "riskScoreClasses.riskClasses[1].max", "15",
            "riskScoreClasses.riskClasses[1].max must be above min."),
        Case(
            first, "riskScoreClasses.riskClasses[1].min", "16",
            "riskScoreClasses.riskClasses must follow each other: one's min is the other's max."),
        Case(
            first, "riskScoreClasses.riskClasses[1].min", "14",
            "riskScoreClasses.riskClasses must follow each other: one's min is the other's max."),
        Case(
            first, "riskScoreClasses.riskClasses[0].url", #""www.coronawarn.app""#,
            "riskScoreClasses.riskClasses[0].url must be an address that begins with https://."),
        Case(first, "exposureConfig", nil, "exposureConfig is missing."),
        Case(
            first, "exposureConfig.transmissionWeight", "101",
            "exposureConfig.transmissionWeight must be from 0.0 to 100.0."),
        Case(first, "exposureConfig.durationWeight", "-1", "exposureConfig.durationWeight must be from 0.0 to 100.0."),
        Case(first, "exposureConfig.daysWeight", "101", "exposureConfig.daysWeight must be from 0.0 to 100.0."),
        Case(
            first, "exposureConfig.attenuationWeight", "101",
            "exposureConfig.attenuationWeight must be from 0.0 to 100.0."),
        Case(
            first, "exposureConfig.duration.gt0Le5Min", "9",
            "exposureConfig.duration.gt0Le5Min must be from 0 to 8, or a level's name."),
        Case(first, "attenuationDuration", nil, "attenuationDuration is missing."),
        Case(
            first, "attenuationDuration.thresholds.lower", "64",
            "attenuationDuration.thresholds.lower must not be above upper."),
        Case(
            first, "attenuationDuration.thresholds.upper", "256",
            "attenuationDuration.thresholds.upper must be from 0 to 255."),
        Case(first, "attenuationDuration.weights.low", "-1", "attenuationDuration.weights.low \(weight)."),
        Case(first, "attenuationDuration.weights.mid", "-1", "attenuationDuration.weights.mid \(weight)."),
        Case(first, "attenuationDuration.weights.high", "-1", "attenuationDuration.weights.high \(weight)."),
        Case(
            first, "attenuationDuration.defaultBucketOffset", "-1",
            "attenuationDuration.defaultBucketOffset must be at least 0."),
        Case(
            first, "attenuationDuration.riskScoreNormalizationDivisor", "0",
            "attenuationDuration.riskScoreNormalizationDivisor must be at least 1."),
        Case(first, "appVersion.ios.min.major", "5", "appVersion.ios.min must not be above ios.latest."),
        Case(first, "appVersion.android.min.patch", "10", "appVersion.android.min must not be above android.latest."),
        Case(
            first, "iosExposureDetectionParameters.maxExposureDetectionsPerInterval", "0",
            "iosExposureDetectionParameters.maxExposureDetectionsPerInterval must be from 1 to 6: with 0 or less cwa-app-ios "
                + "never looks for exposures."),
        Case(
            first, "androidExposureDetectionParameters.maxExposureDetectionsPerInterval", "0",
            "androidExposureDetectionParameters.maxExposureDetectionsPerInterval must be from 1 to 6: cwa-app-android looks "
                + "for exposures once a day with 0, and uses 6 instead of the rest."),
    ]
}
