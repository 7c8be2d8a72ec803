import ExposureFormat

extension StaticMessageRuleTests {
    private static let age = "must be from 1 to 14: with 0 cwa-app-ios warns nobody of a visit that has ended"

    static let presenceTracing: [Case] = [
        Case(ios, presence, nil),
        Case(
            ios, "\(presence).riskCalculationParameters.normalizedTimePerCheckInToRiskLevelMapping", "[]",
            "\(presence).riskCalculationParameters.normalizedTimePerCheckInToRiskLevelMapping must not be empty."),
        Case(
            ios, "\(presence).riskCalculationParameters.normalizedTimePerDayToRiskLevelMapping", "[]",
            "\(presence).riskCalculationParameters.normalizedTimePerDayToRiskLevelMapping must not be empty."),
        Case(
            ios, "\(presence).riskCalculationParameters.transmissionRiskValueMapping[0].transmissionRiskLevel", "0",
            "\(presence).riskCalculationParameters.transmissionRiskValueMapping[0].transmissionRiskLevel must be from 1 "
                + "to 8."),
        Case(
            ios, "\(presence).riskCalculationParameters.maxCheckInAgeInDays", "15",
            "\(presence).riskCalculationParameters.maxCheckInAgeInDays \(age)."),
        Case(
            ios, "\(presence).riskCalculationParameters.maxCheckInAgeInDays", "0",
            "\(presence).riskCalculationParameters.maxCheckInAgeInDays \(age)."),
        Case(android, "\(presence).riskCalculationParameters.maxCheckInAgeInDays", "1"),
        Case(
            android, "\(presence).riskCalculationParameters.transmissionRiskValueMapping", "[]",
            "\(presence).riskCalculationParameters.transmissionRiskValueMapping must not be empty: cwa-app-android and "
                + "cwa-app-ios warn no visitor without it."),
        Case(
            ios, "\(presence).submissionParameters.durationFilters[0]", "{}",
            "\(presence).submissionParameters.durationFilters[0].dropIfMinutesInRange is missing."),
        Case(
            ios, "\(presence).submissionParameters.aerosoleDecayLinearFunctions[0].minutesRange", nil,
            "\(presence).submissionParameters.aerosoleDecayLinearFunctions[0].minutesRange is missing."),
        Case(
            ios, "\(presence).submissionParameters.aerosoleDecayLinearFunctions[1]",
            #"{"minutesRange": {"min": 29, "max": 40}}"#,
            "\(presence).submissionParameters.aerosoleDecayLinearFunctions \(overlap)."),
        Case(
            ios, "\(presence).qrCodeErrorCorrectionLevel", "4",
            "\(presence).qrCodeErrorCorrectionLevel must be MEDIUM, LOW, QUANTILE or HIGH."),
        Case(
            ios, "\(presence).plausibleDeniabilityParameters.probabilityToFakeCheckInsIfNoCheckIns", "1.01",
            "\(presence).plausibleDeniabilityParameters.probabilityToFakeCheckInsIfNoCheckIns must be from 0.0 to 1.0."),
        Case(
            android, "\(presence).plausibleDeniabilityParameters.probabilityToFakeCheckInsIfSomeCheckIns", "-0.01",
            "\(presence).plausibleDeniabilityParameters.probabilityToFakeCheckInsIfSomeCheckIns must be from 0.0 to "
                + "1.0."),
        Case(
            ios, "\(presence).plausibleDeniabilityParameters.numberOfFakeCheckInsFunctionParameters", "[]",
            "\(presence).plausibleDeniabilityParameters.numberOfFakeCheckInsFunctionParameters must not be empty while a "
                + "probability is above 0."),
        Case(
            android, "\(presence).plausibleDeniabilityParameters.checkInSizesInBytes", "[]",
            "\(presence).plausibleDeniabilityParameters.checkInSizesInBytes must not be empty while a probability is above "
                + "0: cwa-app-android adds nothing without it."),
        Case(
            ios, "\(presence).plausibleDeniabilityParameters.numberOfFakeCheckInsFunctionParameters[1]",
            #"{"randomNumberRange": {"min": 0, "max": 1}}"#,
            "\(presence).plausibleDeniabilityParameters.numberOfFakeCheckInsFunctionParameters \(overlap)."),
        Case(
            ios,
            "\(presence).plausibleDeniabilityParameters.numberOfFakeCheckInsFunctionParameters[0].randomNumberRange",
            nil,
            "\(presence).plausibleDeniabilityParameters.numberOfFakeCheckInsFunctionParameters[0].randomNumberRange is "
                + "missing."),
        Case(
            ios, "\(presence).qrCodeDescriptors[0].regexPattern", #""(a""#,
            "\(presence).qrCodeDescriptors[0].regexPattern must be a regular expression."),
        Case(
            ios, "\(presence).qrCodeDescriptors[0].regexPattern", nil,
            "\(presence).qrCodeDescriptors[0].regexPattern must be a regular expression."),
        Case(
            ios, "\(presence).qrCodeDescriptors[0].versionGroupIndex", "3",
            "\(presence).qrCodeDescriptors[0].versionGroupIndex must be less than the pattern's number of groups, 3."),
        Case(
            ios, "\(presence).qrCodeDescriptors[0].encodedPayloadGroupIndex", "4294967295",
            "\(presence).qrCodeDescriptors[0].encodedPayloadGroupIndex must be less than the pattern's number of "
                + "groups, 3."),
        Case(
            ios, "\(presence).qrCodeDescriptors[0].payloadEncoding", "2",
            "\(presence).qrCodeDescriptors[0].payloadEncoding must be BASE32 or BASE64."),
    ]
}
