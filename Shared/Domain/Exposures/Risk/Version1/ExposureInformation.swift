package import ExposureKeys

/// An encounter as the operating systems told apps of 2020 (`ExposureInformation`, version 1 of Exposure Notification).
package struct ExposureInformation: Hashable, Sendable {
    /// The UTC day of the other phone's key.
    package let day: Day
    /// The mean over the time, in dB.
    package let attenuation: Int
    /// Rounded to five minutes.
    package let minutes: Int
    /// That was published with the key.
    package let transmissionRiskLevel: TransmissionRiskLevel
    /// The seconds below the lower threshold of attenuation, between the two, and from the upper one on.
    package let seconds: [Int]

    /// An encounter from its parts.
    package init(
        day: Day, attenuation: Int, minutes: Int, transmissionRiskLevel: TransmissionRiskLevel, seconds: [Int]
    ) {
        self.day = day
        self.attenuation = attenuation
        self.minutes = minutes
        self.transmissionRiskLevel = transmissionRiskLevel
        self.seconds = seconds
    }

    /// The encounters with a key, as Android made them (google/exposure-notifications-internals, `KeyExposureEvaluator`, without
    /// interpolation).
    ///
    /// Scans belong together while at most ten minutes lie between them. An attenuation lasts until the next scan; the first and the last one
    /// last two and a half minutes longer.
    /// - Parameters:
    ///   - sightings: all of the key, in order of time. Of those of one scan the strongest counts.
    ///   - day: of the key.
    ///   - thresholds: the lower and the upper one, in dB.
    package static func encounters(
        in sightings: some Sequence<KeySighting>, day: Day, transmissionRiskLevel: TransmissionRiskLevel,
        thresholds: (lower: Int, upper: Int)
    ) -> [ExposureInformation] {
        let scans = sightings.grouped { Platform.android.isSameScan($1, as: $0) }.compactMap { scan in
            scan.min { $0.attenuation < $1.attenuation }
        }
        return scans.grouped { scans, scan in
            scans.last.map { scan.second - $0.second <= longestGap } ?? false
        }.map { scans in
            var seconds = [0, 0, 0]
            var weighted = 0
            for (place, scan) in scans.enumerated() {
                let begin = Int(scan.second) - (place == 0 ? margin : 0)
                let end = place == scans.count - 1 ? Int(scan.second) + margin : Int(scans[place + 1].second)
                let attenuation = Int(scan.attenuation)
                let bucket = attenuation < thresholds.lower ? 0 : attenuation < thresholds.upper ? 1 : 2
                seconds[bucket] += end - begin
                weighted += attenuation * (end - begin)
            }
            let all = seconds.reduce(0, +)
            return ExposureInformation(
                day: day, attenuation: Int((Double(weighted) / Double(all)).rounded()),
                // Half a step is rounded down.
                minutes: (all + step / 2 - 1) / step * (step / 60), transmissionRiskLevel: transmissionRiskLevel,
                seconds: seconds)
        }
    }

    /// In seconds.
    private static let longestGap: UInt32 = 600
    private static let margin = 150
    private static let step = 300
}

extension Sequence {
    /// Runs of elements of which each belongs to those before it.
    fileprivate func grouped(_ belongs: ([Element], Element) -> Bool) -> [[Element]] {
        reduce(into: []) { runs, element in
            if let last = runs.last, belongs(last, element) {
                runs[runs.count - 1].append(element)
            } else {
                runs.append([element])
            }
        }
    }
}
