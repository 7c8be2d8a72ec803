package import ExposureKeys
import SwiftProtobuf

/// How high a risk is that an app shows (cwa-ppa-server, `PPARiskLevel`).
package enum DonatedRiskLevel: Int16, Hashable, Sendable, CaseIterable {
    /// It wasn't calculated.
    case unknown
    /// There was no encounter.
    case none
    /// Encounters, but not enough of them.
    case low
    /// The app warns.
    case high
}

/// A person's risk, from encounters and from visits to venues (cwa-ppa-server, `ExposureRiskMetadata`).
package struct DonatedRisk: Hashable, Sendable {
    /// From encounters.
    package var encounters: Course
    /// From visits to venues.
    package var visits: Course

    /// A risk and how it changed.
    package struct Course: Hashable, Sendable {
        /// At the time of the donation.
        package var level: DonatedRiskLevel
        /// Since the last donation.
        package var levelChanged: Bool
        /// The last day with this level; nil if there was none.
        package var mostRecentDay: Day?
        /// Since the last donation.
        package var dayChanged: Bool

        /// A course from its parts.
        package init(
            _ level: DonatedRiskLevel = .unknown, levelChanged: Bool = false, mostRecentDay: Day? = nil,
            dayChanged: Bool = false
        ) {
            self.level = level
            self.levelChanged = levelChanged
            self.mostRecentDay = mostRecentDay
            self.dayChanged = dayChanged
        }
    }

    /// A risk from its parts.
    package init(encounters: Course, visits: Course = Course()) {
        self.encounters = encounters
        self.visits = visits
    }
}

extension DonatedRisk {
    init(_ wire: WireExposureRisk) throws(DonationFlaw) {
        encounters = Course(
            try wire.riskLevel.value(), levelChanged: wire.riskLevelChanged,
            mostRecentDay: Day(wireSeconds: wire.mostRecentDateAtRiskLevel), dayChanged: wire.dateChanged)
        visits = Course(
            try wire.checkInRiskLevel.value(), levelChanged: wire.checkInRiskLevelChanged,
            mostRecentDay: Day(wireSeconds: wire.checkInMostRecentDateAtRiskLevel), dayChanged: wire.checkInDateChanged)
    }

    var wire: WireExposureRisk {
        .with {
            $0.riskLevel = encounters.level.wire
            $0.riskLevelChanged = encounters.levelChanged
            $0.mostRecentDateAtRiskLevel = encounters.mostRecentDay.wireSeconds
            $0.dateChanged = encounters.dayChanged
            $0.checkInRiskLevel = visits.level.wire
            $0.checkInRiskLevelChanged = visits.levelChanged
            $0.checkInMostRecentDateAtRiskLevel = visits.mostRecentDay.wireSeconds
            $0.checkInDateChanged = visits.dayChanged
        }
    }
}

extension DonatedRiskLevel {
    var wire: WireRiskLevel { WireRiskLevel(rawValue: Int(rawValue)) ?? .init() }
}

extension Day {
    private static let seconds: Int64 = 86_400

    /// Nil for 0 and -1, which apps send if there is no day; for 1 January 1970, which would be written as 0; and for years
    /// far away.
    init?(wireSeconds seconds: Int64) {
        guard seconds >= Self.seconds, let number = Int32(exactly: seconds / Self.seconds), number < 1 << 16 else {
            return nil
        }
        self.init(number: number)
    }

    /// Its beginning.
    var wireSeconds: Int64 { Int64(number) * Self.seconds }
}

extension Day? {
    var wireSeconds: Int64 { self?.wireSeconds ?? -1 }
}
