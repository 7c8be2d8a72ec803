import DonationFormat
import ExposureKeys
import HourKeys

import enum Crypto.Curve25519

/// The opened content of the inbox, by the hour it was sealed to.
struct OpenedInbox {
    private(set) var hours: [Hour: DonatedRows] = [:]
    /// Rows that no key opens, because this suite didn't write them or they were damaged.
    private(set) var unreadable = 0
    private let files: HourKeyFiles
    private var keys: [Hour: Curve25519.KeyAgreement.PrivateKey] = [:]

    init(files: HourKeyFiles) { self.files = files }

    /// Opens rows on all cores.
    /// - Throws: `HourKeyProblem` if an hour with donations lacks its private key. Nothing is folded and nothing is lost then:
    ///   the directory is more likely mounted wrongly than destroyed.
    mutating func add(_ rows: [DonationRow]) throws {
        for hour in Set(rows.map(\.hour)) where keys[hour] == nil { keys[hour] = try files.read(hour) }
        let keys = keys
        let opened = rows.mappedOnAllCores { row in
            (hour: row.hour, data: keys[row.hour].flatMap { row.sealed.open(tag: row.tag, hour: row.hour, with: $0) })
        }
        for (hour, data) in opened {
            guard let data else {
                unreadable += 1
                continue
            }
            hours[hour, default: DonatedRows()].add(data)
        }
    }
}
