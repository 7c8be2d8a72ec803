// swift-format-ignore-file
// Made by Shared/Formats/generate.py from problematic_events.proto: change that.
//
// What phones download in SwissCovid's layout: trace keys of venues at hours at which somebody infectious was there. NotifyMe's older
// layouts, with times in the clear, aren't offered.
//
// Field names and numbers are CrowdNotifier's fourth version (CrowdNotifier/techspec; swisscovid-cn-backend): never renumber.

package import FoundationEssentials
package import SwiftProtobuf

/// The message `ProblematicEventWrapper`.
package struct ProblematicEventWrapper: Message {
    /// 3, as under /v3.
    package var version: Int32 = 0
    /// `events`
    package var events: [ProblematicEvent] = []
    /// Fields that the schema doesn't have.
    package var unknownFields = UnknownStorage()

    /// Without fields.
    package init() {}

    /// See ``Message``.
    package static let fields = FieldTable("vigil.tracekey.ProblematicEventWrapper", \Self.unknownFields, [
        Field(1, "version", \Self.version),
        Field(2, "events", \Self.events),
    ])
}

/// The message `ProblematicEvent`.
package struct ProblematicEvent: Message {
    /// 4.
    package var version: Int32 = 0
    /// 32 bytes: SHA-256 of what names a venue and an hour.
    package var identity: Data = Data()
    /// 48 bytes: a point of G1 of BLS12-381.
    package var secretKeyForIdentity: Data = Data()
    /// UTC seconds since 1970 of the hour's day, at midnight.
    package var day: Int64 = 0
    /// XSalsa20-Poly1305 under the venue's notification key.
    package var encryptedAssociatedData: Data = Data()
    /// 24 bytes.
    package var cipherTextNonce: Data = Data()
    /// Fields that the schema doesn't have.
    package var unknownFields = UnknownStorage()

    /// Without fields.
    package init() {}

    /// See ``Message``.
    package static let fields = FieldTable("vigil.tracekey.ProblematicEvent", \Self.unknownFields, [
        Field(1, "version", \Self.version),
        Field(2, "identity", \Self.identity),
        Field(3, "secretKeyForIdentity", \Self.secretKeyForIdentity),
        Field(4, "day", \Self.day),
        Field(5, "encryptedAssociatedData", \Self.encryptedAssociatedData),
        Field(6, "cipherTextNonce", \Self.cipherTextNonce),
    ])
}
