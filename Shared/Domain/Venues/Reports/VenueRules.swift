package import ExposureKeys

/// How a phone judges visits to venues, and what it reports of them: the health authority's configuration (`PresenceTracingParameters`
/// of the app configuration).
package struct VenueRules: Codable, Hashable, Sendable {
    /// Numbers from one to another.
    package typealias Range = RiskRange
    /// How high a risk is.
    package typealias Level = RiskLevel
    /// The level for a range of normalized minutes.
    package typealias Grade = RiskGrade

    /// By how long what a visitor breathed out stays: slope × length of the visit + intercept.
    package struct AerosolDecay: Codable, Hashable, Sendable {
        /// For visits of so many whole minutes.
        package let minutes: Range
        /// Without a unit.
        package let slope: Double
        /// In minutes, of which only whole ones count.
        package let intercept: Double

        /// The function for a range.
        package init(minutes: Range, slope: Double, intercept: Double) {
            self.minutes = minutes
            self.slope = slope
            self.intercept = intercept
        }
    }

    /// Visits of so many whole minutes aren't reported.
    package let droppedMinutes: [Range]
    /// The first that fits a visit counts.
    package let aerosolDecay: [AerosolDecay]
    /// What a minute with a visitor of a transmission risk level counts. A level that isn't in it counts nothing.
    package let riskValues: [TransmissionRiskLevel: Double]
    /// For a check-in on a day; the first that fits counts.
    package let perCheckIn: [Grade]
    /// For all check-ins of a day; the first that fits counts.
    package let perDay: [Grade]
    /// Check-ins that ended more days ago don't count.
    package let maximumDays: Int

    /// Creates rules from their parts.
    package init(
        droppedMinutes: [Range], aerosolDecay: [AerosolDecay], riskValues: [TransmissionRiskLevel: Double],
        perCheckIn: [Grade], perDay: [Grade], maximumDays: Int
    ) {
        self.droppedMinutes = droppedMinutes
        self.aerosolDecay = aerosolDecay
        self.riskValues = riskValues
        self.perCheckIn = perCheckIn
        self.perDay = perDay
        self.maximumDays = maximumDays
    }

    /// What an app is shipped with, and uses until it has fetched a configuration: Corona-Warn-App's last one, as in `deploy/static`.
    package static let shipped: VenueRules = {
        let values = [0, 0, 0.6, 0.8, 1, 1.2, 1.4, 1.6]
        let grades = [
            Grade(time: Range(0...10, excludesMinimum: true, excludesMaximum: true), level: .low),
            Grade(time: Range(10...999_999), level: .high),
        ]
        return VenueRules(
            droppedMinutes: [Range(0...10, excludesMaximum: true)],
            aerosolDecay: [
                AerosolDecay(minutes: Range(0...30), slope: 1, intercept: 0),
                AerosolDecay(minutes: Range(30...999_999, excludesMinimum: true), slope: 0, intercept: 30),
            ],
            riskValues: Dictionary(
                uniqueKeysWithValues: zip(TransmissionRiskLevel.range, values).compactMap { level, value in
                    TransmissionRiskLevel(rawValue: level).map { ($0, value) }
                }),
            perCheckIn: grades, perDay: grades, maximumDays: 10)
    }()

    /// What a minute with a visitor of a level counts.
    package func value(of level: TransmissionRiskLevel) -> Double { riskValues[level] ?? 0 }

    // MARK: What is reported of a visit

    /// The intervals that are reported of a visit; nil if it was too short.
    ///
    /// The aerosol's time is added, and the whole is rounded to intervals. Of the two places on the grid it gets the one that covers more
    /// of the visit (cwa-app-android, `TimeIntervalDeriver.kt`).
    /// - Parameters:
    ///   - start: seconds since the epoch, not negative.
    ///   - end: seconds since the epoch.
    package func reported(from start: Int64, to end: Int64) -> Swift.Range<IntervalNumber>? {
        let seconds = max(0, end - start)
        let minutes = Double(seconds / 60)
        guard start >= 0, !droppedMinutes.contains(where: { $0.contains(minutes) }) else { return nil }
        let decay =
            aerosolDecay.first { $0.minutes.contains(minutes) }
            .map { $0.slope * Double(seconds) + Double(Int64($0.intercept.rounded(.towardZero)) * 60) } ?? 0
        let step = IntervalNumber.seconds
        // A half is rounded up, and away from zero, which is the same for lengths.
        let length = Int64(((Double(seconds) + decay) / Double(step)).rounded())
        let lastSecond = end + Int64(decay.rounded(.towardZero))
        let isMoreOfTheEnd = lastSecond % step > step - start % step
        let first = isMoreOfTheEnd ? lastSecond / step + 1 - length : start / step
        guard length > 0, let lower = UInt32(exactly: first), let upper = UInt32(exactly: first + length) else {
            return nil
        }
        return IntervalNumber(rawValue: lower)..<IntervalNumber(rawValue: upper)
    }
}

extension Swift.Range<IntervalNumber> {
    /// The parts between midnights UTC, in order: a report lies within a day, so that its risk is that of the day.
    package var splitAtMidnight: [Swift.Range<IntervalNumber>] {
        var parts: [Self] = []
        var start = lowerBound
        while start < upperBound {
            let midnight = UInt64(start.startOfDay.rawValue) + UInt64(IntervalNumber.perDay)
            let end = IntervalNumber(rawValue: UInt32(Swift.min(midnight, UInt64(upperBound.rawValue))))
            parts.append(start..<end)
            start = end
        }
        return parts
    }
}
