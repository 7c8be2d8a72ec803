import ExposureKeys
import FoundationEssentials
import PublishedTree

/// Why a key, a trace key or an hour is published, or not yet.
enum Explanation: Equatable, Sendable {
    // MARK: Keys

    /// No row has the key.
    case unknown(lastFolded: Hour?)
    /// Its risk level is too low; it is never published.
    case level(TransmissionRiskLevel, lowest: TransmissionRiskLevel)
    /// Phones would still accept replayed broadcasts.
    case embargo(until: Hour)
    /// It may be published, but its hour hasn't been decided yet.
    case undecided(release: Hour, lastPublished: Hour?)
    /// It may be published, but too few keys wait with it.
    case threshold(waiting: Int, minimum: Int, since: Hour)
    /// The hour it was published with.
    case published(Hour)
    /// Its period ended more than 14 days ago: it is in no package any more, or was never in one.
    case expired

    // MARK: Keys of other countries

    /// It came from another country; the regions that have it once it is published, and where it is.
    indirect case foreign(origin: String, regions: [String], Explanation)
    /// Keys are still added to its hour of import.
    case importing(Hour, lastComplete: Hour?)
    /// It may be published, but too few keys of other countries wait with it.
    case foreignThreshold(waiting: Int, minimum: Int, since: Hour)

    // MARK: Trace keys

    /// No trace key has the identity.
    case unknownTraceKey
    /// The two hours in which it came aren't over.
    case waitingTraceKey(since: TraceKeyTag)
    /// It is in the lists.
    case publishedTraceKey(since: TraceKeyTag)
    /// Phones have forgotten its day.
    case expiredTraceKey

    // MARK: Hours

    /// Its uploads are still sealed.
    case unfolded(lastFolded: Hour?)
    /// It is folded, and no run has published since.
    case unpublished(lastPublished: Hour?)
    /// The hour is published. Its venue reports are, with those of the other hour of their bundle, unless there is none yet.
    case hour(PublishedHour, VenueBundle? = nil)
    /// It is older than the database's records.
    case forgotten
}

extension Explanation {
    /// Sentences for the operator.
    func text(minimum: Int) -> String {
        switch self {
        case .unknown(let lastFolded):
            """
            Neither among the folded keys nor among those of other countries.
            Either it was never accepted, or its upload is sealed until its hour is folded, or it was deleted after 14 days.
            The last folded hour is \(Self.name(lastFolded)).
            """
        case .level(let level, let lowest):
            """
            Never published: its transmission risk level is \(level.rawValue), and keys below \(lowest.rawValue) are kept.
            """
        case .embargo(let hour):
            """
            Waits for its embargo: phones would accept replayed broadcasts until two hours after its rolling period.
            It may be published with the hour \(Self.name(hour)).
            """
        case .undecided(let release, let lastPublished):
            """
            May be published with the hour \(Self.name(release)), which is not published yet.
            The last published hour is \(Self.name(lastPublished)).
            """
        case .threshold(let waiting, let minimum, let since):
            """
            Too few keys: \(waiting) of \(minimum) have been waiting since the hour \(Self.name(since)).
            The fold fills every hour to at least `fold.smallestSet` keys, which must not be less than `minimumKeys`.
            """
        case .published(let hour):
            """
            Published with the hour \(Self.name(hour)).
            In the packages version/v1/diagnosis-keys/country/…/date/\(hour.day.name) (when the day has passed) and
            version/v1/diagnosis-keys/country/…/date/\(hour.day.name)/hour/\(hour.ofDay) (for 48 hours), until 14 days
            after the end of its period.
            """
        case .expired:
            """
            Expired: its rolling period ended more than 14 days ago.
            If a package had it, the next run takes it out, within an hour. Retention deletes it.
            """
        case .foreign(let origin, let regions, let state):
            """
            A key of another country, \(origin). \(Self.regions(regions))
            \(state.text(minimum: minimum))
            """
        case .importing(let hour, let lastComplete):
            """
            Waits: it was imported in the hour \(Self.name(hour)), and federation hasn't ended that hour.
            The last complete hour of import is \(Self.name(lastComplete)). If that is long ago, see the alerts of federation.
            """
        case .foreignThreshold(let waiting, let minimum, let since):
            """
            Too few keys of other countries: \(waiting) of \(minimum) have been waiting since the hour \(Self.name(since)).
            They wait for others, and expire if none come.
            """
        case .unknownTraceKey:
            """
            No trace key has this identity.
            Either it was never uploaded, or it was deleted 14 days after its day.
            """
        case .waitingTraceKey(let tag):
            """
            Waits: trace keys are published when the two hours in which they came are over, so that nobody sees when they came.
            The first run from four minutes after \(Self.end(of: tag)) publishes it.
            """
        case .publishedTraceKey(let tag):
            """
            Published by the first run from four minutes after \(Self.end(of: tag)).
            Phones whose last tag is \(tag.text) or lower get it, until 14 days after its day.
            """
        case .expiredTraceKey:
            "Expired: phones have forgotten its day. The next run takes it out, and health-portal deletes it."
        case .unfolded(let lastFolded):
            """
            Not folded yet: its uploads are sealed, and nobody can read them.
            The last folded hour is \(Self.name(lastFolded)). If that is long ago, see the alerts of submission-server.
            """
        case .unpublished(let lastPublished):
            """
            Folded, but not published yet. The last published hour is \(Self.name(lastPublished)).
            `distribution run` publishes at `run.minute` of every hour; its log says why a run failed.
            """
        case .hour(let hour, let bundle):
            """
            Published.
            \(Self.keys(hour.home, "keys", minimum))
            \(Self.keys(hour.foreign, "keys of other countries", minimum))
            \(Self.amount(hour.reports, of: "check-in reports", minimum))
            \(Self.venueReports(bundle))
            """
        case .forgotten:
            "Older than the records, which are kept for 15 days, or before the first fold."
        }
    }

    private static func name(_ hour: Hour?) -> String {
        hour.map { "\($0.day.name) \($0.ofDay < 10 ? "0" : "")\($0.ofDay):00 UTC" } ?? "none"
    }

    private static func end(of tag: TraceKeyTag) -> String {
        name(Hour(containing: Date(timeIntervalSince1970: Double((tag.number + 1) * TraceKeyTag.seconds))))
    }

    private static func regions(_ regions: [String]) -> String {
        regions.isEmpty
            ? "It names none of the countries in `regions`, so no region has it."
            : "Regions that have it once it is published: \(regions.joined(separator: ", "))."
    }

    private static func keys(_ taken: TakenKeys?, _ things: String, _ minimum: Int) -> String {
        guard let taken else { return amount(0, of: things, minimum) }
        return taken.count > 0
            ? "Of the \(things) that it took, \(taken.count) haven't expired."
            : "All \(things) that it took have expired."
    }

    private static func venueReports(_ bundle: VenueBundle?) -> String {
        guard let bundle else { return "Its venue reports are published with those of the next hour." }
        return "Its venue reports are among the \(bundle.reports) of \(bundle.key.path)."
    }

    private static func amount(_ count: Int, of things: String, _ minimum: Int) -> String {
        count > 0
            ? "It took \(count) \(things)."
            : "It took no \(things): fewer than \(minimum) were waiting; they wait for a later hour."
    }
}
