import ExposureFormat
import Foundation
import TestSupport
import Testing

/// What is refused because it would break phones, and that what phones can bear is not.
@Suite("Rules for static messages", .heavy)
struct StaticMessageRuleTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let message: StaticMessage
        let edit: JSONEdit
        /// The first finding; nil if the edit breaks no rule.
        let finding: String?

        var testDescription: String { "\(message): \(edit.testDescription)" }

        init(_ message: StaticMessage, _ path: String, _ value: String?, _ finding: String? = nil) {
            self.message = message
            edit = JSONEdit(path: path, value: value)
            self.finding = finding
        }
    }

    static let ios = StaticMessage.applicationConfigurationIOS
    static let android = StaticMessage.applicationConfigurationAndroid
    static let first = StaticMessage.applicationConfiguration
    static let finite = "must be a finite number"
    static let weight = "must be a finite number of at least 0"
    static let overlap = "must have ranges that don't overlap"
    static let risk = "riskCalculationParameters"
    static let presence = "presenceTracingParameters"

    // MARK: The cases

    static let parts: [Case] = [
        Case(ios, "minVersion.major", "5", "minVersion must not be above latestVersion."),
        Case(
            ios, "minVersion", #"{"major": 4, "minor": 5, "patch": 7}"#, "minVersion must not be above latestVersion."),
        Case(ios, "minVersion", #"{"major": 4, "minor": 5, "patch": 6}"#),
        Case(ios, "minVersion", nil),
        Case(android, "minVersionCode", "3000000001", "minVersionCode must not be above latestVersionCode."),
        Case(android, "minVersionCode", "-1", "minVersionCode must be at least 0."),
        Case(ios, "appFeatures.appFeatures[1].label", #""""#, "appFeatures.appFeatures[1].label must not be empty."),
        Case(
            ios, "appFeatures.appFeatures[1].label", #""first""#,
            "appFeatures.appFeatures.label must not have the same value twice."),
        Case(
            ios, "supportedCountries", #"["de"]"#, "supportedCountries must be countries of two capital letters each."),
        Case(
            android, "supportedCountries", #"["EUR"]"#,
            "supportedCountries must be countries of two capital letters each."),
        Case(
            first, "supportedCountries", #"["ÄÖ"]"#,
            "supportedCountries must be countries of two capital letters each."),
        Case(
            ios, "supportedCountries", #"["FR", "DE"]"#,
            "supportedCountries must be in alphabetical order, each country once."),
        Case(
            ios, "supportedCountries", #"["DE", "DE"]"#,
            "supportedCountries must be in alphabetical order, each country once."),
        Case(ios, "supportedCountries", "[]"),
        Case(
            ios, "keyDownloadParameters.revokedDayPackages[0].region", #""Germany""#,
            "keyDownloadParameters.revokedDayPackages[0].region must be a country of two capital letters, or EUR."),
        Case(ios, "keyDownloadParameters.revokedDayPackages[0].region", #""EUR""#),
        Case(
            ios, "keyDownloadParameters.revokedDayPackages[0].date", #""2026-02-29""#,
            "keyDownloadParameters.revokedDayPackages[0].date must be a day such as 2026-11-20."),
        Case(
            ios, "keyDownloadParameters.revokedDayPackages[0].etag", nil,
            "keyDownloadParameters.revokedDayPackages[0].etag must not be empty."),
        Case(
            ios, "keyDownloadParameters.revokedHourPackages[0].hour", "24",
            "keyDownloadParameters.revokedHourPackages[0].hour must be from 0 to 23."),
        Case(
            android, "keyDownloadParameters.revokedHourPackages[0].hour", "-1",
            "keyDownloadParameters.revokedHourPackages[0].hour must be from 0 to 23."),
        Case(
            first, "androidKeyDownloadParameters.revokedHourPackages[0].etag", #""""#,
            "androidKeyDownloadParameters.revokedHourPackages[0].etag must not be empty."),
        Case(
            ios, "keyDownloadParameters.revokedTraceWarningPackages[0]", "{}",
            "keyDownloadParameters.revokedTraceWarningPackages[0].etag must not be empty."),
        Case(
            android, "keyDownloadParameters.downloadTimeoutInSeconds", "-1",
            "keyDownloadParameters.downloadTimeoutInSeconds must be at least 0."),
        Case(
            android, "keyDownloadParameters.overallTimeoutInSeconds", "-1",
            "keyDownloadParameters.overallTimeoutInSeconds must be at least 0."),
        Case(
            ios, "exposureDetectionParameters", "{}",
            "exposureDetectionParameters.maxExposureDetectionsPerInterval must be at least 1."),
        Case(ios, "exposureDetectionParameters", nil),
        Case(
            android, "exposureDetectionParameters.overallTimeoutInSeconds", "-1",
            "exposureDetectionParameters.overallTimeoutInSeconds must be at least 0."),
    ]

    static let riskCalculation: [Case] = [
        Case(ios, risk, nil, "\(risk) is missing."),
        Case(android, risk, nil, "\(risk) is missing."),
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
        Case(ios, "\(risk).transmissionRiskValueMapping", nil),
        Case(ios, "\(risk).maxEncounterAgeInDays", "15", "\(risk).maxEncounterAgeInDays must be from 0 to 14."),
    ]

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
            Case(android, "diagnosisKeysDataMapping", nil, "diagnosisKeysDataMapping is missing."),
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
            "\(presence).riskCalculationParameters.maxCheckInAgeInDays must be from 0 to 14."),
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

    static let privacy: [Case] = [
        Case(
            ios, "eventDrivenUserSurveyParameters.common.otpQueryParameterName", nil,
            "eventDrivenUserSurveyParameters.common.otpQueryParameterName must be given for an enabled survey."),
        Case(
            android, "eventDrivenUserSurveyParameters.common.surveyOnHighRiskUrl", #""http://survey.example/""#,
            "eventDrivenUserSurveyParameters.common.surveyOnHighRiskUrl must be an address that begins with https://."),
        Case(
            ios, "privacyPreservingAnalyticsParameters.common.probabilityToSubmit", "1.5",
            "privacyPreservingAnalyticsParameters.common.probabilityToSubmit must be from 0.0 to 1.0."),
        Case(
            android, "privacyPreservingAnalyticsParameters.common.probabilityToSubmitExposureWindows", "-1",
            "privacyPreservingAnalyticsParameters.common.probabilityToSubmitExposureWindows must be from 0.0 to 1.0."),
        Case(
            ios, "privacyPreservingAnalyticsParameters.common.hoursSinceTestRegistrationToSubmitTestResultMetadata",
            "-1",
            "privacyPreservingAnalyticsParameters.common.hoursSinceTestRegistrationToSubmitTestResultMetadata must be "
                + "at least 0."),
        Case(
            ios, "privacyPreservingAnalyticsParameters.common.hoursSinceTestResultToSubmitKeySubmissionMetadata", "-1",
            "privacyPreservingAnalyticsParameters.common.hoursSinceTestResultToSubmitKeySubmissionMetadata must be at "
                + "least 0."),
        Case(
            ios,
            "privacyPreservingAnalyticsParameters.common.plausibleDeniabilityParameters.probabilityOfFakeKeySubmission",
            "2",
            "privacyPreservingAnalyticsParameters.common.plausibleDeniabilityParameters.probabilityOfFakeKeySubmission "
                + "must be from 0.0 to 1.0."),
        Case(
            ios, "selfReportParameters.common.timeSinceOnboardingInHours", "-1",
            "selfReportParameters.common.timeSinceOnboardingInHours must be at least 0."),
        Case(
            android, "selfReportParameters.common.timeBetweenSubmissionsInDays", "-1",
            "selfReportParameters.common.timeBetweenSubmissionsInDays must be at least 0."),
        Case(
            ios, "selfReportParameters.common.plausibleDeniabilityParameters.minRequestPaddingBytes", "-1",
            "selfReportParameters.common.plausibleDeniabilityParameters.minRequestPaddingBytes must be at least 0."),
        Case(
            ios, "selfReportParameters.common.plausibleDeniabilityParameters.maxRequestPaddingBytes", "99",
            "selfReportParameters.common.plausibleDeniabilityParameters.maxRequestPaddingBytes must not be less than "
                + "minRequestPaddingBytes."),
    ]

    static let certificates: [Case] = [
        Case(
            ios, "coronaTestParameters.coronaRapidAntigenTestParameters.hoursToDeemTestOutdated", "0",
            "coronaTestParameters.coronaRapidAntigenTestParameters.hoursToDeemTestOutdated must be at least 1."),
        Case(
            ios, "coronaTestParameters.coronaRapidAntigenTestParameters.hoursSinceSampleCollectionToShowRiskCard", nil,
            "coronaTestParameters.coronaRapidAntigenTestParameters.hoursSinceSampleCollectionToShowRiskCard must be at "
                + "least 1."),
        Case(
            android, "coronaTestParameters.coronaPCRTestParameters", "{}",
            "coronaTestParameters.coronaPCRTestParameters.hoursSinceTestRegistrationToShowRiskCard must be at least 1."),
        Case(
            ios, "dgcParameters.testCertificateParameters.waitAfterPublicKeyRegistrationInSeconds", "61",
            "dgcParameters.testCertificateParameters.waitAfterPublicKeyRegistrationInSeconds must be from 0 to 60."),
        Case(
            ios, "dgcParameters.testCertificateParameters.waitForRetryInSeconds", "61",
            "dgcParameters.testCertificateParameters.waitForRetryInSeconds must be from 0 to 60."),
        Case(
            ios, "dgcParameters.blockListParameters.blockedUvciChunks[0].indices", "[]",
            "dgcParameters.blockListParameters.blockedUvciChunks[0].indices must not be empty."),
        Case(
            ios, "dgcParameters.blockListParameters.blockedUvciChunks[0].hash", #""AAEC""#,
            "dgcParameters.blockListParameters.blockedUvciChunks[0].hash must be a SHA-256, 32 bytes in Base64."),
        Case(
            android, "dgcParameters.reissueServicePublicKeyDigest", #""AAEC""#,
            "dgcParameters.reissueServicePublicKeyDigest must be a SHA-256, 32 bytes in Base64, or empty."),
        Case(ios, "dgcParameters.reissueServicePublicKeyDigest", nil),
    ]

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
            "iosExposureDetectionParameters.maxExposureDetectionsPerInterval must be at least 1."),
        Case(
            first, "androidExposureDetectionParameters.maxExposureDetectionsPerInterval", "0",
            "androidExposureDetectionParameters.maxExposureDetectionsPerInterval must be at least 1."),
    ]

    static let statistics: [Case] = [
        Case(.statistics, "cardIdSequence", "[13, 12, 13]", "cardIdSequence must not have the same value twice."),
        Case(.statistics, "keyFigureCards[0].header", nil, "keyFigureCards[0].header is missing."),
        Case(
            .statistics, "keyFigureCards[0].header.cardId", "0", "keyFigureCards[0].header.cardId must be at least 1."),
        Case(
            .statistics, "keyFigureCards[0].header.updatedAt", "-1",
            "keyFigureCards[0].header.updatedAt must be at least 0."),
        Case(
            .statistics, "keyFigureCards[0].keyFigures[0].rank", "4",
            "keyFigureCards[0].keyFigures[0].rank must be PRIMARY, SECONDARY or TERTIARY."),
        Case(
            .statistics, "keyFigureCards[0].keyFigures[0].value", #""-Infinity""#,
            "keyFigureCards[0].keyFigures[0].value \(finite)."),
        Case(
            .statistics, "keyFigureCards[0].keyFigures[0].decimals", "-1",
            "keyFigureCards[0].keyFigures[0].decimals must be at least 0."),
        Case(
            .statistics, "keyFigureCards[0].keyFigures[0].trend", "4",
            "keyFigureCards[0].keyFigures[0].trend must be STABLE, INCREASING or DECREASING."),
        Case(
            .statistics, "keyFigureCards[0].keyFigures[0].trendSemantic", "4",
            "keyFigureCards[0].keyFigures[0].trendSemantic must be NEUTRAL, POSITIVE or NEGATIVE."),
        Case(.statistics, "linkCards[0].url", nil, "linkCards[0].url must be an address that begins with https://."),
        Case(.statistics, "linkCards[0].header", nil, "linkCards[0].header is missing."),
        Case(
            .statistics, "linkCards[0].header.cardId", "13",
            "keyFigureCards and linkCards: cardId must not have the same value twice."),
        Case(
            .localStatistics, "federalStateData[1].federalState", nil,
            "federalStateData.federalState must not have the same value twice."),
        Case(
            .localStatistics, "federalStateData[1].federalState", "16",
            "federalStateData[1].federalState must be a name such as FEDERAL_STATE_SH."),
        Case(
            .localStatistics, "federalStateData[0].updatedAt", "-1", "federalStateData[0].updatedAt must be at least 0."
        ),
        Case(
            .localStatistics, "federalStateData[0].sevenDayHospitalizationIncidenceUpdatedAt", "-1",
            "federalStateData[0].sevenDayHospitalizationIncidenceUpdatedAt must be at least 0."),
        Case(
            .localStatistics, "federalStateData[0].sevenDayIncidence.trend", "4",
            "federalStateData[0].sevenDayIncidence.trend must be STABLE, INCREASING or DECREASING."),
        Case(
            .localStatistics, "administrativeUnitData[0].administrativeUnitShortId", "0",
            "administrativeUnitData[0].administrativeUnitShortId must be at least 1."),
        Case(
            .localStatistics, "administrativeUnitData[1]", #"{"administrativeUnitShortId": 1001}"#,
            "administrativeUnitData.administrativeUnitShortId must not have the same value twice."),
        Case(
            .localStatistics, "administrativeUnitData[0].updatedAt", "-1",
            "administrativeUnitData[0].updatedAt must be at least 0."),
    ]

    // MARK: The tests

    @Test(
        "a value that would break phones is refused with its field; its neighbour on the boundary is not",
        arguments: parts + riskCalculation + operatingSystems + presenceTracing + privacy + certificates + firstApps
            + statistics)
    func rules(rule: Case) throws {
        let json = try rule.edit.applied(to: Fixtures.everyField(of: rule.message))
        guard let finding = rule.finding else {
            _ = try rule.message.encode(json: json)
            return
        }
        let refusal = #expect(throws: UnfitMessage.self) { try rule.message.encode(json: json) }
        #expect(refusal?.findings.first == finding)
        // Many apps would trip over one slip; an operator reads what it is.
        #expect(refusal?.findings.count == 1, "\(refusal?.description ?? "")")
    }

    @Test("no number may be not-a-number, wherever it stands", arguments: StaticMessage.allCases)
    func notANumber(message: StaticMessage) throws {
        let document = try Fixtures.everyField(of: message)
        for leaf in try JSONEdit.leaves(of: document) where !leaf.isText {
            let json = try JSONEdit(path: leaf.path, value: #""NaN""#).applied(to: document)
            #expect(throws: UnfitMessage.self, "\(leaf.path)") { try message.encode(json: json) }
        }
    }

    @Test(
        "no enumeration may have a value that phones don't know, and no text may be a number",
        arguments: StaticMessage.allCases)
    func unknownValues(message: StaticMessage) throws {
        let document = try Fixtures.everyField(of: message)
        for leaf in try JSONEdit.leaves(of: document) where leaf.isText {
            // Numbers of 64 bits are texts in protobuf JSON, and may be numbers.
            if leaf.path.hasSuffix("pdatedAt") || leaf.path.hasSuffix("VersionCode") { continue }
            let json = try JSONEdit(path: leaf.path, value: "99").applied(to: document)
            #expect(throws: UnfitMessage.self, "\(leaf.path)") { try message.encode(json: json) }
        }
    }

    @Test("a phone that can't tell what a risk level counts would never warn: values or a multiplier must be given")
    func riskValues() throws {
        let file = Fixtures.staticFolder.appending(path: "version/v2/app_config_ios.json")
        let withoutMultiplier = Array(try Data(contentsOf: file))
        let json = try JSONEdit(path: "\(Self.risk).transmissionRiskValueMapping", value: nil)
            .applied(to: withoutMultiplier)
        let refusal = #expect(throws: UnfitMessage.self) { try Self.ios.encode(json: json) }
        #expect(
            refusal?.findings == [
                "\(Self.risk).transmissionRiskValueMapping must not be empty, unless transmissionRiskLevelMultiplier is "
                    + "given."
            ])
    }

    @Test("several slips are all named")
    func several() throws {
        let json = Array(#"{"minRiskScore": -1, "supportedCountries": ["FR", "DE"]}"#.utf8)
        let refusal = #expect(throws: UnfitMessage.self) {
            try StaticMessage.applicationConfiguration.encode(json: json)
        }
        #expect(
            refusal?.findings == [
                "minRiskScore must be at least 0.", "riskScoreClasses is missing.", "exposureConfig is missing.",
                "attenuationDuration is missing.",
                "supportedCountries must be in alphabetical order, each country once.",
            ])
    }

    @Test("what was encoded elsewhere is held to the same rules")
    func encoded() throws {
        let good = try Self.ios.encode(json: Fixtures.everyField(of: Self.ios))
        try Self.ios.review(encoded: good)
        // Field 1000, which isn't known here, is let pass.
        try Self.ios.review(encoded: good + [0xC0, 0x3E, 1])
        // A minVersion of 200.
        let bad = #expect(throws: UnfitMessage.self) { try Self.ios.review(encoded: good + [0x0A, 3, 8, 0xC8, 1]) }
        #expect(bad?.findings == ["minVersion must not be above latestVersion."])
        let cut = #expect(throws: UnfitMessage.self) { try Self.ios.review(encoded: good.dropLast()) }
        #expect(cut?.findings == ["The bytes are not the message that this path carries."])
    }
}
