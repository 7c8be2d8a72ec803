import ExposureKeys

/// Fills an hour's keys and reports up to the next size class, so that neither the size of a published set nor its content
/// tells how many people are in it; an hour without an upload looks like any other.
struct Fillers: Sendable {
    let sizes: SizeClasses
    private let model = UploadModel()
    private let policy = PublicationPolicy()

    /// Adds whole uploads of the public model, of which the last is cut where the size is reached.
    ///
    /// What is counted is what phones will see of this hour at once. Keys that are never published, or later, have their
    /// share among the fillers, too, so that they don't stand alone in the table.
    func fill(
        _ keys: [DiagnosisKey], of hour: Hour, using random: inout some RandomNumberGenerator
    ) -> [DiagnosisKey] {
        var filled = keys
        var missing = keys.count { isPublishedAtOnce($0, hour) }
        missing = sizes.size(for: missing) - missing
        while missing > 0 {
            for key in model.keys(uploadedIn: hour, using: &random) where missing > 0 {
                filled.append(key)
                if isPublishedAtOnce(key, hour) { missing -= 1 }
            }
        }
        return filled
    }

    /// Adds reports of the public model, of which the last person's are cut where the size is reached.
    func fill(_ reports: [CheckInReport], using random: inout some RandomNumberGenerator) -> [CheckInReport] {
        var filled = reports
        let size = sizes.size(for: reports.count)
        while filled.count < size { filled += model.reports(using: &random).prefix(size - filled.count) }
        return filled
    }

    private func isPublishedAtOnce(_ key: DiagnosisKey, _ hour: Hour) -> Bool {
        policy.releaseHour(of: key, submitted: hour) == hour
    }
}
