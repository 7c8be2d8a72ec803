package import ExposureKeys
import SwiftProtobuf

/// The check-in reports of one hour, as phones download them: `TraceWarningPackage`, bare in `export.bin`
/// (Corona-Warn-App sheet, 5.5).
package struct ReportPackage: Hashable, Sendable {
    /// The hour in which they are published.
    package let hour: Hour
    /// The country directory that the package is published under.
    package let region: String
    /// In the order of their content.
    package let reports: [CheckInReport]

    /// The reports may come in any order, and it has no part in the result.
    package init(hour: Hour, region: String, reports: some Sequence<CheckInReport>) {
        self.hour = hour
        self.region = region
        self.reports = reports.sorted()
    }

    /// What stands in `export.bin`, without a header.
    package func encoded() throws -> [UInt8] {
        let message = TraceWarningPackage.with {
            $0.intervalNumber = UInt32(clamping: hour.number)
            $0.region = region
            $0.checkInProtectedReports = reports.map(CheckInProtectedReport.init(uploading:))
        }
        return try message.serializedBytes()
    }

    /// Reads what stands in `export.bin`. Nil when it is no such package, or one of its reports is malformed.
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
