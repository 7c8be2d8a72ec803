import ExposureKeys
import Venues

/// The content of an upload, in an order that depends only on the content itself.
struct UploadContent: Sendable, Equatable {
    /// At most ``maximumKeys``.
    var keys: [DiagnosisKey] = []
    /// Where the keys go: whether their owner agreed that other countries get them.
    var stream = KeyStream.home
    /// The Corona-Warn-App's reports: at most ``maximumReports``, each once.
    var reports: [CheckInReport] = []
    /// Apple's reports: at most `VenueUpload.maximumReports`, each once. With them, the others are as many as fit into `VenueUpload.size`.
    var venueReports: [VenueReport] = []
    /// How many keys and reports were dropped, for the operator; not part of the content.
    var left = LeftOut()

    struct LeftOut: Sendable, Equatable {
        var keys = 0
        var reports = 0
    }

    /// The most keys that are kept of an upload: `max-number-of-keys` of
    /// <https://github.com/corona-warn-app/cwa-server/blob/main/services/submission/src/main/resources/application.yaml>.
    static let maximumKeys = 14
    /// The most reports: twenty a day for fourteen days. The contract has no limit, so one TAN could fill a package.
    static let maximumReports = 280
}
