package import NIOCore

/// How long things may take, and how often they are tried.
package struct APNsTiming: Sendable {
    /// Until the answer to a push; there are streams that never get one (push sheet, 1.6.4).
    package var reply: TimeAmount = .seconds(10)
    /// Until a new connection can be used.
    package var connect: TimeAmount = .seconds(10)
    /// Pauses of repetitions.
    package var backoffBase: TimeAmount = .milliseconds(500)
    /// The longest pause.
    package var backoffCap: TimeAmount = .seconds(60)
    /// How often in a row connecting may fail before what waits for it is given up.
    package var connectAttempts = 6
    /// For so long nobody tries again what couldn't be reached: a host that a firewall keeps away must not cost each page the time
    /// of all attempts.
    package var outOfReach: TimeAmount = .seconds(20)
    /// An idle connection is asked so often whether it is there.
    package var ping: TimeAmount = .seconds(60)
    /// A connection that was idle for so long is closed.
    package var idle: TimeAmount = .minutes(10)
    /// So old a connection takes no more requests.
    package var life: TimeAmount = .hours(6)

    /// As Apple advises, where it does.
    package init() {}

    var backoff: Backoff { Backoff(base: backoffBase, cap: backoffCap) }
}
