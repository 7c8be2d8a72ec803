extension Schema {
    /// What the authority is shown. Several services release figures, the health portal reads them.
    package static let statistics = Schema(
        "statistics", roles: [], migrations: Migration.statistics,
        exempt: [
            "statistics.released_figure": "numbers of nobody, released for good: the owner may delete old ones",
            "statistics.counted_since": "a day for each figure",
        ])

    /// What every service needs that releases figures or reads them.
    static let releasedFigures = Requirement(schema: .statistics, version: 1)

    /// The same for donated data.
    static let donatedFigures = Requirement(schema: .statistics, version: 3)
}
