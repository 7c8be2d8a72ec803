package import HTTPContract

/// Asks for a token.
package struct DeviceTokenQuery: JSONMessage, Equatable {
    /// Any name of a device.
    package let device: String

    /// A query of one device.
    package init(device: String) { self.device = device }

    package static var schema: JSONSchema { .object(["device": .text(count: 1...200)]) }
}

/// A device's token.
package struct DeviceTokenAnswer: JSONMessage, Equatable {
    /// In Base64.
    package let token: String

    /// An answer with a token.
    package init(token: String) { self.token = token }

    package static var schema: JSONSchema { .object(["token": .text(count: 2500...3500)]) }
}

/// What Apple keeps of a device from now on.
package struct DeviceSetting: JSONMessage, Equatable {
    /// Any name of a device.
    package let device: String
    /// `bit0`, `bit1` and the month of their last change, such as `2026-11`; nil if nobody ever set them.
    package let bits: Bits?

    /// Both bits and their month.
    package struct Bits: Codable, Sendable, Equatable {
        /// `bit0`.
        package let bit0: Bool
        /// `bit1`.
        package let bit1: Bool
        /// `last_update_time`.
        package let month: String

        /// See the properties.
        package init(bit0: Bool, bit1: Bool, month: String) {
            self.bit0 = bit0
            self.bit1 = bit1
            self.month = month
        }
    }

    /// See the properties.
    package init(device: String, bits: Bits?) {
        self.device = device
        self.bits = bits
    }

    package static var schema: JSONSchema {
        .object(
            ["device": .text(count: 1...200)],
            optional: [
                "bits": .object(["bit0": .boolean, "bit1": .boolean, "month": .text(count: 7...7)])
            ])
    }
}

/// How Apple's service answers.
package struct DeviceCheckBehaviour: JSONMessage, Equatable {
    /// The kinds of illness.
    package enum Kind: String, Codable, Sendable, CaseIterable {
        /// As it should.
        case well
        /// As it should, with a header field and a member that no version has.
        case addsFields
        /// 401, in Apple's words for a key that it doesn't know.
        case refuses
        /// 401 with an empty body.
        case refusesSilently
        /// 429.
        case busy
        /// 500.
        case broken
        /// 503.
        case unavailable
        /// Not at all: it closes the connection.
        case away
        /// It does what it is asked for, and closes the connection instead of answering.
        case silent
    }

    /// The kind.
    package let kind: Kind

    /// A behaviour of one kind.
    package init(_ kind: Kind) { self.kind = kind }

    package static var schema: JSONSchema { .object(["kind": .name(of: Kind.self)]) }
}
