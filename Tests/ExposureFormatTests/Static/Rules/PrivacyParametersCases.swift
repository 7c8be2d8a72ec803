import ExposureFormat

extension StaticMessageRuleTests {
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
            android, "selfReportParameters.common.timeSinceOnboardingInHours", "0",
            "selfReportParameters.common.timeSinceOnboardingInHours must not be 0: cwa-app-android uses 24 instead."),
        Case(
            android, "selfReportParameters.common.timeBetweenSubmissionsInDays", "0",
            "selfReportParameters.common.timeBetweenSubmissionsInDays must not be 0: cwa-app-android uses 90 instead."),
        Case(ios, "selfReportParameters.common.timeBetweenSubmissionsInDays", "0"),
        Case(android, "selfReportParameters", nil),
        Case(
            android, "eventDrivenUserSurveyParameters.ppac", nil,
            "eventDrivenUserSurveyParameters.ppac is missing: cwa-app-android shows no survey without it."),
        Case(
            ios, "selfReportParameters.common.plausibleDeniabilityParameters.minRequestPaddingBytes", "-1",
            "selfReportParameters.common.plausibleDeniabilityParameters.minRequestPaddingBytes must be at least 0."),
        Case(
            ios, "selfReportParameters.common.plausibleDeniabilityParameters.maxRequestPaddingBytes", "99",
            "selfReportParameters.common.plausibleDeniabilityParameters.maxRequestPaddingBytes must not be less than "
                + "minRequestPaddingBytes."),
    ]
}
