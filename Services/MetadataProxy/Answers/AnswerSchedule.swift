import Loop

/// Decides when answers leave. ``DeadlineSchedule`` is the only one in production.
package protocol AnswerSchedule: Sendable {
    /// A request that has waited longer than this for a connection is not passed on: its answer would be too late.
    var patience: Duration { get }

    /// The last byte of a request has arrived.
    func requestArrived(_ exchange: ProxyExchange)

    /// The answer is known and encoded.
    func answerReady(_ exchange: ProxyExchange)
}

/// Sends an answer a fixed interval after the last byte of its request; if it isn't known by then, at a multiple of that
/// interval.
///
/// From the last byte on, exactly one timer runs, whatever happens behind the proxy. How long a service took shows only in the
/// multiple. The interval is chosen so that services are normally done within the first.
package struct DeadlineSchedule: AnswerSchedule {
    /// An answer that isn't known by the last multiple is a 503.
    private static let multiples = 8

    private let interval: Duration

    /// - Parameter interval: from the last byte of a request to its answer.
    package init(interval: Duration) {
        self.interval = interval
    }

    /// Half of the longest time an answer can take.
    package var patience: Duration { interval * (Self.multiples / 2) }

    /// Sets the timer.
    package func requestArrived(_ exchange: ProxyExchange) {
        setTimer(multiple: 1, exchange)
    }

    /// Does nothing: the timer decides.
    package func answerReady(_ exchange: ProxyExchange) {}

    private func setTimer(multiple: Int, _ exchange: ProxyExchange) {
        exchange.core.at(exchange.arrival + interval * multiple) {
            if exchange.isOverdue {
                exchange.countOverrun()
                guard multiple == Self.multiples else { return setTimer(multiple: multiple + 1, exchange) }
                exchange.settle(.unavailable)
            }
            exchange.leave()
        }
    }
}
