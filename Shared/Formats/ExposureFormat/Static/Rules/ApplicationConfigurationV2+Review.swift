/// cwa-app-ios reads the message as it is. A rule's reason names the app that breaks.
/// https://github.com/corona-warn-app/cwa-app-ios/blob/v3.2.3/src/xcode/ENA/ENA/Source/Services/Risk/Provider/RiskProvider.swift
extension WireApplicationConfigurationIOS: ReviewedMessage {
    func review(_ review: inout MessageReview) {
        review.require(minVersion <= latestVersion, "minVersion", "must not be above latestVersion")
        review.inside("appFeatures", appFeatures.review)
        review.requireCountries(supportedCountries, "supportedCountries")
        review.inside("keyDownloadParameters", keyDownloadParameters.review)
        review.requirePresence(
            hasExposureDetectionParameters, "exposureDetectionParameters",
            breaking: "cwa-app-ios never looks for exposures without it", exposureDetectionParameters.review)
        review.requirePresence(
            hasRiskCalculationParameters, "riskCalculationParameters", breaking: "cwa-app-ios warns nobody without it",
            riskCalculationParameters.review)
        review.requirePresence(hasExposureConfiguration, "exposureConfiguration", exposureConfiguration.review)
        review.inside("eventDrivenUserSurveyParameters.common", eventDrivenUserSurveyParameters.common.review)
        review.inside("privacyPreservingAnalyticsParameters.common", privacyPreservingAnalyticsParameters.common.review)
        review.inside("presenceTracingParameters", presenceTracingParameters.review)
        review.inside("coronaTestParameters", coronaTestParameters.review)
        review.inside("dgcParameters", dgcParameters.review)
        review.inside("selfReportParameters.common", selfReportParameters.common.review)
    }
}

/// cwa-app-android maps the message to its own types, field by field. If a mapper throws, the app keeps the configuration that it
/// has; other values it replaces by its own:
/// https://github.com/corona-warn-app/cwa-app-android/tree/v3.2.1/Corona-Warn-App/src/main/java/de/rki/coronawarnapp/appconfig/mapping
extension WireApplicationConfigurationAndroid: ReviewedMessage {
    func review(_ review: inout MessageReview) {
        review.requireAtLeast(0, minVersionCode, "minVersionCode")
        review.require(minVersionCode <= latestVersionCode, "minVersionCode", "must not be above latestVersionCode")
        review.inside("appFeatures", appFeatures.review)
        review.requireCountries(supportedCountries, "supportedCountries")
        // The app has its own values if these two are missing.
        if hasKeyDownloadParameters { review.inside("keyDownloadParameters", keyDownloadParameters.review) }
        if hasExposureDetectionParameters {
            review.inside("exposureDetectionParameters", exposureDetectionParameters.review)
        }
        review.requirePresence(
            hasRiskCalculationParameters, "riskCalculationParameters", breaking: Self.isDiscarded,
            riskCalculationParameters.review)
        review.requirePresence(
            hasDiagnosisKeysDataMapping, "diagnosisKeysDataMapping", breaking: Self.isDiscarded,
            diagnosisKeysDataMapping.review)
        review.requirePresence(hasDailySummariesConfig, "dailySummariesConfig", dailySummariesConfig.review)
        review.inside("eventDrivenUserSurveyParameters.common", eventDrivenUserSurveyParameters.common.review)
        review.require(
            eventDrivenUserSurveyParameters.hasPpac || !eventDrivenUserSurveyParameters.common.surveyOnHighRiskEnabled,
            "eventDrivenUserSurveyParameters.ppac", "is missing: cwa-app-android shows no survey without it")
        review.inside("privacyPreservingAnalyticsParameters.common", privacyPreservingAnalyticsParameters.common.review)
        review.inside("presenceTracingParameters", presenceTracingParameters.review)
        review.inside("coronaTestParameters", coronaTestParameters.review)
        review.inside("dgcParameters", dgcParameters.review)
        // Any bytes will do: the digest of a key that nobody has closes the service, which this suite doesn't have.
        review.require(
            !dgcParameters.reissueServicePublicKeyDigest.isEmpty, "dgcParameters.reissueServicePublicKeyDigest",
            "must not be empty: \(Self.isDiscarded)")
        review.require(
            !hasDgcParameters || dgcParameters.expirationThresholdInDays != 0,
            "dgcParameters.expirationThresholdInDays",
            "must not be 0: cwa-app-android uses 14 instead")
        if selfReportParameters.hasCommon {
            review.inside("selfReportParameters.common", selfReportParameters.common.reviewAsAndroidReads)
        }
    }

    /// What the app does if one of its mappers throws:
    /// https://github.com/corona-warn-app/cwa-app-android/blob/v3.2.1/Corona-Warn-App/src/main/java/de/rki/coronawarnapp/appconfig/mapping/ConfigParser.kt
    private static let isDiscarded = "cwa-app-android discards the whole configuration without it"
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
