import Credentials
import Crypto
import ExposureKeys
import Foundation
import Logging
import ServiceKit

/// The hourly fold: what was uploaded together becomes part of one sorted set, and nothing remains that could tell the
/// parts apart (design decision 10).
///
/// Every step may be repeated; a fold that was killed anywhere is finished by the next one.
struct Fold: Sendable {
    let store: SubmissionStore
    let hourKeys: HourKeys
    let logger: Logger

    /// What a fold did.
    struct Report: Sendable, Equatable {
        /// The last hour that is folded now.
        var lastHour: Int32
        var uploads = 0
        var keys = 0
        /// Rows that no key opens. They were not written by this suite, or were damaged.
        var unreadable = 0

        var metadata: Logger.Metadata {
            [
                "hour": "\(lastHour)", "keys": "\(keys)", "unreadable": "\(unreadable)",
            ]
        }
    }

    /// Folds every hour that ended at or before an instant.
    ///
    /// 1. Keys for the hours to come are made, and the ended hours closed: no upload is sealed to them any more.
    /// 2. In one transaction the inbox is opened, its keys inserted in the order of their content, and it is emptied.
    /// 3. The closed hours' private keys are destroyed.
    func run(asOf instant: Date) async throws -> Report {
        let last = Hour(endedBy: instant)
        try await close(through: last)

        let files = hourKeys.files
        let report = try await store.fold(through: last) { rows in
            try Self.open(rows, with: files)
        }
        try files.destroy(through: last)
        if report.unreadable > 0 {
            logger.error("Rows of the inbox could not be opened", metadata: ["rows": "\(report.unreadable)"])
        }
        return report
    }

    /// The first step. Afterwards the last ended hour has a key, and it is closed: that is what keeps everybody from
    /// making keys for hours that are folded, whatever their clocks say.
    func close(through last: Hour) async throws {
        try await hourKeys.make(from: last, count: 3)
        try await store.close(through: last)
    }

    /// Seconds after the hour. An upload that began in the old hour is stored by then, or joins the new one.
    private static let delay: TimeInterval = 2

    /// Folds at start and after every hour.
    func everyHour(in runtime: ServiceRuntime) -> RecurringJob {
        RecurringJob("fold", in: runtime) { now in
            Hour(containing: now).end.addingTimeInterval(Self.delay)
        } work: { now in
            try await run(asOf: now).metadata
        }
    }

    /// Opens rows of the inbox. The order of what comes out says nothing about the order of what went in.
    /// - Throws: ``HourKeyProblem`` when the private key of an hour with uploads is missing: then nothing is folded and
    ///   nothing lost, because a wrongly mounted directory is likelier than a destroyed one.
    static func open(_ rows: [InboxRow], with files: HourKeyFiles) throws -> OpenedInbox {
        var opened = OpenedInbox()
        var keys: [Hour: Curve25519.KeyAgreement.PrivateKey] = [:]
        for row in rows {
            let key = try keys[row.hour] ?? files.read(row.hour)
            keys[row.hour] = key
            guard let uploaded = row.sealed.open(tag: row.tag, hour: row.hour, with: key) else {
                opened.unreadable += 1
                continue
            }
            opened.uploads += 1
            opened.keys[row.hour, default: []].formUnion(uploaded)
        }
        return opened
    }
}

/// What was in the inbox: a set of keys for each hour.
struct OpenedInbox: Sendable {
    var keys: [Hour: Set<DiagnosisKey>] = [:]
    var uploads = 0
    var unreadable = 0
}
