package import ExposureKeys
import FoundationEssentials

/// What one scan says of the distance to another phone (`ScanInstance` of both operating systems).
package struct ScanInstance: Hashable, Sendable, BitwiseCopyable {
    /// Of the strongest broadcast, in dB.
    package let minimumAttenuation: Int
    /// The mean of all broadcasts, in dB.
    package let typicalAttenuation: Int
    /// How long the phone assumes that the other one was near: 0, 60, … 300 where this module computed it.
    package let seconds: Int

    /// A scan's result.
    package init(minimumAttenuation: Int, typicalAttenuation: Int, seconds: Int) {
        self.minimumAttenuation = minimumAttenuation
        self.typicalAttenuation = typicalAttenuation
        self.seconds = seconds
    }
}

/// How infectious a person was on a day, as the operating systems tell apps. Keys of days on which nobody is infected reach no app.
package enum Infectiousness: Int, Codable, Hashable, Sendable, BitwiseCopyable {
    case standard = 1
    case high = 2
}

/// At most half an hour near a person who tested positive, as the operating systems tell apps (`ExposureWindow`, version 2 of Exposure
/// Notification).
///
/// It has neither key nor time of day, and windows come shuffled: an app can't tell which of them are of one person.
package struct ExposureWindow: Hashable, Sendable {
    /// The UTC day on which it began.
    package let day: Day
    /// How the person's diagnosis was made.
    package let reportType: ReportType
    /// How infectious the person was on the day of the key.
    package let infectiousness: Infectiousness
    /// Of the other phone's transmit power.
    package let calibrationConfidence: CalibrationConfidence
    /// In order of time.
    package let scans: [ScanInstance]

    /// A window from its parts.
    package init(
        day: Day, reportType: ReportType, infectiousness: Infectiousness,
        calibrationConfidence: CalibrationConfidence, scans: [ScanInstance]
    ) {
        self.day = day
        self.reportType = reportType
        self.infectiousness = infectiousness
        self.calibrationConfidence = calibrationConfidence
        self.scans = scans
    }

    /// The windows of a key (google/exposure-notifications-internals, `KeyExposureEvaluator`).
    ///
    /// A window ends half an hour after its first sighting, and not at a gap. Sightings close together are of one scan.
    /// - Parameters:
    ///   - sightings: all of the key, in order of time.
    ///   - platform: whose idea of a scan holds.
    package static func windows(
        of sightings: some Sequence<KeySighting>, reportType: ReportType, infectiousness: Infectiousness,
        on platform: Platform
    ) -> [ExposureWindow] {
        var parts: [[[KeySighting]]] = []
        var first: UInt32 = 0
        for sighting in sightings {
            if parts.isEmpty || sighting.second - first >= longest {
                parts.append([[sighting]])
                first = sighting.second
            } else if let scan = parts.last?.last, platform.isSameScan(sighting, as: scan) {
                parts[parts.count - 1][parts[parts.count - 1].count - 1].append(sighting)
            } else {
                parts[parts.count - 1].append([sighting])
            }
        }
        return parts.compactMap { scans in
            guard let first = scans.first?.first else { return nil }
            return ExposureWindow(
                day: Day(containing: Date(timeIntervalSince1970: Double(first.second))), reportType: reportType,
                infectiousness: infectiousness, calibrationConfidence: first.calibrationConfidence,
                scans: scans.compactMap(ScanInstance.init))
        }
    }

    /// In seconds, from the first sighting.
    private static let longest: UInt32 = 1800
}

extension ScanInstance {
    /// Nil if there are no sightings.
    fileprivate init?(_ sightings: [KeySighting]) {
        guard let first = sightings.first, let minimum = sightings.map(\.attenuation).min() else { return nil }
        let sum = sightings.reduce(0) { $0 + Int($1.attenuation) }
        self.init(
            minimumAttenuation: Int(minimum),
            typicalAttenuation: Int((Double(sum) / Double(sightings.count)).rounded()),
            seconds: Int(first.secondsSinceLastScan))
    }
}
