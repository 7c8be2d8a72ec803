// swift-format-ignore-file
// Made by Shared/Formats/generate.py from push_registration.proto: change that.
//
// What a phone tells the push dispatcher: where silent pushes reach it, or that it wants none any more.
//
// Field names and numbers are those the SwissCovid and NotifyMe phones send (swisscovid-cn-backend): never renumber.

package import FoundationEssentials
package import SwiftProtobuf

/// The enumeration `PushType`.
package enum PushType: Enum {
    /// An iPhone with an app from the store.
    case ios
    /// An Android phone.
    case and
    /// An iPhone with an app from a developer's machine.
    case iod
    /// A number that the schema doesn't know.
    case UNRECOGNIZED(Int)

    /// The first value.
    package init() { self = .ios }
    /// The value with a number.
    package init?(rawValue: Int) {
        switch rawValue {
        case 0: self = .ios
        case 1: self = .and
        case 2: self = .iod
        default: self = .UNRECOGNIZED(rawValue)
        }
    }
    /// The number.
    package var rawValue: Int {
        switch self {
        case .ios: 0
        case .and: 1
        case .iod: 2
        case .UNRECOGNIZED(let number): number
        }
    }
    /// See ``Enum``.
    package static let names = [
        0: "IOS",
        1: "AND",
        2: "IOD",
    ]
}

/// The message `PushRegistration`.
package struct PushRegistration: Message {
    /// Clients send 1; it means nothing.
    package var version: Int32 = 0
    /// Empty or blank: the phone wants no pushes any more.
    package var pushToken: String = ""
    /// `pushType`
    package var pushType: PushType = .ios
    /// The app-instance token: random, made once by the app and used nowhere else.
    package var deviceID: String = ""
    /// Makes all registrations equally long; its content means nothing. Other servers know no such field and pass it over.
    package var requestPadding: Data = Data()
    /// Fields that the schema doesn't have.
    package var unknownFields = UnknownStorage()

    /// Without fields.
    package init() {}

    /// See ``Message``.
    package static let fields = FieldTable("vigil.push.PushRegistration", \Self.unknownFields, [
        Field(1, "version", \Self.version),
        Field(2, "pushToken", \Self.pushToken),
        Field(3, "pushType", \Self.pushType),
        Field(4, "deviceId", \Self.deviceID),
        Field(100, "requestPadding", \Self.requestPadding),
    ])
}
