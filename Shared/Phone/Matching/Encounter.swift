package import ExposureKeys

/// A broadcast that was received, and when, by the receiver's clock.
package struct Encounter: Hashable, Sendable {
    /// What the other phone sent.
    package let identifier: RollingProximityIdentifier
    /// When it was heard.
    package let interval: IntervalNumber

    /// A broadcast and its time.
    package init(identifier: RollingProximityIdentifier, interval: IntervalNumber) {
        self.identifier = identifier
        self.interval = interval
    }
}
