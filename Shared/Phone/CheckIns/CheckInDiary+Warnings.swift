package import ExposureKeys
package import FoundationEssentials
package import Venues

/// Published packages of reports.
package enum ReportPackages: String, Codable, Hashable, Sendable {
    /// Of venues with a seed, two hours each.
    case venueReports
    /// Of Corona-Warn-App's venues, an hour each.
    case checkInReports

    /// The hours of a package.
    package var hours: Int32 { self == .venueReports ? 2 : 1 }
}

extension CheckInDiary {
    /// A report about a venue of the diary. The overlap isn't kept: it follows from the visits, which can still end.
    struct Warning: Codable, Hashable, Sendable {
        /// The secret of the venue.
        let venue: [UInt8]
        /// The beginning of the report's authentication code. A report that is published twice, by whomever, counts once.
        let code: [UInt8]
        private let startInterval: UInt32
        private let endInterval: UInt32
        private let transmissionRiskLevel: Int

        static let codeSize = 16

        init(venue: [UInt8], code: some Sequence<UInt8>, record: VisitRecord) {
            self.venue = venue
            self.code = Array(code.prefix(Self.codeSize))
            startInterval = record.start.rawValue
            endInterval = record.end.rawValue
            transmissionRiskLevel = record.transmissionRiskLevel.rawValue
        }

        var record: VisitRecord? {
            TransmissionRiskLevel(rawValue: transmissionRiskLevel).flatMap {
                VisitRecord(
                    start: IntervalNumber(rawValue: startInterval), end: IntervalNumber(rawValue: endInterval),
                    transmissionRiskLevel: $0)
            }
        }

        var startDate: Date { Date(timeIntervalSince1970: Double(startInterval) * Double(IntervalNumber.seconds)) }
    }

    /// Which packages were compared with the diary.
    struct Compared: Codable, Hashable, Sendable {
        private var venueReports: Set<Int32> = []
        private var checkInReports: Set<Int32> = []

        subscript(packages: ReportPackages) -> Set<Int32> {
            get { packages == .venueReports ? venueReports : checkInReports }
            set {
                if packages == .venueReports { venueReports = newValue } else { checkInReports = newValue }
            }
        }

        mutating func forget(before hour: Hour) {
            for packages in [ReportPackages.venueReports, .checkInReports] {
                self[packages] = self[packages].filter { $0 + packages.hours > hour.number }
            }
        }

        mutating func forget(after hour: Hour) {
            for packages in [ReportPackages.venueReports, .checkInReports] {
                self[packages] = self[packages].filter { $0 + packages.hours <= hour.number }
            }
        }
    }

    /// The most reports that are kept. Who has a venue's code can make reports of it, but not fill the phone with them.
    static let maximumWarnings = 4000
    /// Reports reach beyond the visit by the aerosol's time and a rounding: an hour at most by today's rules.
    private static let reportsReach: TimeInterval = 3600

    // MARK: Downloading

    /// The packages that are to be downloaded: those since the first visit to a venue of the kind that weren't compared yet.
    ///
    /// A phone without such a visit downloads none, as in the published apps. Who watches its connection may conclude that there is one.
    /// - Parameter published: the first hours of the oldest and of the latest package, by the index.
    /// - Returns: the first hours, the oldest one first.
    package func due(_ packages: ReportPackages, in published: ClosedRange<Hour>) -> [Hour] {
        let first = checkIns.filter { $0.code.map { $0.venue.packages == packages } ?? false }.map(\.start).min()
        guard let first else { return [] }
        let hours = packages.hours
        let needed = Hour(containing: first).number / hours * hours
        return stride(from: published.lowerBound.number, through: published.upperBound.number, by: Int(hours))
            .filter { $0 >= needed && !compared[packages].contains($0) }.map(Hour.init)
    }

    /// Reports of a time from which a new visit's venue may be reported are compared again.
    mutating func compareAgain(from now: Date) {
        compared.forget(after: Hour(containing: now.addingTimeInterval(-Self.reportsReach)))
    }

    // MARK: Comparing

    /// Compares a package of reports with the diary, which nobody learns of.
    ///
    /// The package counts as compared, and what was found is in the same value: a phone that is switched off before it has written the
    /// diary downloads the package again.
    /// - Parameters:
    ///   - reports: of a package whose signature was right.
    ///   - first: the package's first hour.
    package mutating func compare(with reports: [VenueReport], of first: Hour, at now: Date) {
        var venues: [(secret: [UInt8], keys: VenueKeys)] = []
        for case .seed(let seed) in distinctVenues { venues.append((seed.bytes, seed.keys)) }
        let matches = VenueMatcher(venues.map(\.keys)).matches(among: reports.flatMap(\.bytes))
        for match in matches {
            let (report, venue) = (reports[match.report], venues[match.venue])
            guard let record = venue.keys.open(report) else { continue }
            keep(Warning(venue: venue.secret, code: report.authenticationCode, record: record), at: now)
        }
        compared[.venueReports].insert(first.number)
    }

    /// The same for Corona-Warn-App's reports.
    package mutating func compare(with reports: [CheckInReport], of hour: Hour, at now: Date) {
        var venues: [ArraySlice<UInt8>: TraceLocation] = [:]
        for case .traceLocation(let location) in distinctVenues { venues[location.idHash[...]] = location }
        for report in reports {
            guard let venue = venues[report.locationIDHash], let record = venue.open(report) else { continue }
            keep(Warning(venue: venue.id, code: report.authenticationCode, record: record), at: now)
        }
        compared[.checkInReports].insert(hour.number)
    }

    /// Keeps a report unless it is too old, of the future, known, or one too many.
    private mutating func keep(_ warning: Warning, at now: Date) {
        let oldest = now.addingTimeInterval(-Double(Self.daysKept) * 86_400)
        guard warning.startDate > oldest, warning.startDate <= now, warnings.count < Self.maximumWarnings,
            !warnings.contains(where: { $0.code == warning.code })
        else { return }
        warnings.append(warning)
    }

    private var distinctVenues: Set<Venue> { Set(checkIns.compactMap { $0.code?.venue }) }
}

extension Venue {
    /// Where reports of the venue are published; nil if there are none.
    fileprivate var packages: ReportPackages? {
        switch self {
        case .seed: .venueReports
        case .traceLocation: .checkInReports
        case .numbered: nil
        }
    }
}
