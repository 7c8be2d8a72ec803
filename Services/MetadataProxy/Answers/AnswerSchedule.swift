package import NIOCore

/// Decides when answers leave. ``DeadlineSchedule`` is the only one in production.
package protocol AnswerSchedule: Sendable {
    /// A request that has waited longer than this for a connection is not passed on: its answer would be too late.
    var patience: TimeAmount { get }

    /// The last byte of a request has arrived.
    func requestArrived(_ answer: PendingAnswer)

    /// The answer is known and encoded.
    func answerReady(_ answer: PendingAnswer)
}

/// Sends an answer a fixed interval after the last byte of its request; if it isn't known by then, at a multiple of that
/// interval.
///
/// From the last byte on, exactly one timer runs, whatever happens behind the proxy. How long a service took shows only in the
/// multiple. The interval is chosen so that services are normally done within the first.
package struct DeadlineSchedule: AnswerSchedule {
    /// An answer that isn't known by the last multiple is a 503.
    private static let multiples = 8

    private let interval: TimeAmount

    /// - Parameter interval: from the last byte of a request to its answer.
    package init(interval: TimeAmount) {
        self.interval = interval
    }

    /// Half of the longest time an answer can take.
    package var patience: TimeAmount { interval * (Self.multiples / 2) }

    /// Sets the timer.
    package func requestArrived(_ answer: PendingAnswer) {
        setTimer(multiple: 1, answer)
    }

    /// Does nothing: the timer decides.
    package func answerReady(_ answer: PendingAnswer) {}

    private func setTimer(multiple: Int, _ answer: PendingAnswer) {
        _ = answer.loop.assumeIsolated().scheduleTask(deadline: answer.arrival + interval * multiple) {
            if answer.isOverdue {
                answer.countOverrun()
                guard multiple == Self.multiples else { return setTimer(multiple: multiple + 1, answer) }
                answer.settle(.unavailable)
            }
            answer.leave()
        }
    }
}
