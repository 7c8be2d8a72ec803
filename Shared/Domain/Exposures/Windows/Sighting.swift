package import ExposureKeys

/// A broadcast that a scan received.
package struct Reception: Hashable, Sendable, BitwiseCopyable {
    /// What was received.
    package let advertisement: Advertisement
    /// The strength of the received signal (RSSI), in dBm.
    package let strength: Int8

    /// A received broadcast.
    package init(_ advertisement: Advertisement, strength: Int8) {
        self.advertisement = advertisement
        self.strength = strength
    }
}

/// A received broadcast and its scan, as the phone stores it: it can't tell whose it is until the key is published.
package struct Sighting: Hashable, Sendable, BitwiseCopyable {
    /// What was received.
    package let reception: Reception
    /// When, in seconds since the epoch, by the receiver's clock.
    package let second: UInt32
    /// When the phone scanned before, whatever it received then; 0 if that isn't known.
    package let previousScan: UInt32

    /// A broadcast of a scan.
    package init(_ reception: Reception, second: UInt32, previousScan: UInt32?) {
        self.reception = reception
        self.second = second
        self.previousScan = previousScan ?? 0
    }

    /// The ten-minute interval by the receiver's clock.
    package var interval: IntervalNumber { IntervalNumber(rawValue: second / UInt32(IntervalNumber.seconds)) }

    /// How long the phone assumes that the other one was near, in seconds: the difference in whole minutes to the phone's previous scan, at
    /// most five of them. A scan that missed the other phone doesn't make the next one count more.
    var secondsSinceLastScan: Int {
        guard previousScan > 0 else { return Self.secondsWhenUnknown }
        return 60 * min(Self.mostMinutes, max(0, Int(second / 60) - Int(previousScan / 60)))
    }

    /// The first scan counts as if it came two minutes after another (google/exposure-notifications-internals, `ContactTracingFeature`).
    private static let secondsWhenUnknown = 120
    private static let mostMinutes = 5
}

/// A broadcast of a published key that was received, with what it said of the sender.
package struct KeySighting: Hashable, Sendable, BitwiseCopyable {
    /// In seconds since the epoch, by the receiver's clock.
    package let second: UInt32
    /// In dB.
    package let attenuation: Int16
    /// 0, 60, … 300.
    package let secondsSinceLastScan: Int16
    /// Of the sender's transmit power.
    package let calibrationConfidence: CalibrationConfidence

    /// A sighting of a known key.
    package init(
        second: UInt32, attenuation: Int, secondsSinceLastScan: Int, calibrationConfidence: CalibrationConfidence
    ) {
        self.second = second
        self.attenuation = Int16(clamping: attenuation)
        self.secondsSinceLastScan = Int16(clamping: secondsSinceLastScan)
        self.calibrationConfidence = calibrationConfidence
    }
}

extension Platform {
    /// Whether a sighting is of the same scan as those before it, in order of time. Whose identifiers they have doesn't matter.
    ///
    /// Android lets 25.5 s pass since the last one: one and a half times the 4 s of a scan and the 13 s by which classic Bluetooth prolongs
    /// it (google/exposure-notifications-internals, `KeyExposureEvaluator`). iOS lets 4 s pass since the first one (Apple's published
    /// sample, `ENAdvertisementDatabaseQuerySession`).
    func isSameScan(_ sighting: KeySighting, as scan: [KeySighting]) -> Bool {
        switch self {
        case .android: scan.last.map { Double(sighting.second - $0.second) <= 25.5 } ?? false
        case .iOS: scan.first.map { sighting.second - $0.second <= 4 } ?? false
        }
    }
}

extension KeySchedule {
    /// The allowed difference between two phones' clocks: two hours, in intervals (Exposure Notification Cryptography Specification 1.2,
    /// matching).
    ///
    /// Without this limit, a broadcast that was recorded and replayed days later would count as an encounter.
    package static let clockTolerance: UInt32 = 12
    /// For how long an identifier is on air at most, in seconds: two intervals. What is heard later is a replay.
    static let longestBroadcast: UInt32 = 1200

    /// The valid sightings of one of the key's identifiers, in order of time (google/exposure-notifications-internals,
    /// `ExposureMatchingTracer`).
    /// - Parameters:
    ///   - sightings: all of one identifier.
    ///   - interval: when the other phone sent it.
    package func sightings(
        _ sightings: [Sighting], sentAt interval: IntervalNumber, _ receiver: Receiver
    ) throws -> [KeySighting] {
        let inTime = sightings.filter { Self.isInTime($0.interval, sentAt: interval) }.sorted { $0.second < $1.second }
        guard let first = inTime.first?.second else { return [] }
        return try inTime.prefix { $0.second - first <= Self.longestBroadcast }.compactMap { sighting in
            let (advertisement, strength) = (sighting.reception.advertisement, sighting.reception.strength)
            guard let metadata = try decrypt(advertisement.metadata, under: advertisement.identifier),
                let attenuation = receiver.attenuation(transmitPower: metadata.transmitPower, strength: strength)
            else { return nil }
            return KeySighting(
                second: sighting.second, attenuation: attenuation,
                secondsSinceLastScan: sighting.secondsSinceLastScan,
                calibrationConfidence: metadata.calibrationConfidence)
        }
    }

    /// Whether an identifier that was sent in one interval counts when it is heard in another.
    package static func isInTime(_ heard: IntervalNumber, sentAt sent: IntervalNumber) -> Bool {
        max(heard, sent).rawValue - min(heard, sent).rawValue <= clockTolerance
    }
}
