package import ExposureKeys

/// What a report says to those who were at the same venue: when a visit began and ended, and how infectious the visitor may have been.
package struct VisitRecord: Hashable, Sendable {
    /// The first interval.
    package let start: IntervalNumber
    /// The first interval after the visit: above the start, by a day at most.
    package let end: IntervalNumber
    /// For the day on which the visit began.
    package let transmissionRiskLevel: TransmissionRiskLevel

    /// Nil unless the end is 1 to 144 intervals after the start. Apps split visits at midnight UTC, so none is longer than a day.
    package init?(start: IntervalNumber, end: IntervalNumber, transmissionRiskLevel: TransmissionRiskLevel) {
        guard end > start, end.rawValue - start.rawValue <= IntervalNumber.perDay else { return nil }
        self.start = start
        self.end = end
        self.transmissionRiskLevel = transmissionRiskLevel
    }

    /// Intervals of ten minutes, 1...144.
    package var length: UInt32 { end.rawValue - start.rawValue }
}
