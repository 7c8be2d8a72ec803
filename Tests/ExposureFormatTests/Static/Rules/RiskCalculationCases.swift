import ExposureFormat

extension StaticMessageRuleTests {
    private static let age = "must be from 1 to 14: cwa-app-android and cwa-app-ios use 14 instead of 0"
    /// Also with a `transmissionRiskLevelMultiplier`, which no current app reads.
    private static let noValues =
        "\(risk).transmissionRiskValueMapping must not be empty: without it cwa-app-android discards the whole "
        + "configuration, and cwa-app-ios warns nobody."

    static let riskCalculation: [Case] = [
        Case(ios, risk, nil, "\(risk) is missing: cwa-app-ios warns nobody without it."),
        Case(android, risk, nil, "\(risk) is missing: \(discarded)."),
        Case(
            ios, "\(risk).minutesAtAttenuationFilters[0].attenuationRange", nil,
            "\(risk).minutesAtAttenuationFilters[0].attenuationRange is missing."),
        Case(
            ios, "\(risk).minutesAtAttenuationFilters[0].dropIfMinutesInRange.min", "6",
            "\(risk).minutesAtAttenuationFilters[0].dropIfMinutesInRange.max must not be less than min, and not equal "
                + "where an end is exclusive."),
        Case(
            ios, "\(risk).trlFilters[0].dropIfTrlInRange", #"{"min": 1, "max": 1, "maxExclusive": true}"#,
            "\(risk).trlFilters[0].dropIfTrlInRange.max must not be less than min, and not equal where an end is "
                + "exclusive."),
        Case(ios, "\(risk).trlFilters[0].dropIfTrlInRange", #"{"min": 1, "max": 1}"#),
        Case(
            ios, "\(risk).trlFilters[0].dropIfTrlInRange.max", #""Infinity""#,
            "\(risk).trlFilters[0].dropIfTrlInRange.max \(finite)."),
        Case(
            ios, "\(risk).minutesAtAttenuationWeights", "[]",
            "\(risk).minutesAtAttenuationWeights must not be empty."),
        Case(
            ios, "\(risk).minutesAtAttenuationWeights[0].weight", "-0.1",
            "\(risk).minutesAtAttenuationWeights[0].weight \(weight)."),
        Case(
            ios, "\(risk).minutesAtAttenuationWeights[1]",
            #"{"attenuationRange": {"min": 62, "max": 70}, "weight": 1}"#,
            "\(risk).minutesAtAttenuationWeights \(overlap)."),
        // The first ends before 63.
        Case(
            ios, "\(risk).minutesAtAttenuationWeights[1]",
            #"{"attenuationRange": {"min": 63, "max": 70}, "weight": 1}"#),
        Case(
            ios, "\(risk).normalizedTimePerEWToRiskLevelMapping", "[]",
            "\(risk).normalizedTimePerEWToRiskLevelMapping must not be empty."),
        Case(
            ios, "\(risk).normalizedTimePerDayToRiskLevelMapping", nil,
            "\(risk).normalizedTimePerDayToRiskLevelMapping must not be empty."),
        Case(
            ios, "\(risk).normalizedTimePerEWToRiskLevelMapping[0].riskLevel", nil,
            "\(risk).normalizedTimePerEWToRiskLevelMapping[0].riskLevel must be LOW or HIGH."),
        Case(
            ios, "\(risk).normalizedTimePerEWToRiskLevelMapping[0].riskLevel", "3",
            "\(risk).normalizedTimePerEWToRiskLevelMapping[0].riskLevel must be LOW or HIGH."),
        Case(
            ios, "\(risk).normalizedTimePerEWToRiskLevelMapping[0].normalizedTimeRange", nil,
            "\(risk).normalizedTimePerEWToRiskLevelMapping[0].normalizedTimeRange is missing."),
        // 13 itself would be in both.
        Case(
            ios, "\(risk).normalizedTimePerEWToRiskLevelMapping",
            #"[{"normalizedTimeRange": {"min": 13, "max": 99}, "riskLevel": "HIGH"}, "#
                + #"{"normalizedTimeRange": {"min": 0, "max": 13}, "riskLevel": "LOW"}]"#,
            "\(risk).normalizedTimePerEWToRiskLevelMapping \(overlap)."),
        Case(
            ios, "\(risk).normalizedTimePerEWToRiskLevelMapping",
            #"[{"normalizedTimeRange": {"min": 13, "minExclusive": true, "max": 99}, "riskLevel": "HIGH"}, "#
                + #"{"normalizedTimeRange": {"min": 0, "max": 13}, "riskLevel": "LOW"}]"#),
        Case(ios, "\(risk).trlEncoding", nil, "\(risk).trlEncoding is missing."),
        Case(
            ios, "\(risk).trlEncoding.infectiousnessOffsetStandard", "-1",
            "\(risk).trlEncoding.infectiousnessOffsetStandard must be at least 0."),
        Case(
            ios, "\(risk).trlEncoding.infectiousnessOffsetHigh", "-1",
            "\(risk).trlEncoding.infectiousnessOffsetHigh must be at least 0."),
        Case(
            ios, "\(risk).trlEncoding.reportTypeOffsetRecursive", "-1",
            "\(risk).trlEncoding.reportTypeOffsetRecursive must be at least 0."),
        Case(
            ios, "\(risk).trlEncoding.reportTypeOffsetSelfReport", "-1",
            "\(risk).trlEncoding.reportTypeOffsetSelfReport must be at least 0."),
        Case(
            ios, "\(risk).trlEncoding.reportTypeOffsetConfirmedClinicalDiagnosis", "-1",
            "\(risk).trlEncoding.reportTypeOffsetConfirmedClinicalDiagnosis must be at least 0."),
        Case(
            ios, "\(risk).trlEncoding.reportTypeOffsetConfirmedTest", "-1",
            "\(risk).trlEncoding.reportTypeOffsetConfirmedTest must be at least 0."),
        Case(
            ios, "\(risk).transmissionRiskLevelMultiplier", "-1", "\(risk).transmissionRiskLevelMultiplier \(weight)."),
        Case(
            ios, "\(risk).transmissionRiskValueMapping[0].transmissionRiskLevel", "9",
            "\(risk).transmissionRiskValueMapping[0].transmissionRiskLevel must be from 1 to 8."),
        Case(
            ios, "\(risk).transmissionRiskValueMapping[0].transmissionRiskValue", "-1",
            "\(risk).transmissionRiskValueMapping[0].transmissionRiskValue \(weight)."),
        Case(
            ios, "\(risk).transmissionRiskValueMapping[1]", #"{"transmissionRiskLevel": 8}"#,
            "\(risk).transmissionRiskValueMapping.transmissionRiskLevel must not have the same value twice."),
        Case(ios, "\(risk).transmissionRiskValueMapping", nil, noValues),
        Case(android, "\(risk).transmissionRiskValueMapping", "[]", noValues),
        Case(ios, "\(risk).maxEncounterAgeInDays", "15", "\(risk).maxEncounterAgeInDays \(age)."),
        Case(android, "\(risk).maxEncounterAgeInDays", nil, "\(risk).maxEncounterAgeInDays \(age)."),
        Case(android, "\(risk).maxEncounterAgeInDays", "1"),
        Case(ios, "\(risk).maxEncounterAgeInDays", "14"),
    ]
}
