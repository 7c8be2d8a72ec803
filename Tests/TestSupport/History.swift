package import FoundationEssentials
package import Running
import Synchronization

/// What several callers asked of the verification and the test result server at once, and what they were told.
///
/// It is written while they run and judged afterwards (``HistoryChecker``). Credentials stand in it as text, because it
/// is only compared.
package final class History: Sendable {
    /// What was asked for.
    package enum Action: Hashable, Sendable {
        /// A GUID or teleTAN by whoever holds the key. Who sends no `Idempotency-Key` can't be known again, so each such
        /// call stands under a key of its own.
        case register(proof: String, key: String)
        case takeTAN(token: String)
        case reserve(tan: String, tag: String)
        case confirm(tan: String, tag: String)
        /// `tan/verify`: reserved and confirmed at once. The tag stands for the caller's `Idempotency-Key`.
        case redeem(tan: String, tag: String)
        /// Versions of one id's result are told apart by a number that no other post of that id has.
        case postResult(id: String, version: Int)
        case readResult(id: String)
    }

    /// What the caller knows of a call's effect.
    package enum Outcome: Hashable, Sendable {
        /// It was done; with the token, the TAN, the version, or nothing.
        case ok(String = "")
        /// It was refused.
        case fail
        /// The answer was lost or said "not now": it may have been done, or be done yet.
        case unknown
    }

    /// A place in the order of all events, with the services' time at it.
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

    /// - Parameter clock: the services' time; it must not go back.
    package init(clock: WallClock) {
        self.clock = clock
    }

    /// All calls that have ended.
    package var calls: [Call] { events.withLock { $0.calls } }

    /// Records a call.
    package func record(_ action: Action, _ body: () async throws -> Outcome) async rethrows -> Outcome {
        try await record([action]) { [try await body()] }.first ?? .unknown
    }

    /// Records actions that go in one call.
    /// - Parameter body: gives one outcome for each action.
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
