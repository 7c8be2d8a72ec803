import ExposureKeys
import FoundationEssentials

/// A published hour: it took all waiting keys or none, of its own country and of others separately, and all waiting reports or none.
struct PublishedHour: Sendable, Equatable {
    let hour: Hour
    /// Nil if it took none.
    var home: TakenKeys?
    /// Keys of other countries; nil if it took none.
    var foreign: TakenKeys?
    var reports = 0

    /// How many of the keys that it took haven't expired.
    var keys: Int { (home?.count ?? 0) + (foreign?.count ?? 0) }

    /// Whether its packages hold keys that must be published no longer.
    func hasExpiredKeys(at instant: Date) -> Bool {
        [home, foreign].contains { $0?.hasExpiredKeys(at: instant) ?? false }
    }
}

/// The keys of one origin that a published hour took: its own country's, or those of all others.
struct TakenKeys: Sendable, Equatable {
    /// It took those that were folded or imported through this hour: of home keys itself, of foreign keys the last hour of import
    /// that was complete.
    let through: Hour
    /// How many of them haven't expired.
    private(set) var count: Int
    /// The earliest end of their periods. It stays when no key is left.
    private(set) var firstEnd: IntervalNumber

    init(through: Hour, count: Int, firstEnd: IntervalNumber) {
        self.through = through
        self.count = count
        self.firstEnd = firstEnd
    }

    /// Nil without keys.
    init?(through: Hour, _ count: KeyCount) {
        guard let firstEnd = count.firstEnd else { return nil }
        self.init(through: through, count: count.keys, firstEnd: firstEnd)
    }

    /// Whether packages hold keys of them that must be published no longer.
    func hasExpiredKeys(at instant: Date) -> Bool {
        count > 0 && RollingPeriod.hasExpired(endingWith: firstEnd, at: instant)
    }

    /// Leaves only some of the keys.
    mutating func keep(_ left: KeyCount) {
        count = left.keys
        firstEnd = left.firstEnd ?? firstEnd
    }
}

/// Up to where published hours took keys and reports; nil as long as none took any.
struct LastTaken: Sendable {
    private(set) var home: Hour?
    private(set) var foreign: Release?
    private(set) var reports: Hour?

    /// - Parameter published: in order.
    init(by published: [PublishedHour]) {
        for hour in published { add(hour) }
    }

    mutating func add(_ hour: PublishedHour) {
        if hour.home != nil { home = hour.hour }
        if let through = hour.foreign?.through { foreign = Release(stored: through, released: hour.hour) }
        if hour.reports > 0 { reports = hour.hour }
    }

    /// The foreign keys that the next hour may take: those of complete hours of import. Nil before the first of them.
    /// - Parameter imported: the last complete hour of import; nil if there was none for long.
    func foreignRange(through hour: Hour, imported: Hour?) -> ReleaseRange? {
        // Keys of an hour that some were taken of may still wait for the end of their embargo.
        let complete = [imported.map { min($0, hour) }, foreign?.stored].compactMap { $0 }.max()
        return complete.map { ReleaseRange(after: foreign, through: Release(stored: $0, released: hour)) }
    }
}

/// A number of keys, and the earliest end of their periods.
struct KeyCount: Sendable, Equatable {
    private(set) var keys = 0
    /// Nil without keys.
    private(set) var firstEnd: IntervalNumber?

    mutating func add(_ period: RollingPeriod) {
        keys += 1
        firstEnd = min(firstEnd ?? period.keptEnd, period.keptEnd)
    }

    static func + (left: KeyCount, right: KeyCount) -> KeyCount {
        KeyCount(
            keys: left.keys + right.keys, firstEnd: [left.firstEnd, right.firstEnd].compactMap { $0 }.min())
    }
}

/// Numbers of keys by where they stand.
struct KeyCounts: Sendable {
    private var counts: [Release: KeyCount] = [:]
    /// The keys that came last: they come hour by hour, so that most stand where the one before does.
    private var last: (release: Release, count: KeyCount)?

    mutating func add(_ period: RollingPeriod, at release: Release) {
        if let last, last.release != release {
            counts[last.release] = (counts[last.release] ?? KeyCount()) + last.count
            self.last = nil
        }
        var count = last?.count ?? KeyCount()
        count.add(period)
        last = (release, count)
    }

    /// How many stand in a range; all without one.
    func total(in range: ReleaseRange? = nil) -> KeyCount {
        var total = KeyCount()
        for (release, count) in counts where range?.contains(release) ?? true { total = total + count }
        if let last, range?.contains(last.release) ?? true { total = total + last.count }
        return total
    }
}

extension RollingPeriod {
    /// The end from which the 14 days count: tables keep a key no longer than the others of the day on which its period began. Only
    /// periods of other countries' keys last into the next day.
    var keptEnd: IntervalNumber {
        min(end, IntervalNumber(rawValue: start.startOfDay.rawValue + IntervalNumber.perDay))
    }
}
