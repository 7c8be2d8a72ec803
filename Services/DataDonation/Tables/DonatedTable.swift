import Statistics

/// A weekly table of donated data for analysts. The list is closed: what isn't here is never released.
enum DonatedTable: String, Sendable, CaseIterable {
    /// Donations by the risk level from encounters.
    case riskLevels = "risk-levels"
    /// The same donations by the risk level from visits to venues.
    case visitRiskLevels = "visit-risk-levels"
    /// Tests by result, pending ones included.
    case testResults = "test-results"
    /// Whether people with a positive test, or who reported themselves, uploaded keys.
    case keySubmissions = "key-submissions"
    /// Encounters that are new in a donation, as phones measured them.
    case encounters
    /// Donations by system and version of the app.
    case appVersions = "app-versions"

    /// How a table is counted and protected.
    struct Definition: Sendable, Equatable {
        /// What a value counts.
        let counts: String
        /// What tells its cells apart: the part that a table of rows and columns belongs to (nil if there is one only), rows and
        /// columns (nil if the table has one only, and then no sums).
        let part, row, column: String?
        /// How many a person adds at most in the week that the noise hides.
        let units: Int
        /// What the noise hides, with ε = ½.
        let hidden: String
        /// Smaller counts are withheld.
        let minimum: Int
        let rounding = 10
        /// Counts up whenever anything of the definition changes.
        let version: Int16 = 1
    }

    /// The minimum is some six times the noise's scale: an empty cell is shown once in a thousand weeks at most.
    var definition: Definition {
        let person = "all that a person donates in the week"
        return switch self {
        case .riskLevels, .visitRiskLevels:
            Definition(
                counts: "donations", part: "level", row: "state", column: "age", units: DonorWeek.donations,
                hidden: person, minimum: 100)
        case .testResults:
            Definition(
                counts: "tests", part: "result", row: "state", column: "age", units: DonorWeek.tests, hidden: person,
                minimum: 200)
        case .keySubmissions:
            Definition(
                counts: "decisions about an upload", part: nil, row: "state", column: "outcome",
                units: DonorWeek.submissions, hidden: person, minimum: 300)
        // Somebody may have any number, so noise for a person would drown everything. Nothing in the rows says who or where.
        case .encounters:
            Definition(
                counts: "encounters", part: "infectiousness", row: "transmission_risk_level", column: "attenuation",
                units: 1, hidden: "an encounter", minimum: 50)
        // A version that one person has must not appear by chance: with noise for eight that happens once in 300,000 weeks.
        case .appVersions:
            Definition(
                counts: "donations", part: "system", row: "version", column: nil, units: DonorWeek.donations,
                hidden: person, minimum: 200)
        }
    }

    // MARK: Cells

    /// The name of a sum.
    static let all = "all"
    /// The name of all versions that aren't named.
    static let others = "other"

    /// In the order of the numbers that the folded tables have.
    enum Names {
        static let levels = ["unknown", "none", "low", "high"]
        static let ages = ["unknown", "0-29", "30-59", "60+"]
        /// The numbers of results begin with 1.
        static let results = ["pcr", "rapid"].flatMap { kind in
            ["pending", "negative", "positive", "invalid"].map { "\(kind)-\($0)" }
        }
        static let outcomes = ["submitted", "not-submitted"]
        static let infectiousness = ["none", "standard", "high"]
        static let transmissionRiskLevels = (0...8).map { "\($0)" }
        /// The weakest typical attenuation of an encounter's scans in decibels; the bounds are those of cwa-app's risk calculation.
        static let attenuations = ["to-62", "63-72", "73-78", "from-79"]

        /// The country's states by their numbers, after those of people who don't say.
        static func states(_ count: Int) -> [String] { ["unknown"] + (1...max(1, count)).map { "\($0)" } }
    }
}

/// A table of rows and columns, or a list of rows.
struct Slice: Sendable, Equatable {
    let part: String
    let rows: [String]
    let columns: [String]
    var counts: [[Int]]
}

/// A cell as it was released. It never changes.
struct ReleasedCell: Sendable, Equatable {
    /// Empty if the table isn't divided.
    let part: String
    let row: String
    /// Empty if the table has one column.
    let column: String
    /// About so many; nil if withheld.
    let value: Int?
}

extension Slice {
    /// The cells to show, after noise for each count. The sums are those of the counts with their noise.
    func released(_ definition: DonatedTable.Definition, _ noise: CountNoise) -> [ReleasedCell] {
        let noisy = counts.map { $0.map { $0 + noise.draw(definition.units) } }
        let rule = MarginRule(minimum: definition.minimum, rounding: definition.rounding)
        let shown = rule.shown(noisy)
        return zip(rows + [DonatedTable.all], shown).flatMap { row, values in
            zip(columns + [DonatedTable.all], values).map {
                ReleasedCell(part: part, row: row, column: $0, value: $1)
            }
        }
    }

    /// The cells of a list without a sum, whose rows are what was donated: rows that are too small are counted together, after
    /// noise for each. Nothing that is shown contains them, so there is nothing to subtract.
    func releasedList(_ definition: DonatedTable.Definition, _ noise: CountNoise) -> [ReleasedCell] {
        let rule = MarginRule(minimum: definition.minimum, rounding: definition.rounding)
        var (cells, others): ([ReleasedCell], Int) = ([], 0)
        for (row, counts) in zip(rows, counts) {
            let count = counts.reduce(0, +) + noise.draw(definition.units)
            if let value = rule.value(of: count) {
                cells.append(ReleasedCell(part: part, row: row, column: "", value: value))
            } else {
                others += count
            }
        }
        return cells + [ReleasedCell(part: part, row: DonatedTable.others, column: "", value: rule.value(of: others))]
    }
}
