/// A figure that the authority is shown. The list is closed: what isn't here is never counted.
///
/// The definition of each is in ``definition``; the words for people are the portal's.
package enum Figure: String, CaseIterable, Sendable {
    /// TeleTANs that officers made, by kind and by the day on which they were made.
    case codesMade = "codes-made"
    /// Those of them that a phone redeemed.
    case codesRedeemed = "codes-redeemed"
    /// Redeemed of 100 made, computed from released values only.
    case shareRedeemed = "share-redeemed"
    /// Refused teleTANs: typing errors, repeats and guesses.
    case wrongEntries = "wrong-entries"
    /// Tests that were registered by their QR code. A registration by telephone is a redeemed code: it isn't counted a second
    /// time, or the two could be subtracted.
    case testsRegistered = "tests-registered"
    /// Results that laboratories and test centres posted, by kind of test, positive ones and others. Never by laboratory.
    case resultsPosted = "results-posted"
    /// Uploads by people who tested positive or reported themselves: confirmed TANs, and passwords of self-reports.
    case warningsSent = "warnings-sent"
    /// Published keys and check-in reports, including fillers. Everybody can count them.
    case publishedEntries = "published-entries"
    /// Seconds from the end of an hour to the index that names its package.
    case publicationDelay = "publication-delay"
    /// Silent pushes: waves, phones that were registered for the last one, pushes sent and accepted, registrations removed.
    case pushWaves = "push-waves"
    /// Keys that a gateway took for other countries, by the day on which they left, including fillers. Each country publishes
    /// them, so everybody can count them. If there are several gateways, they are those of the one that took most: the others
    /// have mostly the same.
    case keysShared = "keys-shared"
    /// Keys that came from other countries, by the day on which they came and by the country that sent them.
    ///
    /// A country whose cell is withheld needs no second one. It publishes all of its keys itself, so there is nothing to find by
    /// subtraction. The minimum keeps out what is too small to mean anything.
    case keysImported = "keys-imported"
    /// Donations in which the risk had become high since the donor's last one: from encounters, or only from visits to venues.
    ///
    /// A donation is counted in one part at most, so a person in eight a week (``DonorWeek``): ε = ½.
    case donatedWarnings = "donated-warnings"
    /// Donated tests that were registered while the app showed a high risk, of 100 donated warnings of the week, by the same parts.
    /// A person may test more than once.
    ///
    /// The warnings are the released ones; the tests get noise of their own, for 16 a person and week: ε = ½ in addition.
    case shareTested = "share-tested"
    /// Of 100 donated results of a kind of test those that came within so many hours of the registration.
    ///
    /// The noise is for 16 results a person and week: ε = ½.
    case resultDelay = "result-delay"
    /// Of 100 donations from a system those of its newest version, of the one before, and of older ones. Each donation counts, not
    /// each app.
    ///
    /// They are computed from the released table of versions, so they reveal nothing more.
    case appVersions = "app-versions"
}

/// How a figure is counted and protected.
package struct FigureDefinition: Sendable, Equatable {
    /// What is counted.
    package enum Unit: String, Sendable {
        case codes, percent, entries, tests, results, warnings, seconds, pushes, keys
    }

    /// What the values are numbers of.
    package let unit: Unit
    /// The parts that each period is divided into; one empty name if it isn't.
    package let cells: [String]
    /// What a value covers. A figure with both has a week's value only for the days that have none.
    package let periods: [Period]
    /// Smaller counts are withheld; 0 if none is.
    package let minimum: Int
    /// Values are multiples of it.
    package let rounding: Int
    /// Whether noise is added before anything else, because each unit is one person's act. Whoever counts chooses the scale by the
    /// most units that a person can add: ``TwoSidedGeometric``.
    package let isNoisy: Bool
    /// Counts up whenever anything of the definition changes.
    package let version: Int16
}

