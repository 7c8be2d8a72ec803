package import NIOCore

/// When answers leave: at one fixed moment after the last byte of their request, and if they aren't there by then at a
/// multiple of that time (design decision 9).
///
/// What happens behind the proxy then shows only in which multiple it was, if the time is chosen so that services are
/// normally done within the first.
package struct AnswerSchedule: Sendable {
    /// An answer that isn't there by the last multiple is a 503.
    static let multiples = 8

    /// nil lets answers go when they are there. That is for measurements of speed only: no setting says so.
    let interval: TimeAmount?

    /// - Parameter interval: from the last byte of a request to its answer; nil only in measurements.
    package init(interval: TimeAmount?) {
        self.interval = interval
    }

    /// The moment of the n-th multiple, from 1 on.
    func moment(_ multiple: Int, after arrival: NIODeadline) -> NIODeadline {
        arrival + (interval ?? .zero) * multiple
    }

    /// A request that waits for a connection longer than this is not passed on any more: its answer would come too late,
    /// and the work be done for nobody.
    var patience: TimeAmount {
        interval.map { .nanoseconds($0.nanoseconds * Int64(Self.multiples) / 2) } ?? .seconds(2)
    }
}
