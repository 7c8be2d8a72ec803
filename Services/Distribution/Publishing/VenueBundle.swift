import ExposureFormat
import ExposureKeys
import PublishedTree

/// The venue reports of two hours, which are published as soon as both are: with the fold's fillers there are always enough.
struct VenueBundle: Sendable, Equatable {
    /// An even number.
    let firstHour: Hour
    /// The number of reports when the bundle was decided.
    let reports: Int

    /// Its hours.
    var hours: ClosedRange<Hour> { firstHour...firstHour.advanced(by: VenueReportPackage.hours - 1) }

    static let index = TreeKey("version/v1/venue-reports")

    var key: TreeKey { Self.index / firstHour.number }

    /// The first hours of the bundles that are complete and young enough to be offered, in order.
    ///
    /// A bundle is complete with its last hour: if the first published hour is an odd one, there is none before it.
    static func complete(in published: [PublishedHour]) -> [Hour] {
        guard let last = published.last?.hour else { return [] }
        let firsts = Set(published.map { VenueReportPackage.firstHour(of: $0.hour) })
        return firsts.filter {
            $0 > last.advanced(by: -PublishedSet.daysKept * 24)
                && $0.advanced(by: VenueReportPackage.hours - 1) <= last
        }.sorted()
    }
}
