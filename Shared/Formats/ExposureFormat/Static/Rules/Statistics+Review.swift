extension WireStatistics: ReviewedMessage {
    func review(_ review: inout MessageReview) {
        review.requireUnique(cardIDSequence, "cardIdSequence")
        review.each("keyFigureCards", keyFigureCards) { card, review in
            review.requirePresence(card.hasHeader, "header", card.header.review)
            review.each("keyFigures", card.keyFigures) { $0.review(&$1) }
        }
        review.each("linkCards", linkCards) { card, review in
            review.requirePresence(card.hasHeader, "header", card.header.review)
            review.requireWebAddress(card.url, "url")
        }
        review.requireUnique(
            keyFigureCards.map(\.header.cardID) + linkCards.map(\.header.cardID), "keyFigureCards and linkCards: cardId"
        )
    }
}

extension WireCardHeader {
    fileprivate func review(_ review: inout MessageReview) {
        review.requireAtLeast(1, cardID, "cardId")
        review.requireAtLeast(0, updatedAt, "updatedAt")
    }
}

extension WireKeyFigure {
    fileprivate func review(_ review: inout MessageReview) {
        if case .UNRECOGNIZED = rank { review.require(false, "rank", "must be PRIMARY, SECONDARY or TERTIARY") }
        review.requireFinite(value, "value")
        review.requireAtLeast(0, decimals, "decimals")
        review.requireTrend(trend)
        if case .UNRECOGNIZED = trendSemantic {
            review.require(false, "trendSemantic", "must be NEUTRAL, POSITIVE or NEGATIVE")
        }
        review.requireAtLeast(0, updatedAt, "updatedAt")
    }
}

extension WireLocalStatistics: ReviewedMessage {
    func review(_ review: inout MessageReview) {
        review.each("federalStateData", federalStateData) { state, review in
            if case .UNRECOGNIZED = state.federalState {
                review.require(false, "federalState", "must be a name such as FEDERAL_STATE_SH")
            }
            review.requireAtLeast(0, state.updatedAt, "updatedAt")
            review.inside("sevenDayIncidence", state.sevenDayIncidence.review)
            review.requireAtLeast(
                0, state.sevenDayHospitalizationIncidenceUpdatedAt, "sevenDayHospitalizationIncidenceUpdatedAt")
            review.inside("sevenDayHospitalizationIncidence", state.sevenDayHospitalizationIncidence.review)
        }
        // The published server kept repeated entries, too, the newest first, and so do real feeds (cwa-server,
        // `LocalStatisticsToProtobufMapping`; cwa-app-ios takes the first). One of them mustn't hold back a country's figures.
        review.noteRepeated(
            federalStateData.map(\.federalState.rawValue), "federalStateData.federalState", so: Self.firstCounts)
        review.each("administrativeUnitData", administrativeUnitData) { unit, review in
            review.requireAtLeast(1, unit.administrativeUnitShortID, "administrativeUnitShortId")
            review.requireAtLeast(0, unit.updatedAt, "updatedAt")
            review.inside("sevenDayIncidence", unit.sevenDayIncidence.review)
        }
        review.noteRepeated(
            administrativeUnitData.map(\.administrativeUnitShortID), "administrativeUnitData.administrativeUnitShortId",
            so: Self.firstCounts)
    }

    private static let firstCounts = "iPhones show the first of them"
}

extension WireSevenDayIncidenceData {
    fileprivate func review(_ review: inout MessageReview) {
        review.requireFinite(value, "value")
        review.requireTrend(trend)
    }
}

extension MessageReview {
    fileprivate mutating func requireTrend(_ trend: WireKeyFigure.Trend) {
        if case .UNRECOGNIZED = trend { require(false, "trend", "must be STABLE, INCREASING or DECREASING") }
    }
}
