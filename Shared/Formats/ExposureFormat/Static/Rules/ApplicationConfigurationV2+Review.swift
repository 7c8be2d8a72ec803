extension WireApplicationConfigurationIOS: ReviewedMessage {
    func review(_ review: inout MessageReview) {
        review.require(minVersion <= latestVersion, "minVersion", "must not be above latestVersion")
        review.inside("appFeatures", appFeatures.review)
        review.requireCountries(supportedCountries, "supportedCountries")
        review.inside("keyDownloadParameters", keyDownloadParameters.review)
        if hasExposureDetectionParameters {
            review.inside("exposureDetectionParameters", exposureDetectionParameters.review)
        }
        review.requirePresence(
            hasRiskCalculationParameters, "riskCalculationParameters", riskCalculationParameters.review)
        review.requirePresence(hasExposureConfiguration, "exposureConfiguration", exposureConfiguration.review)
        review.inside("eventDrivenUserSurveyParameters.common", eventDrivenUserSurveyParameters.common.review)
        review.inside("privacyPreservingAnalyticsParameters.common", privacyPreservingAnalyticsParameters.common.review)
        review.inside("presenceTracingParameters", presenceTracingParameters.review)
        review.inside("coronaTestParameters", coronaTestParameters.review)
        review.inside("dgcParameters", dgcParameters.review)
        review.inside("selfReportParameters.common", selfReportParameters.common.review)
    }
}

extension WireApplicationConfigurationAndroid: ReviewedMessage {
    func review(_ review: inout MessageReview) {
        review.requireAtLeast(0, minVersionCode, "minVersionCode")
        review.require(minVersionCode <= latestVersionCode, "minVersionCode", "must not be above latestVersionCode")
        review.inside("appFeatures", appFeatures.review)
        review.requireCountries(supportedCountries, "supportedCountries")
        review.inside("keyDownloadParameters", keyDownloadParameters.review)
        if hasExposureDetectionParameters {
            review.inside("exposureDetectionParameters", exposureDetectionParameters.review)
        }
        review.requirePresence(
            hasRiskCalculationParameters, "riskCalculationParameters", riskCalculationParameters.review)
        review.requirePresence(
            hasDiagnosisKeysDataMapping, "diagnosisKeysDataMapping", diagnosisKeysDataMapping.review)
        review.requirePresence(hasDailySummariesConfig, "dailySummariesConfig", dailySummariesConfig.review)
        review.inside("eventDrivenUserSurveyParameters.common", eventDrivenUserSurveyParameters.common.review)
        review.inside("privacyPreservingAnalyticsParameters.common", privacyPreservingAnalyticsParameters.common.review)
        review.inside("presenceTracingParameters", presenceTracingParameters.review)
        review.inside("coronaTestParameters", coronaTestParameters.review)
        review.inside("dgcParameters", dgcParameters.review)
        review.inside("selfReportParameters.common", selfReportParameters.common.review)
    }
}

// MARK: - Parameters of the operating systems

extension WireExposureConfiguration {
    fileprivate func review(_ review: inout MessageReview) {
        review.requireInfectiousness(
            infectiousnessForDaysSinceOnsetOfSymptoms, "infectiousnessForDaysSinceOnsetOfSymptoms")
        review.require(reportTypeNoneMap, in: 0...4, "reportTypeNoneMap")
        review.requireAttenuationThresholds(attenuationDurationThresholds, "attenuationDurationThresholds")
        review.requireAtLeast(0, daysSinceLastExposureThreshold, "daysSinceLastExposureThreshold")
        for (field, weight) in weights { review.requireWeight(weight, field) }
    }

    private var weights: [(String, Double)] {
        [
            ("immediateDurationWeight", immediateDurationWeight), ("mediumDurationWeight", mediumDurationWeight),
            ("nearDurationWeight", nearDurationWeight), ("otherDurationWeight", otherDurationWeight),
            ("infectiousnessStandardWeight", infectiousnessStandardWeight),
            ("infectiousnessHighWeight", infectiousnessHighWeight),
            ("reportTypeConfirmedTestWeight", reportTypeConfirmedTestWeight),
            ("reportTypeConfirmedClinicalDiagnosisWeight", reportTypeConfirmedClinicalDiagnosisWeight),
            ("reportTypeSelfReportedWeight", reportTypeSelfReportedWeight),
            ("reportTypeRecursiveWeight", reportTypeRecursiveWeight),
        ]
    }
}

extension WireDiagnosisKeysDataMapping {
    fileprivate func review(_ review: inout MessageReview) {
        review.requireInfectiousness(daysSinceOnsetToInfectiousness, "daysSinceOnsetToInfectiousness")
        review.require(
            infectiousnessWhenDaysSinceOnsetMissing, in: 0...2, "infectiousnessWhenDaysSinceOnsetMissing")
        review.require(reportTypeWhenMissing, in: 1...4, "reportTypeWhenMissing")
    }
}

/// Android's Exposure Notification API throws if a value is out of range:
/// https://developers.google.com/android/reference/com/google/android/gms/nearby/exposurenotification/DailySummariesConfig.DailySummariesConfigBuilder
extension WireDailySummariesConfig {
    private static let weights = 0.0...2.5

    fileprivate func review(_ review: inout MessageReview) {
        review.requireAttenuationThresholds(attenuationBucketThresholdDb, "attenuationBucketThresholdDb")
        review.require(attenuationBucketWeights.count == 4, "attenuationBucketWeights", "must have four values")
        for (position, weight) in attenuationBucketWeights.enumerated() {
            review.require(weight, in: Self.weights, "attenuationBucketWeights[\(position)]")
        }
        review.requireAtLeast(0, daysSinceExposureThreshold, "daysSinceExposureThreshold")
        review.requireWeights(infectiousnessWeights, of: 1...2, in: Self.weights, "infectiousnessWeights")
        review.requireWeight(minimumWindowScore, "minimumWindowScore")
        review.requireWeights(reportTypeWeights, of: 1...4, in: Self.weights, "reportTypeWeights")
    }
}

extension MessageReview {
    fileprivate mutating func requireWeights(
        _ weights: [Int32: Double], of keys: ClosedRange<Int32>, in range: ClosedRange<Double>, _ field: String
    ) {
        for (key, weight) in weights.sorted(by: { $0.key < $1.key }) {
            require(keys.contains(key), "\(field)[\(key)]", "is for none of \(keys.lowerBound) to \(keys.upperBound)")
            require(weight, in: range, "\(field)[\(key)]")
        }
    }
}
