/// What a phone says of its own transmitter, so that receivers can tell distance from a weak transmitter (Exposure Notification Bluetooth
/// Specification 1.2, "Associated Encrypted Metadata").
///
/// Four bytes: version and confidence, transmit power, and two that are reserved and sent as zero.
package struct BroadcastMetadata: Hashable, Sendable {
    /// In dBm.
    package let transmitPower: Int8
    /// How well the power of the phone's model was measured. Version 1.0 has none, which reads as the lowest.
    package let calibrationConfidence: CalibrationConfidence

    /// Of the version, 0 to 3.
    private let minorVersion: UInt32

    /// Of version 1.1, which phones send today.
    package init(transmitPower: Int8, calibrationConfidence: CalibrationConfidence) {
        self.transmitPower = transmitPower
        self.calibrationConfidence = calibrationConfidence
        minorVersion = 1
    }

    /// Of version 1.0, as the first phones sent it.
    package init(transmitPower: Int8) {
        self.transmitPower = transmitPower
        calibrationConfidence = .lowest
        minorVersion = 0
    }

    /// The four bytes, the first in the lowest place.
    var packed: UInt32 {
        1 << 6 | minorVersion << 4 | UInt32(calibrationConfidence.rawValue) << 2
            | UInt32(UInt8(bitPattern: transmitPower)) << 8
    }

    /// Nil unless the major version is 1. Other minor versions are read as the present one, and reserved bits are ignored.
    init?(packed: UInt32) {
        guard packed >> 6 & 0b11 == 1 else { return nil }
        transmitPower = Int8(bitPattern: UInt8(truncatingIfNeeded: packed >> 8))
        calibrationConfidence = CalibrationConfidence(rawValue: UInt8(packed >> 2 & 0b11)) ?? .lowest
        minorVersion = packed >> 4 & 0b11
    }
}

/// How well the transmit power of a phone's model is known.
package enum CalibrationConfidence: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
    case lowest = 0
    case low = 1
    case medium = 2
    case high = 3
}

/// The metadata as they are on air: only whoever has the day's key can read them.
package struct EncryptedMetadata: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    /// The four bytes, the first in the lowest place.
    package let rawValue: UInt32

    /// From four bytes in their stored form.
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Nil unless there are exactly four bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 4 else { return nil }
        rawValue = bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The four bytes in a new array.
    package var bytes: [UInt8] { [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: rawValue >> $0) } }
}

/// What a phone broadcasts for about ten minutes: 20 bytes of service data.
package struct Advertisement: Hashable, Sendable, BitwiseCopyable {
    /// By which receivers recognise a published key.
    package let identifier: RollingProximityIdentifier
    /// By which they estimate the distance.
    package let metadata: EncryptedMetadata

    /// What was sent, or received.
    package init(identifier: RollingProximityIdentifier, metadata: EncryptedMetadata) {
        self.identifier = identifier
        self.metadata = metadata
    }
}
