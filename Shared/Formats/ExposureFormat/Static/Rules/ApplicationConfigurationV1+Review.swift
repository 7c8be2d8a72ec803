extension WireApplicationConfiguration: ReviewedMessage {
    func review(_ review: inout MessageReview) {
        review.requireAtLeast(0, minRiskScore, "minRiskScore")
        review.requirePresence(hasRiskScoreClasses, "riskScoreClasses", riskScoreClasses.review)
        review.requirePresence(hasExposureConfig, "exposureConfig", exposureConfig.review)
        review.requirePresence(hasAttenuationDuration, "attenuationDuration", attenuationDuration.review)
        review.inside("appVersion") { review in
            review.require(appVersion.ios.min <= appVersion.ios.latest, "ios.min", "must not be above ios.latest")
            review.require(
                appVersion.android.min <= appVersion.android.latest, "android.min", "must not be above android.latest")
        }
        review.inside("appFeatures", appFeatures.review)
        review.requireCountries(supportedCountries, "supportedCountries")
        review.inside("iosKeyDownloadParameters", iosKeyDownloadParameters.review)
        if hasAndroidKeyDownloadParameters {
            review.inside("androidKeyDownloadParameters", androidKeyDownloadParameters.review)
        }
        if hasIosExposureDetectionParameters {
            review.inside("iosExposureDetectionParameters", iosExposureDetectionParameters.review)
        }
        if hasAndroidExposureDetectionParameters {
            review.inside("androidExposureDetectionParameters", androidExposureDetectionParameters.review)
        }
    }
}

extension WireRiskScoreClassification {
    fileprivate func review(_ review: inout MessageReview) {
        review.require(!riskClasses.isEmpty, "riskClasses", "must not be empty")
        review.each("riskClasses", riskClasses) { band, review in
            review.require(!band.label.isEmpty, "label", "must not be empty")
            review.requireAtLeast(0, band.min, "min")
            review.require(band.min < band.max, "max", "must be above min")
            if !band.url.isEmpty { review.requireWebAddress(band.url, "url") }
        }
        review.requireUnique(riskClasses.map(\.label), "riskClasses.label")
        // A score must belong to exactly one class.
        let ascending = riskClasses.sorted { $0.min < $1.min }
        review.require(
            zip(ascending, ascending.dropFirst()).allSatisfy { $0.max == $1.min }, "riskClasses",
            "must follow each other: one's min is the other's max")
    }
}

extension WireRiskScoreParameters {
    fileprivate func review(_ review: inout MessageReview) {
        review.require(transmissionWeight, in: 0...100, "transmissionWeight")
        review.require(durationWeight, in: 0...100, "durationWeight")
        review.require(daysWeight, in: 0...100, "daysWeight")
        review.require(attenuationWeight, in: 0...100, "attenuationWeight")
        for (field, level) in transmission.levels + duration.levels + daysSinceLastExposure.levels + attenuation.levels
        {
            if case .UNRECOGNIZED = level { review.require(false, field, "must be from 0 to 8, or a level's name") }
        }
    }
}

// Levels by name, in the order of the fields: from the lowest risk to the highest.

extension WireRiskScoreParameters.TransmissionRiskParameters {
    var levels: [(field: String, level: WireRiskLevel)] {
        let all = [
            appDefined1, appDefined2, appDefined3, appDefined4, appDefined5, appDefined6, appDefined7, appDefined8,
        ]
        return all.enumerated().map { ("transmission.appDefined\($0 + 1)", $1) }
    }
}

extension WireRiskScoreParameters.DurationRiskParameters {
    var levels: [(field: String, level: WireRiskLevel)] {
        [
            ("duration.eq0Min", eq0Min), ("duration.gt0Le5Min", gt0Le5Min), ("duration.gt5Le10Min", gt5Le10Min),
            ("duration.gt10Le15Min", gt10Le15Min), ("duration.gt15Le20Min", gt15Le20Min),
            ("duration.gt20Le25Min", gt20Le25Min), ("duration.gt25Le30Min", gt25Le30Min),
            ("duration.gt30Min", gt30Min),
        ]
    }
}

extension WireRiskScoreParameters.DaysSinceLastExposureRiskParameters {
    var levels: [(field: String, level: WireRiskLevel)] {
        [
            ("ge14Days", ge14Days), ("ge12Lt14Days", ge12Lt14Days), ("ge10Lt12Days", ge10Lt12Days),
            ("ge8Lt10Days", ge8Lt10Days), ("ge6Lt8Days", ge6Lt8Days), ("ge4Lt6Days", ge4Lt6Days),
            ("ge2Lt4Days", ge2Lt4Days), ("ge0Lt2Days", ge0Lt2Days),
        ].map { ("daysSinceLastExposure.\($0)", $1) }
    }
}

extension WireRiskScoreParameters.AttenuationRiskParameters {
    var levels: [(field: String, level: WireRiskLevel)] {
        [
            ("gt73Dbm", gt73Dbm), ("gt63Le73Dbm", gt63Le73Dbm), ("gt51Le63Dbm", gt51Le63Dbm),
            ("gt33Le51Dbm", gt33Le51Dbm), ("gt27Le33Dbm", gt27Le33Dbm), ("gt15Le27Dbm", gt15Le27Dbm),
            ("gt10Le15Dbm", gt10Le15Dbm), ("le10Dbm", le10Dbm),
        ].map { ("attenuation.\($0)", $1) }
    }
}

extension WireAttenuationDuration {
    fileprivate func review(_ review: inout MessageReview) {
        review.require(thresholds.lower, in: 0...255, "thresholds.lower")
        review.require(thresholds.upper, in: 0...255, "thresholds.upper")
        review.require(thresholds.lower <= thresholds.upper, "thresholds.lower", "must not be above upper")
        review.requireWeight(weights.low, "weights.low")
        review.requireWeight(weights.mid, "weights.mid")
        review.requireWeight(weights.high, "weights.high")
        review.requireAtLeast(0, defaultBucketOffset, "defaultBucketOffset")
        // Phones divide by this value.
        review.requireAtLeast(1, riskScoreNormalizationDivisor, "riskScoreNormalizationDivisor")
    }
}
