/// Timeouts and the retry policy.
package struct APNsTiming: Sendable {
    /// The timeout of the reply to a push; some streams never get one (<https://github.com/jchambers/pushy/issues/732>).
    package var reply: Duration = .seconds(10)
    /// The timeout of opening a connection.
    package var connect: Duration = .seconds(10)
    /// The base of the exponential backoff.
    package var backoffBase: Duration = .milliseconds(500)
    /// The longest backoff.
    package var backoffCap: Duration = .seconds(60)
    /// How many consecutive attempts to connect may fail before waiting pushes are given up.
    package var connectAttempts = 6
    /// How long an unreachable host isn't tried again.
    ///
    /// Otherwise a host that a firewall blocks would cost every page the time of all attempts.
    package var outOfReach: Duration = .seconds(20)
    /// The interval of PING on an idle connection.
    package var ping: Duration = .seconds(60)
    /// An idle connection is closed after this time.
    package var idle: Duration = .seconds(600)
    /// A connection of this age accepts no more requests.
    package var life: Duration = .seconds(21_600)

    /// Apple's recommendations, where there are any.
    package init() {}

    var backoff: Backoff { Backoff(base: backoffBase, cap: backoffCap) }
}
