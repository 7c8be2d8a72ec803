extension WirePPDDEventDrivenUserSurveyParametersCommon {
    func review(_ review: inout MessageReview) {
        guard surveyOnHighRiskEnabled else { return }
        review.require(!otpQueryParameterName.isEmpty, "otpQueryParameterName", "must be given for an enabled survey")
        review.requireWebAddress(surveyOnHighRiskURL, "surveyOnHighRiskUrl")
    }
}

extension WirePPDDPrivacyPreservingAnalyticsParametersCommon {
    func review(_ review: inout MessageReview) {
        review.requireProbability(probabilityToSubmit, "probabilityToSubmit")
        review.requireProbability(probabilityToSubmitExposureWindows, "probabilityToSubmitExposureWindows")
        review.requireAtLeast(
            0, hoursSinceTestRegistrationToSubmitTestResultMetadata,
            "hoursSinceTestRegistrationToSubmitTestResultMetadata")
        review.requireAtLeast(
            0, hoursSinceTestResultToSubmitKeySubmissionMetadata, "hoursSinceTestResultToSubmitKeySubmissionMetadata")
        review.requireProbability(
            plausibleDeniabilityParameters.probabilityOfFakeKeySubmission,
            "plausibleDeniabilityParameters.probabilityOfFakeKeySubmission")
    }
}

extension WirePPDDSelfReportSubmissionParametersCommon {
    /// cwa-app-android uses its own values instead of 0; cwa-app-ios doesn't.
    func reviewAsAndroidReads(_ review: inout MessageReview) {
        self.review(&review)
        review.require(
            timeSinceOnboardingInHours != 0, "timeSinceOnboardingInHours",
            "must not be 0: cwa-app-android uses 24 instead")
        review.require(
            timeBetweenSubmissionsInDays != 0, "timeBetweenSubmissionsInDays",
            "must not be 0: cwa-app-android uses 90 instead")
    }

    func review(_ review: inout MessageReview) {
        review.requireAtLeast(0, timeSinceOnboardingInHours, "timeSinceOnboardingInHours")
        review.requireAtLeast(0, timeBetweenSubmissionsInDays, "timeBetweenSubmissionsInDays")
        let (least, most) = (
            plausibleDeniabilityParameters.minRequestPaddingBytes, plausibleDeniabilityParameters.maxRequestPaddingBytes
        )
        review.requireAtLeast(0, least, "plausibleDeniabilityParameters.minRequestPaddingBytes")
        review.require(
            least <= most, "plausibleDeniabilityParameters.maxRequestPaddingBytes",
            "must not be less than minRequestPaddingBytes")
    }
}
