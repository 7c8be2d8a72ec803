import Credentials
import FoundationEssentials
import FurtherAPI

/// A row of the table of reports: somebody who is positive.
struct StoredReport: Sendable, Equatable {
    let id: UUID
    var feelingSick: Bool
    var hasBeenTested: Bool
    /// In seconds since 1970.
    var lastUpdate: Int64
    /// The hour of the first positive answer.
    let positiveSince: Int32
    /// From when it is published, in seconds since 1970; 0 for at once.
    var releaseAt: Int64
    /// From when it isn't published any more; nil unless a batch took it back.
    var withdrawnAt: Int64?
    /// The keyed hash of id and key; nil if no key owns the id.
    var holder: [UInt8]?

    /// How long a report is kept after its last update, in seconds.
    static let life: Int64 = 14 * 86_400

    /// Whether the report is as good as deleted.
    func isOver(at now: Int64) -> Bool {
        lastUpdate <= now - Self.life || withdrawnAt.map { $0 <= now } == true
    }
}

/// What a report does to the row of its id.
struct ReportChange {
    /// Now, in seconds since 1970.
    let now: Int64
    /// Within how many hours a batch's rows come and go; 0 for at once.
    let spreadHours: Int
    /// Whether the report is part of a batch.
    let isBatch: Bool

    /// The row after a report; nil for none.
    /// - Parameters:
    ///   - known: the row before; nil for none.
    ///   - holder: the caller's hash for the id; nil if the call isn't signed.
    func row(after report: HealthReport, on known: StoredReport?, by holder: Digest?) -> StoredReport? {
        let update = Int64(report.lastUpdate.rounded(.down).clamped)
        guard update > now - StoredReport.life, update >= known?.lastUpdate ?? update else { return known }
        return report.testResult
            ? positive(report, update, known, holder) : known.flatMap(withdrawn)
    }

    private func positive(
        _ report: HealthReport, _ update: Int64, _ known: StoredReport?, _ holder: Digest?
    ) -> StoredReport {
        guard var row = known else {
            return StoredReport(
                id: report.id, feelingSick: report.feelingSick, hasBeenTested: report.hasBeenTested, lastUpdate: update,
                positiveSince: Int32(clamping: update / 3600), releaseAt: isBatch ? someTime() : 0,
                holder: isBatch ? nil : holder?.bytes)
        }
        row.withdrawnAt = nil
        // An id of a batch was shown on one day: it needs no refreshment, which would come to all of them at the same time.
        guard !isBatch else { return row }
        row.feelingSick = report.feelingSick
        row.hasBeenTested = report.hasBeenTested
        row.lastUpdate = update
        row.releaseAt = 0
        row.holder = row.holder ?? holder?.bytes
        return row
    }

    private func withdrawn(_ known: StoredReport) -> StoredReport? {
        // What nobody has seen may go at once.
        guard isBatch, spreadHours > 0, known.releaseAt <= now else { return nil }
        var row = known
        row.withdrawnAt = known.withdrawnAt ?? someTime()
        return row
    }

    /// One of the next times at which lists are built.
    private func someTime() -> Int64 {
        let steps = Int64(spreadHours) * 12
        return steps == 0 ? 0 : (now / 300 + Int64.random(in: 1...steps)) * 300
    }
}

extension Double {
    /// Within what 64 bits hold.
    fileprivate var clamped: Double { Swift.min(Swift.max(self, -9e18), 9e18) }
}
