import ExposureKeys
package import FoundationEssentials
package import Venues

/// A phone's visits to venues of all kinds, and what it learnt about them. Nothing of it leaves the phone except the reports that its
/// owner shares.
///
/// A pure value. The app keeps it in one file, sealed with a key that never leaves the device (``sealed(with:)``), and writes the file
/// anew after every change, so that what was deleted is gone. The rules are Apple's ("Exposure Notifications: Off-Device Venue
/// Check-Ins", 2021, app requirements): the diary is kept for 14 days, can be read and deleted, and is left out of backups.
package struct CheckInDiary: Codable, Hashable, Sendable {
    /// All visits, in the order in which they began.
    package internal(set) var checkIns: [CheckIn] = []
    private(set) var nextID: UInt32 = 0

    /// What was learnt from reports; see `CheckInDiary+Warnings.swift`.
    var warnings: [Warning] = []
    /// Which packages were compared, by their first hours' numbers.
    var compared = Compared()
    /// What the owner was told of.
    var told: Set<Told> = []
    /// What was learnt from tracers' entries; see `CheckInDiary+Events.swift`.
    var alerts: [VenueAlert] = []

    /// Days after which a visit and all that derives from it is deleted.
    package static let daysKept = 14
    /// The most visits. A person makes some ten a day at most; the limit is for whoever scans codes in a loop.
    package static let maximumCheckIns = 500
    /// How long a visit lasts, in minutes, if neither the code nor the owner says it: until the phone checks out by itself.
    package static let usualMinutes = 120
    /// The shortest and the longest planned visit, in minutes.
    package static let plannedMinutes = 1...1440

    /// An empty diary.
    package init() {}

    // MARK: Visits

    /// A visit begins.
    /// - Parameter minutes: after which the phone checks out by itself, 1...1440; by default as long as the code says.
    /// - Returns: its number; nil if the diary is full.
    @discardableResult
    package mutating func checkIn(_ code: VenueCode, at now: Date, minutes: Int? = nil) -> UInt32? {
        live(until: now)
        guard checkIns.count < Self.maximumCheckIns else { return nil }
        let planned = minutes ?? code.usualMinutes ?? Self.usualMinutes
        let bounds = Self.plannedMinutes
        let checkIn = CheckIn(
            id: nextID, code: code, startSeconds: now.wholeSeconds,
            minutes: min(max(planned, bounds.lowerBound), bounds.upperBound))
        checkIns.append(checkIn)
        nextID += 1
        compareAgain(from: now)
        return checkIn.id
    }

    /// A visit ends, unless it has ended before.
    package mutating func checkOut(_ id: UInt32, at now: Date) {
        guard let place = checkIns.firstIndex(where: { $0.id == id }) else { return }
        checkIns[place].checkOut(at: now.wholeSeconds)
    }

    /// Time passes: visits end as planned, and what is 14 days old is deleted.
    package mutating func live(until now: Date) {
        let oldest = now.addingTimeInterval(-Double(Self.daysKept) * 86_400)
        checkIns.removeAll { $0.start <= oldest }
        for place in checkIns.indices where checkIns[place].end <= now {
            checkIns[place].checkOut(at: now.wholeSeconds)
        }
        forgetUnused(oldest: oldest)
    }

    // MARK: Reading and deleting

    /// How many visits can't be shown by a name: of codes that give none, or that this version of the app can't read. The app shows
    /// this number beside the list.
    package var unreadable: Int { checkIns.count { $0.code?.description.isEmpty ?? true } }

    /// Deletes one visit and what derives from it.
    package mutating func delete(_ id: UInt32) {
        checkIns.removeAll { $0.id == id }
        forgetUnused(oldest: .distantPast)
    }

    /// Deletes everything.
    package mutating func deleteAll() { self = CheckInDiary() }

    /// Marks visits as shared, after the upload succeeded.
    package mutating func markShared(_ ids: Set<UInt32>) {
        for place in checkIns.indices where ids.contains(checkIns[place].id) { checkIns[place].isShared = true }
    }

    /// Deletes what derives from visits that aren't there any more.
    private mutating func forgetUnused(oldest: Date) {
        let ids = Set(checkIns.map(\.id))
        told = told.filter { ids.contains($0.checkIn) }
        alerts.removeAll { !ids.contains($0.checkIn) }
        let venues = Set(checkIns.compactMap { $0.code?.venue.secret })
        warnings.removeAll { !venues.contains($0.venue) || $0.startDate <= oldest }
        if checkIns.isEmpty { compared = Compared() } else { compared.forget(before: Hour(containing: oldest)) }
    }
}

extension Date {
    /// Whole seconds since the epoch, not negative.
    var wholeSeconds: Int64 { max(0, Int64(timeIntervalSince1970.rounded(.down))) }
}

extension Venue {
    /// The bytes that identify a venue with reports, within the sealed diary only; nil if it has none.
    var secret: [UInt8]? {
        switch self {
        case .seed(let seed): seed.bytes
        case .traceLocation(let location): location.id
        case .numbered: nil
        }
    }
}
