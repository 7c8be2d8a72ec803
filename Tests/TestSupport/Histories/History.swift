package import FoundationEssentials
package import Running
import Synchronization

/// The requests of concurrent callers to the verification and the test result server, and the answers.
///
/// It is recorded during the run and judged afterwards (``HistoryChecker``). Credentials are stored as text, because they are
/// only compared.
package final class History: Sendable {
    /// The request of a call.
    package enum Action: Hashable, Sendable {
        /// A GUID or teleTAN, registered by the holder of the key.
        ///
        /// A call without an `Idempotency-Key` can't be recognised again, so each such call is recorded under a key of its own.
        case register(proof: String, key: String)
        case takeTAN(token: String)
        case reserve(tan: String, tag: String)
        case confirm(tan: String, tag: String)
        /// `tan/verify`: reserved and confirmed at once. The tag stands for the caller's `Idempotency-Key`.
        case redeem(tan: String, tag: String)
        /// Versions of one id's result differ by a number that is unique for the id.
        case postResult(id: String, version: Int)
        case readResult(id: String)
    }

    /// What the caller knows about a call's effect.
    package enum Outcome: Hashable, Sendable {
        /// It took effect; with the token, the TAN, the version, or nothing.
        case ok(String = "")
        /// It was refused.
        case fail
        /// The answer was lost or said "not now". The call may have taken effect, or may still do so.
        case unknown
    }

    /// A position in the order of all events, with the services' time.
    package struct Moment: Hashable, Sendable {
        package let position: Int
        package let instant: Date

        package init(position: Int, instant: Date) {
            self.position = position
            self.instant = instant
        }
    }

    /// One call. It took effect, if at all, after `invoked`, and before `returned` unless the outcome is unknown.
    package struct Call: Hashable, Sendable {
        package let action: Action
        package let invoked: Moment
        package let returned: Moment
        package let outcome: Outcome

        package init(action: Action, invoked: Moment, returned: Moment, outcome: Outcome) {
            self.action = action
            self.invoked = invoked
            self.returned = returned
            self.outcome = outcome
        }
    }

    private struct Events {
        var position = 0
        var calls: [Call] = []
    }

    private let clock: WallClock
    private let events = Mutex(Events())

    /// - Parameter clock: the services' time; it must never go back.
    package init(clock: WallClock) {
        self.clock = clock
    }

    /// All calls that have ended.
    package var calls: [Call] { events.withLock { $0.calls } }

    /// Records a call.
    package func record(_ action: Action, _ body: () async throws -> Outcome) async rethrows -> Outcome {
        try await record([action]) { [try await body()] }.first ?? .unknown
    }

    /// Records actions that share one call.
    /// - Parameter body: returns one outcome for each action.
    package func record(_ actions: [Action], _ body: () async throws -> [Outcome]) async rethrows -> [Outcome] {
        let invoked = moment()
        let outcomes = try await body()
        let returned = moment()
        events.withLock { events in
            events.calls += zip(actions, outcomes).map { action, outcome in
                Call(action: action, invoked: invoked, returned: returned, outcome: outcome)
            }
        }
        return outcomes
    }

    private func moment() -> Moment {
        events.withLock { events in
            events.position += 1
            return Moment(position: events.position, instant: clock.now)
        }
    }
}