extension Figure {
    /// How it is counted and protected.
    package var definition: FigureDefinition {
        switch self {
        case .codesMade, .codesRedeemed:
            Self.define(.codes, ["test", "event"], [.day, .week], minimum: 10, rounding: 5)
        case .shareRedeemed: Self.define(.percent, ["test", "event"], [.week], minimum: 50, rounding: 5)
        case .wrongEntries: Self.define(.entries, [""], [.day], rounding: 10)
        case .testsRegistered: Self.define(.tests, [""], [.week], minimum: 50, rounding: 10)
        case .resultsPosted: Self.define(.results, ResultCells.cells, [.week], minimum: 50, rounding: 10)
        case .warningsSent: Self.define(.warnings, [""], [.week], minimum: 20, rounding: 10, isNoisy: true)
        case .publishedEntries: Self.define(.entries, ["keys", "reports"], [.day])
        case .publicationDelay: Self.define(.seconds, ["median", "worst"], [.day])
        case .pushWaves:
            Self.define(.pushes, ["waves", "registered", "sent", "accepted", "removed"], [.day])
        // Keys leave in batches of a package's smallest size or more.
        case .keysShared: Self.define(.keys, [""], [.day], minimum: 140, rounding: 10)
        case .keysImported: Self.define(.keys, CountryCells.cells, [.day], minimum: 50, rounding: 10)
        // Six times the scale of the noise: without any warning a value appears once in a thousand weeks.
        case .donatedWarnings:
            Self.define(.warnings, WarningCells.cells, [.week], minimum: 100, rounding: 10, isNoisy: true)
        // With as many in the whole, the noise moves a share by ten points or less in 19 of 20 weeks.
        case .shareTested:
            Self.define(.percent, WarningCells.cells, [.week], minimum: 1_000, rounding: 5, isNoisy: true)
        case .resultDelay:
            Self.define(.percent, DelayCells.cells, [.week], minimum: 1_000, rounding: 5, isNoisy: true)
        case .appVersions:
            Self.define(.percent, VersionCells.cells, [.week], minimum: 1_000, rounding: 5, isNoisy: true)
        }
    }

    /// Whether volunteers' donations are counted, which represent nobody else.
    package var isDonated: Bool {
        switch self {
        case .donatedWarnings, .shareTested, .resultDelay, .appVersions: true
        default: false
        }
    }

    private static func define(
        _ unit: FigureDefinition.Unit, _ cells: [String], _ periods: [Period], minimum: Int = 0, rounding: Int = 1,
        isNoisy: Bool = false
    ) -> FigureDefinition {
        FigureDefinition(
            unit: unit, cells: cells, periods: periods, minimum: minimum, rounding: rounding, isNoisy: isNoisy,
            version: 1)
    }
}

/// The cells of ``Figure/resultsPosted``.
package enum ResultCells {
    /// The kinds of test.
    package static let families = ["pcr", "rapid", "point-of-care"]
    /// The results of each: negative and invalid ones are one cell, because the few invalid ones would have to be withheld, and
    /// the negative ones with them.
    package static let results = ["positive", "other"]
    /// All of them, kind by kind: `pcr-positive`, `pcr-other`, …
    package static let cells = families.flatMap { family in results.map { "\(family)-\($0)" } }
}

/// The cells of ``Figure/keysImported``.
package enum CountryCells {
    /// The European Union's countries, Iceland, Liechtenstein, Norway and Switzerland: those that a gateway may connect. One
    /// cell for each, the own country's among them, which always is withheld (ISO 3166-1 alpha-2, in lower case).
    package static let cells = [
        "at", "be", "bg", "ch", "cy", "cz", "de", "dk", "ee", "es", "fi", "fr", "gr", "hr", "hu", "ie", "is",
        "it", "li", "lt", "lu", "lv", "mt", "nl", "no", "pl", "pt", "ro", "se", "si", "sk",
    ]
}

/// The cells of ``Figure/donatedWarnings`` and ``Figure/shareTested``.
package enum WarningCells {
    /// What the risk came from; visits are counted if encounters weren't the cause, too.
    package static let cells = ["encounters", "visits"]
}

/// The cells of ``Figure/resultDelay``.
package enum DelayCells {
    /// Each kind of test with the hours up to which its first class reaches, and its second one.
    package static let kinds = [(kind: "pcr", quick: 24, slow: 48), (kind: "rapid", quick: 1, slow: 6)]
    /// The first class of each.
    package static let quickest = kinds.map { "\($0.kind)-\($0.quick)" }
    /// Kind by kind: within the first hours, within the second ones, later.
    package static let cells = kinds.flatMap {
        ["\($0.kind)-\($0.quick)", "\($0.kind)-\($0.slow)", "\($0.kind)-later"]
    }
}

/// The cells of ``Figure/appVersions``.
package enum VersionCells {
    /// The systems of phones.
    package static let platforms = ["ios", "android"]
    /// What counts are of each.
    package static let ages = ["newest", "previous", "older"]
    /// System by system.
    package static let cells = platforms.flatMap { platform in ages.map { "\(platform)-\($0)" } }
}

/// A value as it was released. It never changes.
package struct ReleasedValue: Sendable, Equatable {
    /// What was counted.
    package let figure: Figure
    /// One of the figure's cells.
    package let cell: String
    /// The first day.
    package let start: LocalDay
    /// What the value covers.
    package let period: Period
    /// About so many; nil if it is withheld.
    package let value: Int?

    /// Creates a value from its parts.
    package init(_ figure: Figure, _ cell: String, _ start: LocalDay, _ period: Period, _ value: Int?) {
        self.figure = figure
        self.cell = cell
        self.start = start
        self.period = period
        self.value = value
    }
}
