import ExposureKeys

// The parts that configurations of all versions share.

extension WireSemanticVersion: Comparable {
    static func < (left: WireSemanticVersion, right: WireSemanticVersion) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }
}

extension WireAppFeatures {
    func review(_ review: inout MessageReview) {
        review.each("appFeatures", appFeatures) { feature, review in
            review.require(!feature.label.isEmpty, "label", "must not be empty")
            switch feature.label {
            case "disable-device-time-check", "unencrypted-checkins-enabled", "dcc-admission-check-scenarios-enabled":
                review.require(
                    (0...1).contains(feature.value), "value",
                    "must be 0 or 1: cwa-app-android and cwa-app-ios read every other value as 0")
            case "dcc-person-count-max", "dcc-person-warn-threshold":
                review.require(
                    feature.value >= 1, "value",
                    "must be at least 1: cwa-app-ios uses its own value instead of 0, and cwa-app-android instead of less"
                )
            default: break
            }
        }
        review.requireUnique(appFeatures.map(\.label), "appFeatures.label")
    }
}

extension MessageReview {
    mutating func requireCountries(_ countries: [String], _ field: String) {
        require(countries.allSatisfy(\.isCountryCode), field, "must be countries of two capital letters each")
        require(
            zip(countries, countries.dropFirst()).allSatisfy(<), field,
            "must be in alphabetical order, each country once")
    }
}

// MARK: - Downloads

extension WireKeyDownloadParametersIOS {
    func review(_ review: inout MessageReview) {
        review.each("revokedDayPackages", revokedDayPackages) { $0.review(&$1) }
        review.each("revokedHourPackages", revokedHourPackages) { $0.review(&$1) }
        review.each("revokedTraceWarningPackages", revokedTraceWarningPackages) { $0.review(&$1) }
    }
}

extension WireKeyDownloadParametersAndroid {
    func review(_ review: inout MessageReview) {
        review.each("revokedDayPackages", revokedDayPackages) { $0.review(&$1) }
        review.each("revokedHourPackages", revokedHourPackages) { $0.review(&$1) }
        review.each("revokedTraceWarningPackages", revokedTraceWarningPackages) { $0.review(&$1) }
        review.require(
            downloadTimeoutInSeconds, in: 1...1800, "downloadTimeoutInSeconds",
            orElse: "cwa-app-android uses 60 instead")
        review.require(
            overallTimeoutInSeconds, in: 1...1800, "overallTimeoutInSeconds", orElse: "cwa-app-android uses 480 instead"
        )
    }
}

extension WireDayPackageMetadata {
    fileprivate func review(_ review: inout MessageReview) {
        review.requirePackage(region: region, date: date, etag: etag)
    }
}

extension WireHourPackageMetadata {
    fileprivate func review(_ review: inout MessageReview) {
        review.requirePackage(region: region, date: date, etag: etag)
        review.require(hour, in: 0...23, "hour")
    }
}

extension WireTraceWarningPackageMetadata {
    fileprivate func review(_ review: inout MessageReview) {
        review.requireEntityTag(etag)
    }
}

extension MessageReview {
    /// Phones match a revoked package by all three values, so an error in one would revoke nothing.
    fileprivate mutating func requirePackage(region: String, date: String, etag: String) {
        require(region.isRegion, "region", "must be a country of two capital letters, or EUR")
        require(Day(name: date) != nil, "date", "must be a day such as 2026-11-20")
        requireEntityTag(etag)
    }

    fileprivate mutating func requireEntityTag(_ etag: String) {
        require(!etag.isEmpty, "etag", "must not be empty")
    }
}

// MARK: - Exposure detection

extension WireExposureDetectionParametersIOS {
    func review(_ review: inout MessageReview) {
        // Phones divide a day by this value; the operating system allows six a day.
        review.require(
            maxExposureDetectionsPerInterval, in: 1...6, "maxExposureDetectionsPerInterval",
            orElse: "with 0 or less cwa-app-ios never looks for exposures")
    }
}

extension WireExposureDetectionParametersAndroid {
    func review(_ review: inout MessageReview) {
        review.require(
            maxExposureDetectionsPerInterval, in: 1...6, "maxExposureDetectionsPerInterval",
            orElse: "cwa-app-android looks for exposures once a day with 0, and uses 6 instead of the rest")
        review.require(
            overallTimeoutInSeconds, in: 1...3600, "overallTimeoutInSeconds", orElse: "cwa-app-android uses 900 instead"
        )
    }
}
