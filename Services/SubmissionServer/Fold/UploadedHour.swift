import ExposureKeys
import HourKeys
import Venues

import enum Crypto.Curve25519

/// What was uploaded in an hour.
struct UploadedHour: HourContent {
    /// How many uploads.
    private(set) var people = 0
    private(set) var keys: [StreamedKey] = []
    private(set) var reports: [CheckInReport] = []
    private(set) var venueReports: [VenueReport] = []
    private(set) var left = UploadContent.LeftOut()

    static func open(_ row: SealedRow, with key: Curve25519.KeyAgreement.PrivateKey) -> UploadContent? {
        UploadOpener(hour: row.hour, key: key).open(SealedUpload(bytes: row.sealed), tag: row.tag)
    }

    mutating func add(_ upload: UploadContent) {
        people += 1
        keys += upload.keys.map { StreamedKey($0, upload.stream) }
        reports += upload.reports
        venueReports += upload.venueReports
        left.keys += upload.left.keys
        left.reports += upload.left.reports
    }

    mutating func add(_ other: UploadedHour) {
        people += other.people
        keys += other.keys
        reports += other.reports
        venueReports += other.venueReports
        left.keys += other.left.keys
        left.reports += other.left.reports
    }
}
