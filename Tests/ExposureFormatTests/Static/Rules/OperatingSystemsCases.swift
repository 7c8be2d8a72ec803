import ExposureFormat

extension StaticMessageRuleTests {
    static let operatingSystems: [Case] =
        [
            Case(ios, "exposureConfiguration", nil, "exposureConfiguration is missing."),
            Case(
                ios, "exposureConfiguration.infectiousnessForDaysSinceOnsetOfSymptoms.15", "1",
                "exposureConfiguration.infectiousnessForDaysSinceOnsetOfSymptoms must have days from -14 to 14."),
            Case(
                ios, "exposureConfiguration.infectiousnessForDaysSinceOnsetOfSymptoms.1", "3",
                "exposureConfiguration.infectiousnessForDaysSinceOnsetOfSymptoms must have values from 0 to 2."),
            Case(
                ios, "exposureConfiguration.reportTypeNoneMap", "5",
                "exposureConfiguration.reportTypeNoneMap must be from 0 to 4."),
            Case(
                ios, "exposureConfiguration.attenuationDurationThresholds", "[30, 50]",
                "exposureConfiguration.attenuationDurationThresholds must have three values."),
            Case(
                ios, "exposureConfiguration.attenuationDurationThresholds", "[30, 50, 256]",
                "exposureConfiguration.attenuationDurationThresholds must have values from 0 to 255."),
            Case(
                ios, "exposureConfiguration.attenuationDurationThresholds", "[30, 50, 50]",
                "exposureConfiguration.attenuationDurationThresholds must ascend."),
            Case(ios, "exposureConfiguration.attenuationDurationThresholds", "[0, 1, 255]"),
            Case(
                ios, "exposureConfiguration.daysSinceLastExposureThreshold", "-1",
                "exposureConfiguration.daysSinceLastExposureThreshold must be at least 0."),
            Case(android, "diagnosisKeysDataMapping", nil, "diagnosisKeysDataMapping is missing: \(discarded)."),
            Case(
                android, "diagnosisKeysDataMapping.daysSinceOnsetToInfectiousness.-15", "1",
                "diagnosisKeysDataMapping.daysSinceOnsetToInfectiousness must have days from -14 to 14."),
            Case(
                android, "diagnosisKeysDataMapping.daysSinceOnsetToInfectiousness.1", "-1",
                "diagnosisKeysDataMapping.daysSinceOnsetToInfectiousness must have values from 0 to 2."),
            Case(
                android, "diagnosisKeysDataMapping.infectiousnessWhenDaysSinceOnsetMissing", "3",
                "diagnosisKeysDataMapping.infectiousnessWhenDaysSinceOnsetMissing must be from 0 to 2."),
            Case(
                android, "diagnosisKeysDataMapping.reportTypeWhenMissing", nil,
                "diagnosisKeysDataMapping.reportTypeWhenMissing must be from 1 to 4."),
            Case(android, "dailySummariesConfig", nil, "dailySummariesConfig is missing."),
            Case(
                android, "dailySummariesConfig.attenuationBucketThresholdDb", "[50, 30, 70]",
                "dailySummariesConfig.attenuationBucketThresholdDb must ascend."),
            Case(
                android, "dailySummariesConfig.attenuationBucketWeights", "[1, 1, 1]",
                "dailySummariesConfig.attenuationBucketWeights must have four values."),
            Case(
                android, "dailySummariesConfig.attenuationBucketWeights[3]", "2.6",
                "dailySummariesConfig.attenuationBucketWeights[3] must be from 0.0 to 2.5."),
            Case(
                android, "dailySummariesConfig.daysSinceExposureThreshold", "-1",
                "dailySummariesConfig.daysSinceExposureThreshold must be at least 0."),
            Case(
                android, "dailySummariesConfig.infectiousnessWeights.3", "1",
                "dailySummariesConfig.infectiousnessWeights[3] is for none of 1 to 2."),
            Case(
                android, "dailySummariesConfig.infectiousnessWeights.2", "-1",
                "dailySummariesConfig.infectiousnessWeights[2] must be from 0.0 to 2.5."),
            Case(
                android, "dailySummariesConfig.minimumWindowScore", "-1",
                "dailySummariesConfig.minimumWindowScore \(weight)."),
            Case(
                android, "dailySummariesConfig.reportTypeWeights.5", "1",
                "dailySummariesConfig.reportTypeWeights[5] is for none of 1 to 4."),
        ]
        + [
            "immediateDuration", "mediumDuration", "nearDuration", "otherDuration", "infectiousnessStandard",
            "infectiousnessHigh", "reportTypeConfirmedTest", "reportTypeConfirmedClinicalDiagnosis",
            "reportTypeSelfReported", "reportTypeRecursive",
        ].map {
            Case(ios, "exposureConfiguration.\($0)Weight", "-1", "exposureConfiguration.\($0)Weight \(weight).")
        }
}
