package import ExposureKeys
package import Exposures

/// A received broadcast and its time, by the receiver's clock.
package struct Encounter: Hashable, Sendable {
    /// The identifier that the other phone broadcast.
    package let identifier: RollingProximityIdentifier
    /// When it was received.
    package let interval: IntervalNumber

    /// Creates an encounter from a broadcast and its time.
    package init(identifier: RollingProximityIdentifier, interval: IntervalNumber) {
        self.identifier = identifier
        self.interval = interval
    }
}
