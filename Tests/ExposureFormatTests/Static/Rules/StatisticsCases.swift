import ExposureFormat

extension StaticMessageRuleTests {
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
            .localStatistics, "administrativeUnitData[0].updatedAt", "-1",
            "administrativeUnitData[0].updatedAt must be at least 0."),
    ]
}
