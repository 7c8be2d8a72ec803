import ExposureFormat
package import ExposureKeys
import FoundationEssentials
package import VenueEventFormat
package import Venues

/// What phones download besides diagnosis keys: reports of visits in both forms, tracers' events, and their configuration.
extension PackageClient {
    /// The hours that have reports; nil if none has.
    package func reportHours() async throws -> ClosedRange<Hour>? {
        let bounds = try await index("/version/v2/twp/country/\(country)/hour", as: Bounds.self)
        guard let oldest = bounds.oldest, let latest = bounds.latest, oldest <= latest else { return nil }
        return Hour(number: oldest)...Hour(number: latest)
    }

    /// An hour's reports; none if the hour's file is empty.
    /// - Throws: `ArchiveDamage` when the archive is damaged or none of the trusted keys signed it.
    package func reports(of hour: Hour) async throws -> [CheckInReport] {
        let body = try await fetch("/version/v2/twp/country/\(country)/hour/\(hour.number)")
        guard !body.isEmpty else { return [] }
        guard let package = ReportPackage(try signed(body).export) else { throw Failure.unreadablePackage }
        return package.reports
    }

    /// The first hours of the oldest and of the latest package of venue reports; nil if there is none.
    package func venueReportHours() async throws -> ClosedRange<Hour>? {
        let bounds = try await index(Self.venueReports, as: Bounds.self)
        guard bounds.hours == VenueReportPackage.hours else { throw Failure.unreadableIndex }
        guard let oldest = bounds.oldest, let latest = bounds.latest, oldest <= latest else { return nil }
        return Hour(number: oldest)...Hour(number: latest)
    }

    /// The venue reports of two hours.
    /// - Parameter first: the first of the two.
    /// - Throws: `ArchiveDamage` when the package is damaged or none of the trusted keys signed it.
    package func venueReports(of first: Hour) async throws -> [VenueReport] {
        let body = try await fetch("\(Self.venueReports)/\(first.number)")
        let package = try VenueReportPackage(reading: Array(body), signedBy: trusted)
        // A package of other hours is signed, too: a server that gave it in place of this one would withhold reports.
        guard package.firstHour == first else { throw Failure.unreadablePackage }
        return package.reports
    }

    /// All events that tracers published, and those that they revoked.
    /// - Throws: `ArchiveDamage` when the file is damaged or none of the trusted keys signed it.
    package func venueEvents() async throws -> PublishedVenueEvents {
        let file = try signed(try await fetch("/version/v1/venue-events"))
        guard let events = PublishedVenueEvents(file.export) else { throw Failure.unreadablePackage }
        return events
    }

    /// The app's configuration.
    /// - Parameter system: `ios` or `android`.
    /// - Returns: the encoded message, whose rules were checked.
    package func configuration(for system: String) async throws -> [UInt8] {
        let path = "version/v2/app_config_\(system)"
        let message = try signed(try await fetch("/\(path)")).export
        try StaticMessage(path: path)?.review(encoded: message)
        return message
    }

    private static let venueReports = "/version/v1/venue-reports"

    private struct Bounds: Decodable {
        let oldest: Int32?
        let latest: Int32?
        /// Of venue reports: how many hours a package has.
        let hours: Int?
    }

    /// An archive that one of the trusted keys signed.
    func signed(_ archive: Data) throws -> SignedArchive {
        let archive = try SignedArchive.read(Array(archive))
        try archive.requireSignature(of: trusted)
        return archive
    }
}
