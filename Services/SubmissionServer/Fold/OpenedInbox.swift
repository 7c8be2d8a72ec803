import ExposureKeys
import HourKeys
import Venues

/// The opened content of the inbox, by the hour it was sealed to.
struct OpenedInbox {
    struct Hourly: Sendable {
        var uploads = 0
        var keys: [StreamedKey] = []
        var reports: [CheckInReport] = []
        var venueReports: [VenueReport] = []
        var left = UploadContent.LeftOut()

        fileprivate mutating func add(_ upload: UploadContent) {
            uploads += 1
            keys += upload.keys.map { StreamedKey($0, upload.stream) }
            reports += upload.reports
            venueReports += upload.venueReports
            left.keys += upload.left.keys
            left.reports += upload.left.reports
        }

        mutating func add(_ other: Hourly) {
            uploads += other.uploads
            keys += other.keys
            reports += other.reports
            venueReports += other.venueReports
            left.keys += other.left.keys
            left.reports += other.left.reports
        }
    }

    private(set) var hours: [Hour: Hourly] = [:]
    /// Rows that no key opens, because this suite didn't write them or they were damaged.
    private(set) var unreadable = 0
    private let files: HourKeyFiles
    private var openers: [Hour: UploadOpener] = [:]

    init(files: HourKeyFiles) { self.files = files }

    /// Opens rows on all cores.
    /// - Throws: ``HourKeyProblem`` if an hour with uploads lacks its private key. Nothing is folded and nothing is lost then:
    ///   the directory is more likely mounted wrongly than destroyed.
    mutating func add(_ rows: [InboxRow]) throws {
        for hour in Set(rows.map(\.hour)) where openers[hour] == nil {
            openers[hour] = UploadOpener(hour: hour, key: try files.read(hour))
        }
        for opened in Self.open(rows, with: openers) {
            guard let upload = opened.content else {
                unreadable += 1
                continue
            }
            hours[opened.hour, default: Hourly()].add(upload)
        }
    }

    private struct Opened: Sendable {
        let hour: Hour
        let content: UploadContent?
    }

    private static func open(_ rows: [InboxRow], with openers: [Hour: UploadOpener]) -> [Opened] {
        rows.mappedOnAllCores {
            Opened(hour: $0.hour, content: openers[$0.hour]?.open($0.sealed, tag: $0.tag))
        }
    }
}
