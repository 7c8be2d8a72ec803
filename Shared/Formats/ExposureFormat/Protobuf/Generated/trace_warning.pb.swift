// swift-format-ignore-file
// Made by Shared/Formats/generate.py from trace_warning.proto: change that.
//
// What phones download to learn that they were at a venue with somebody who tested positive. In proto3, as the contract has it.

package import SwiftProtobuf

/// The reports of one hour, bare in export.bin.
package struct TraceWarningPackage: Message {
    /// Hours since 1970.
    package var intervalNumber: UInt32 = 0
    /// The country directory that the package is published under.
    package var region: String = ""
    /// `checkInProtectedReports`
    package var checkInProtectedReports: [CheckInProtectedReport] = []
    /// Fields that the schema doesn't have.
    package var unknownFields = UnknownStorage()

    /// Without fields.
    package init() {}

    /// See ``Message``.
    package static let fields = FieldTable("vigil.exposure.TraceWarningPackage", \Self.unknownFields, [
        Field(1, "intervalNumber", \Self.intervalNumber),
        Field(2, "region", \Self.region),
        Field(4, "checkInProtectedReports", \Self.checkInProtectedReports),
    ])
}
