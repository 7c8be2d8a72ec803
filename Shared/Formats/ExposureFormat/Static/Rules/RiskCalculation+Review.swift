extension WireRiskCalculationParameters {
    func review(_ review: inout MessageReview) {
        review.each("minutesAtAttenuationFilters", minutesAtAttenuationFilters) { filter, review in
            review.requireRange(filter.attenuationRange, given: filter.hasAttenuationRange, "attenuationRange")
            review.requireRange(
                filter.dropIfMinutesInRange, given: filter.hasDropIfMinutesInRange, "dropIfMinutesInRange")
        }
        review.each("trlFilters", trlFilters) { filter, review in
            review.requireRange(filter.dropIfTrlInRange, given: filter.hasDropIfTrlInRange, "dropIfTrlInRange")
        }
        review.each("minutesAtAttenuationWeights", minutesAtAttenuationWeights) { weight, review in
            review.requireRange(weight.attenuationRange, given: weight.hasAttenuationRange, "attenuationRange")
            review.requireWeight(weight.weight, "weight")
        }
        // Without a weight no minute counts, and nobody is warned.
        review.require(!minutesAtAttenuationWeights.isEmpty, "minutesAtAttenuationWeights", "must not be empty")
        review.requireDisjoint(minutesAtAttenuationWeights.map(\.attenuationRange), "minutesAtAttenuationWeights")
        review.requireRiskLevels(normalizedTimePerEwtoRiskLevelMapping, "normalizedTimePerEWToRiskLevelMapping")
        review.requireRiskLevels(normalizedTimePerDayToRiskLevelMapping, "normalizedTimePerDayToRiskLevelMapping")
        review.requirePresence(hasTrlEncoding, "trlEncoding", trlEncoding.review)
        review.requireWeight(transmissionRiskLevelMultiplier, "transmissionRiskLevelMultiplier")
        review.requireRiskValues(transmissionRiskValueMapping, "transmissionRiskValueMapping")
        review.require(
            !transmissionRiskValueMapping.isEmpty, "transmissionRiskValueMapping",
            "must not be empty: without it cwa-app-android discards the whole configuration, and cwa-app-ios warns nobody"
        )
        review.requireAgeInDays(
            maxEncounterAgeInDays, "maxEncounterAgeInDays",
            orElse: "cwa-app-android and cwa-app-ios use 14 instead of 0")
    }
}

extension MessageReview {
    /// The ranges of weighted minutes of low and of high risk.
    mutating func requireRiskLevels(_ mappings: [WireNormalizedTimeToRiskLevelMapping], _ field: String) {
        require(!mappings.isEmpty, field, "must not be empty")
        each(field, mappings) { mapping, review in
            review.requireRange(
                mapping.normalizedTimeRange, given: mapping.hasNormalizedTimeRange, "normalizedTimeRange")
            review.require([.low, .high].contains(mapping.riskLevel), "riskLevel", "must be LOW or HIGH")
        }
        requireDisjoint(mappings.map(\.normalizedTimeRange), field)
    }

    /// The factor of each transmission risk level.
    mutating func requireRiskValues(_ mappings: [WireTransmissionRiskValueMapping], _ field: String) {
        each(field, mappings) { mapping, review in
            review.require(mapping.transmissionRiskLevel, in: 1...8, "transmissionRiskLevel")
            review.requireWeight(mapping.transmissionRiskValue, "transmissionRiskValue")
        }
        requireUnique(mappings.map(\.transmissionRiskLevel), "\(field).transmissionRiskLevel")
    }

    /// Phones keep encounters for 14 days.
    /// - Parameter consequence: says what an app does with other values.
    mutating func requireAgeInDays(_ days: UInt32, _ field: String, orElse consequence: String) {
        require(days, in: 1...14, field, orElse: consequence)
    }
}

extension WireTransmissionRiskLevelEncoding {
    fileprivate func review(_ review: inout MessageReview) {
        review.requireAtLeast(0, infectiousnessOffsetStandard, "infectiousnessOffsetStandard")
        review.requireAtLeast(0, infectiousnessOffsetHigh, "infectiousnessOffsetHigh")
        review.requireAtLeast(0, reportTypeOffsetRecursive, "reportTypeOffsetRecursive")
        review.requireAtLeast(0, reportTypeOffsetSelfReport, "reportTypeOffsetSelfReport")
        review.requireAtLeast(
            0, reportTypeOffsetConfirmedClinicalDiagnosis, "reportTypeOffsetConfirmedClinicalDiagnosis")
        review.requireAtLeast(0, reportTypeOffsetConfirmedTest, "reportTypeOffsetConfirmedTest")
    }
}
