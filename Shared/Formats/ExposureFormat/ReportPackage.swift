package import ExposureKeys
import SwiftProtobuf
package import Venues

/// The check-in reports of one hour, as phones download them: a `TraceWarningPackage` without a header in `export.bin`.
///
/// See
/// https://github.com/corona-warn-app/cwa-server/blob/main/common/protocols/src/main/proto/app/coronawarn/server/common/protocols/internal/pt/trace_warning.proto
package struct ReportPackage: Hashable, Sendable {
    /// The hour of publication.
    package let hour: Hour
    /// The country directory that the package is published under.
    package let region: String
    /// Sorted by content.
    package let reports: [CheckInReport]

    /// Sorts the reports; their order has no effect.
    package init(hour: Hour, region: String, reports: some Sequence<CheckInReport>) {
        self.hour = hour
        self.region = region
        self.reports = reports.sorted()
    }

    /// The content of `export.bin`.
    package func encoded() throws -> [UInt8] {
        let message = TraceWarningPackage.with {
            $0.intervalNumber = UInt32(clamping: hour.number)
            $0.region = region
            $0.checkInProtectedReports = reports.map(CheckInProtectedReport.init(uploading:))
        }
        return try message.serializedBytes()
    }

    /// Reads the content of `export.bin`. Nil if it is no such package, or one of its reports is malformed.
    package init?(_ export: [UInt8]) {
        guard let message = try? TraceWarningPackage(serializedBytes: export),
            let hour = Int32(exactly: message.intervalNumber)
        else { return nil }
        self.hour = Hour(number: hour)
        region = message.region
        reports = message.checkInProtectedReports.compactMap(\.report)
        guard reports.count == message.checkInProtectedReports.count else { return nil }
    }
}
