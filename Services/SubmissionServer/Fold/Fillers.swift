import ExposureKeys
import FoundationEssentials
import Venues

/// Fills an hour's keys and reports up to the next size class.
///
/// Neither the size of a published set nor its content then reveals how many people are in it, and an hour without an upload
/// looks like any other.
struct Fillers: Sendable {
    let sizes: SizeClasses
    /// When distribution publishes a key: it must have the same lowest level.
    var policy = PublicationPolicy()
    private let model = UploadModel()
    private let visits = VisitModel()

    init(sizes: SizeClasses, policy: PublicationPolicy = PublicationPolicy()) {
        self.sizes = sizes
        self.policy = policy
    }

    /// The same with other sizes.
    func with(_ sizes: SizeClasses) -> Fillers { Fillers(sizes: sizes, policy: policy) }

    /// Adds whole uploads from the public model; the last one is cut off when the size is reached.
    ///
    /// What is counted is what phones will see of this hour at once. Keys that are never published, or later, have their
    /// share among the fillers, too, so that they don't stand alone in the table.
    /// - Parameter instant: when the hour is folded. A filler whose period has expired by then is left out, as uploaded keys are.
    func fill(
        _ keys: [DiagnosisKey], of hour: Hour, at instant: Date, using random: inout some RandomNumberGenerator
    ) -> [DiagnosisKey] {
        var filled = keys
        var missing = keys.count { isPublishedAtOnce($0, hour) }
        missing = sizes.size(for: missing) - missing
        // If an hour is folded two weeks late, hardly any filler is left. A tenth as many uploads are enough otherwise.
        var uploads = 4 * missing
        while missing > 0, uploads > 0 {
            uploads -= 1
            for key in model.keys(uploadedIn: hour, using: &random)
            where missing > 0 && !key.rollingPeriod.hasExpired(at: instant) {
                filled.append(key)
                if isPublishedAtOnce(key, hour) { missing -= 1 }
            }
        }
        return filled
    }

    /// Adds reports from the public model; those of the last person are cut off when the size is reached.
    func fill(_ reports: [CheckInReport], using random: inout some RandomNumberGenerator) -> [CheckInReport] {
        var filled = reports
        let size = sizes.size(for: reports.count)
        while filled.count < size { filled += visits.reports(using: &random).prefix(size - filled.count) }
        return filled
    }

    /// Adds random reports: without a venue's seed nobody can tell them from others.
    func fill(_ reports: [VenueReport], using random: inout some RandomNumberGenerator) -> [VenueReport] {
        var filled = reports
        for _ in reports.count..<sizes.size(for: reports.count) { filled.append(VenueReport(using: &random)) }
        return filled
    }

    private func isPublishedAtOnce(_ key: DiagnosisKey, _ hour: Hour) -> Bool {
        policy.releaseHour(of: key, submitted: hour) == hour
    }
}
