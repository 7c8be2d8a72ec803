extension WirePresenceTracingParameters {
    func review(_ review: inout MessageReview) {
        if hasRiskCalculationParameters {
            review.inside("riskCalculationParameters", riskCalculationParameters.review)
        }
        if hasSubmissionParameters { review.inside("submissionParameters", submissionParameters.review) }
        if case .UNRECOGNIZED = qrCodeErrorCorrectionLevel {
            review.require(false, "qrCodeErrorCorrectionLevel", "must be MEDIUM, LOW, QUANTILE or HIGH")
        }
        if hasPlausibleDeniabilityParameters {
            review.inside("plausibleDeniabilityParameters", plausibleDeniabilityParameters.review)
        }
        review.each("qrCodeDescriptors", qrCodeDescriptors) { $0.review(&$1) }
    }
}

extension WirePresenceTracingRiskCalculationParameters {
    fileprivate func review(_ review: inout MessageReview) {
        review.requireRiskValues(transmissionRiskValueMapping, "transmissionRiskValueMapping")
        review.requireRiskLevels(
            normalizedTimePerCheckInToRiskLevelMapping, "normalizedTimePerCheckInToRiskLevelMapping")
        review.requireRiskLevels(normalizedTimePerDayToRiskLevelMapping, "normalizedTimePerDayToRiskLevelMapping")
        review.require(
            !transmissionRiskValueMapping.isEmpty, "transmissionRiskValueMapping",
            "must not be empty: cwa-app-android and cwa-app-ios warn no visitor without it")
        review.requireAgeInDays(
            maxCheckInAgeInDays, "maxCheckInAgeInDays",
            orElse: "with 0 cwa-app-ios warns nobody of a visit that has ended")
    }
}

extension WirePresenceTracingSubmissionParameters {
    fileprivate func review(_ review: inout MessageReview) {
        review.each("durationFilters", durationFilters) { filter, review in
            review.requireRange(
                filter.dropIfMinutesInRange, given: filter.hasDropIfMinutesInRange, "dropIfMinutesInRange")
        }
        review.each("aerosoleDecayLinearFunctions", aerosoleDecayLinearFunctions) { function, review in
            review.requireRange(function.minutesRange, given: function.hasMinutesRange, "minutesRange")
            review.requireFinite(function.slope, "slope")
            review.requireFinite(function.intercept, "intercept")
        }
        review.requireDisjoint(aerosoleDecayLinearFunctions.map(\.minutesRange), "aerosoleDecayLinearFunctions")
    }
}

extension WirePresenceTracingPlausibleDeniabilityParameters {
    fileprivate func review(_ review: inout MessageReview) {
        let (ifNone, ifSome) = (probabilityToFakeCheckInsIfNoCheckIns, probabilityToFakeCheckInsIfSomeCheckIns)
        review.requireProbability(ifNone, "probabilityToFakeCheckInsIfNoCheckIns")
        review.requireProbability(ifSome, "probabilityToFakeCheckInsIfSomeCheckIns")
        review.each("numberOfFakeCheckInsFunctionParameters", numberOfFakeCheckInsFunctionParameters) {
            function, review in
            review.requireRange(
                function.randomNumberRange, given: function.hasRandomNumberRange, "randomNumberRange")
            for (name, coefficient) in function.coefficients { review.requireFinite(coefficient, name) }
        }
        review.require(
            !numberOfFakeCheckInsFunctionParameters.isEmpty || max(ifNone, ifSome) == 0,
            "numberOfFakeCheckInsFunctionParameters", "must not be empty while a probability is above 0")
        review.require(
            !checkInSizesInBytes.isEmpty || max(ifNone, ifSome) == 0, "checkInSizesInBytes",
            "must not be empty while a probability is above 0: cwa-app-android adds nothing without it")
        review.requireDisjoint(
            numberOfFakeCheckInsFunctionParameters.map(\.randomNumberRange), "numberOfFakeCheckInsFunctionParameters")
    }
}

extension WirePresenceTracingPlausibleDeniabilityParameters.NumberOfFakeCheckInsFunctionParameters {
    fileprivate var coefficients: [(String, Double)] {
        [("p", p), ("q", q), ("r", r), ("s", s), ("t", t), ("u", u), ("a", a), ("b", b), ("c", c)]
    }
}

extension WirePresenceTracingQRCodeDescriptor {
    fileprivate func review(_ review: inout MessageReview) {
        if case .UNRECOGNIZED = payloadEncoding {
            review.require(false, "payloadEncoding", "must be BASE32 or BASE64")
        }
        guard let groups = RegularExpression(regexPattern)?.groups else {
            return review.require(false, "regexPattern", "must be a regular expression")
        }
        review.require(
            versionGroupIndex < groups, "versionGroupIndex",
            "must be less than the pattern's number of groups, \(groups)")
        review.require(
            encodedPayloadGroupIndex < groups, "encodedPayloadGroupIndex",
            "must be less than the pattern's number of groups, \(groups)")
    }
}
