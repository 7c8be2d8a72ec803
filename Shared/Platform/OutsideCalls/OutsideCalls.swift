import CCurl
import HTTPTypes
import Loop
package import Running
import Synchronization
package import TLS

/// Calls servers that we don't run, one connection for each call (libcurl).
///
/// It speaks HTTP/1.1, follows no redirect, decompresses nothing, keeps no cookie, and uses the proxies that the environment names
/// (`HTTPS_PROXY`, `NO_PROXY`; libcurl-env(3)). libcurl would repeat a POST over a connection that it keeps, so none is kept. Each
/// call has one deadline for everything, from the name's look-up to the last byte.
package struct OutsideCalls: Sendable {
    /// Our certificate in use; nil without one.
    package let watchedTLS: (any WatchedTLS)?
    private let authorities: String?
    private let identity: TLSFiles?
    private let reach: OutsideReach
    /// For tests: names that change.
    var lookUp: CurlTransfer.LookUp = OutsideAddress.of

    /// Calls without a certificate of our own.
    ///
    /// - Parameter authorities: path of a PEM file with those that may have issued the server's certificate; nil for this machine's.
    ///   The file is read at each call, so renewed authorities need no restart.
    /// - Throws: if the file has no authority now.
    package init(authorities: String? = nil, reach: OutsideReach = .everywhere) throws(ConfigurationProblem) {
        if let authorities { _ = try TLSFiles.anonymousClient(trusting: authorities) }
        self.authorities = authorities
        self.reach = reach
        identity = nil
        watchedTLS = nil
    }

    /// Calls to servers that require a certificate of ours.
    ///
    /// The files are read at each call. A proxy, even one behind TLS, is shown no certificate.
    ///
    /// - Parameter peer: the server's name in metrics and log.
    /// - Throws: if the files aren't in order now.
    package init(
        _ files: TLSFiles, peer: String, reach: OutsideReach = .everywhere
    ) throws(ConfigurationProblem) {
        watchedTLS = try ReloadedContext.outsideClient(files, peer: peer, protocols: [])
        authorities = files.authorities
        identity = files
        self.reach = reach
    }

    /// Sends a request and collects its answer.
    ///
    /// - Parameters:
    ///   - time: for everything.
    ///   - limit: the most bytes of the answer's body.
    /// - Throws: also if the task is cancelled.
    package func send(
        _ request: OutsideRequest, within time: Duration, limit: Int
    ) async throws(OutsideProblem) -> OutsideResponse {
        let end = Moment.now() + time
        try await CallSlots.shared.take(within: time)
        let isCancelled = Flag()
        let plan = CurlTransfer.Plan(
            request: request, authorities: authorities, identity: identity, reach: reach, limit: limit, end: end,
            isCancelled: isCancelled)
        let outcome = Outcome()
        Blocking.start { [lookUp] in
            let result = Result { () throws(OutsideProblem) in try CurlTransfer.carryOut(plan, lookUp) }
            // Only now: the thread is free again.
            CallSlots.shared.giveBack()
            outcome.set(result)
        }
        return try await outcome.first(by: end, isCancelled).get()
    }
}

/// What came of a call, for one who waits for it no longer than was agreed: the system's resolver can't be interrupted.
private final class Outcome: Sendable {
    typealias Value = Result<OutsideResponse, OutsideProblem>

    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case known(Value)
    }

    private let state = Mutex(State.open)

    /// What is set first counts.
    func set(_ value: Value) {
        let caller: CheckedContinuation<Value, Never>? = state.withLock { state in
            if case .known = state { return nil }
            defer { state = .known(value) }
            if case .awaited(let caller) = state { return caller }
            return nil
        }
        caller?.resume(returning: value)
    }

    func first(by end: Moment, _ isCancelled: Flag) async -> Value {
        await withTaskCancellationHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    try? await Task.sleep(for: end - .now())
                    self.set(.failure(Task.isCancelled ? .cancelled : .timedOut))
                }
                let value = await self.wait()
                group.cancelAll()
                return value
            }
        } onCancel: {
            isCancelled.set()
            set(.failure(.cancelled))
        }
    }

    private func wait() async -> Value {
        await withCheckedContinuation { caller in
            let known: Value? = state.withLock { state in
                if case .known(let value) = state { return value }
                state = .awaited(caller)
                return nil
            }
            if let known { caller.resume(returning: known) }
        }
    }
}

/// Whether a call's task was cancelled.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
}
