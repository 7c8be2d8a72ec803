// swift-format-ignore-file
// Made by Shared/Formats/generate.py from check_in.proto: change that.
//
// Visits to venues. In a file of its own because the contract has it in proto3: zero is not written.

package import FoundationEssentials
package import SwiftProtobuf

/// A visit in the clear. Intervals are units of ten minutes since 1970.
package struct CheckIn: Message {
    /// 32 bytes.
    package var locationID: Data = Data()
    /// `startIntervalNumber`
    package var startIntervalNumber: UInt32 = 0
    /// `endIntervalNumber`
    package var endIntervalNumber: UInt32 = 0
    /// `transmissionRiskLevel`
    package var transmissionRiskLevel: UInt32 = 0
    /// Fields that the schema doesn't have.
    package var unknownFields = UnknownStorage()

    /// Without fields.
    package init() {}

    /// See ``Message``.
    package static let fields = FieldTable("vigil.exposure.CheckIn", \Self.unknownFields, [
        Field(1, "locationId", \Self.locationID),
        Field(2, "startIntervalNumber", \Self.startIntervalNumber),
        Field(3, "endIntervalNumber", \Self.endIntervalNumber),
        Field(4, "transmissionRiskLevel", \Self.transmissionRiskLevel),
    ])
}

/// A visit that only somebody who was at the same venue can read.
package struct CheckInProtectedReport: Message {
    /// SHA-256 of the location's identifier, 32 bytes.
    package var locationIDHash: Data = Data()
    /// 16 bytes.
    package var iv: Data = Data()
    /// AES-256-CBC, one block of 16 bytes.
    package var encryptedCheckInRecord: Data = Data()
    /// HMAC-SHA-256 over iv and record, 32 bytes.
    package var mac: Data = Data()
    /// Fields that the schema doesn't have.
    package var unknownFields = UnknownStorage()

    /// Without fields.
    package init() {}

    /// See ``Message``.
    package static let fields = FieldTable("vigil.exposure.CheckInProtectedReport", \Self.unknownFields, [
        Field(1, "locationIdHash", \Self.locationIDHash),
        Field(2, "iv", \Self.iv),
        Field(3, "encryptedCheckInRecord", \Self.encryptedCheckInRecord),
        Field(4, "mac", \Self.mac),
    ])
}
