package import FoundationEssentials

/// What Apple has to say of a device before it is admitted.
package struct DeviceCheckPolicy: Hashable, Sendable {
    /// Whether a device is admitted once in a calendar month only. Two times within hours are possible at the month's
    /// turn: Apple keeps no day.
    package let isMonthly: Bool
    /// Whether a device is refused that reported itself in the last 90 days, as far as its bits say.
    package let refusesReporters: Bool

    /// See the properties.
    package init(isMonthly: Bool, refusesReporters: Bool = false) {
        self.isMonthly = isMonthly
        self.refusesReporters = refusesReporters
    }

    /// Throws the first reason against a device.
    /// - Parameter answer: to a query.
    package func check(_ answer: DeviceCheckAnswer, now: Date) throws(DeviceCheckFlaw) {
        switch answer {
        case .neverSet: return
        case .badToken: throw .token
        case .ourFault, .tryLater, .done: throw .unavailable
        case .bits(let bits):
            guard !(bits.first && bits.second) else { throw .blocked }
            // A later month than ours is this one by Apple's clock.
            guard !isMonthly || bits.changed < DeviceBits.Month(of: now) else { throw .month }
            guard !refusesReporters || !bits.hasReported(by: now) else { throw .reported }
        }
    }
}
