import Calling
import FoundationEssentials
import HTTPTypes
import Loop
import Running

/// Assigns the pushes of windows to connections. It lives on one core.
final class APNsDispatch {
    private let core: Core
    private let plan: APNsPlan
    private let clock: WallClock
    private let metrics: APNsMetrics
    /// Of the operation in ``refusals``, without the token.
    private static let path = "/3/device"
    /// Why pushes aren't accepted; what a reply says of one phone's token is only counted.
    private let refusals: RefusalLog
    private var random: any RandomNumberGenerator
    private var rate: SendRate
    private var connections: [[APNsConnection]]
    private var gates: [Gate]
    private var current: Run?
    private var following: [Run] = []
    /// The newest window that has arrived.
    private var newest: UInt64 = 0
    /// Windows that were cancelled before they arrived.
    private var cancelled: Set<UInt64> = []
    private var wake: (moment: Moment, work: ScheduledWork)?
    private var isClosing = false
    private var whenClosed: [() -> Void] = []

    /// A window and its caller.
    private struct Run {
        let id: UInt64
        let pushes: [SilentPush]
        let expiration: Date
        let finish: ([PushOutcome]) -> Void
        var window: PushWindow
        /// The requests by environment; recreated with the provider token.
        var requests: [APNsEnvironment: PushRequest] = [:]
        var token: ProviderToken?
    }

    /// When a lane's next connection may be opened.
    private struct Gate {
        /// Consecutive connections that failed.
        var failures = 0
        var notBefore: Moment?
        /// Until then the host counts as unreachable, and no push waits for it.
        var outOfReachUntil: Moment?
        /// Consecutive connections whose end was the answer to a push (``RetryCause/endsConnection``).
        var dismissals = 0
    }

    init(
        on core: Core, plan: APNsPlan, clock: WallClock, metrics: APNsMetrics, refusals: RefusalLog,
        random: any RandomNumberGenerator
    ) {
        self.core = core
        self.plan = plan
        self.clock = clock
        self.metrics = metrics
        self.refusals = refusals
        self.random = random
        rate = SendRate(perSecond: plan.rate, now: .now())
        connections = PushLane.allCases.map { _ in [] }
        gates = PushLane.allCases.map { _ in Gate() }
        metrics.rate(rate.perSecond)
    }

    // MARK: Windows

    /// Queues a window behind earlier ones.
    func begin(
        _ id: UInt64, _ pushes: [SilentPush], expiration: Date, finish: @escaping ([PushOutcome]) -> Void
    ) {
        let left = max(0, min(86_400 * 30, expiration.timeIntervalSince(clock.now)))
        var window = PushWindow(
            pushes, backoff: plan.timing.backoff, expiry: core.now + .seconds(left))
        newest = max(newest, id)
        if cancelled.remove(id) != nil { window.giveUp() }
        following.append(Run(id: id, pushes: pushes, expiration: expiration, finish: finish, window: window))
        proceed()
    }

    /// The caller of a window was cancelled.
    func cancel(_ id: UInt64) {
        if id > newest { cancelled.insert(id) }
        if current?.id == id { current?.window.giveUp() }
        for number in following.indices where following[number].id == id { following[number].window.giveUp() }
        proceed()
    }

    /// Gives up all windows, and closes every connection.
    func close(_ done: @escaping () -> Void) {
        isClosing = true
        whenClosed.append(done)
        current?.window.giveUp()
        for number in following.indices { following[number].window.giveUp() }
        for connection in connections.flatMap({ $0 }) { connection.close() }
        proceed()
        reportClosed()
    }

    private func reportClosed() {
        guard isClosing, connections.allSatisfy(\.isEmpty) else { return }
        wake?.work.cancel()
        wake = nil
        let waiting = whenClosed
        whenClosed = []
        for done in waiting { done() }
    }

    // MARK: Reports of connections

    func opened(_ connection: APNsConnection) {
        updateGauges(connection.lane)
    }

    func answered(_ push: Int, _ reply: APNsReply, on connection: APNsConnection) {
        if let reason = reply.reason { metrics.rejected(reason) }
        let verdict = APNsVerdict(reply)
        if verdict.isTrouble {
            refusals.refused(
                HTTPResponse.Status(code: reply.status), at: Self.path, reason: (reply.reason ?? .unknown).rawValue,
                now: core.now)
        }
        switch verdict {
        case .outcome(let outcome):
            resetGate(connection.lane)
            if outcome == .accepted { rate.accepted() }
            if let number = number(of: push) { current?.window.settle(number, outcome) }
        case .again(let cause) where cause.endsConnection:
            // What else was sent over a connection that is ending says nothing about the next one.
            if connection.isUsable { dismissed(by: cause, connection) }
            retry(push, cause, retryAfter: reply.retryAfter, on: connection)
            if gates[connection.lane.index].dismissals > cause.limit { stop(push, cause, connection.lane) }
        case .again(let cause):
            resetGate(connection.lane)
            retry(push, cause, retryAfter: reply.retryAfter, on: connection)
        }
    }

    /// APNs wants another connection, or another provider token. Apple takes many connections in a short time for an attack, and a new one
    /// carries a single push at first, so every further one waits longer.
    private func dismissed(by cause: RetryCause, _ connection: APNsConnection) {
        var gate = gates[connection.lane.index]
        gate.failures = 0
        gate.dismissals += 1
        if gate.dismissals > 1 {
            gate.notBefore = core.now + plan.timing.backoff.pause(before: gate.dismissals - 1, using: &random)
        }
        gates[connection.lane.index] = gate
        guard let token = connection.providerToken else { return }
        switch cause {
        case .expiredProviderToken:
            // APNs refuses everything on a connection on which a token was too old.
            for other in connections.flatMap({ $0 }) where other.providerToken == token { other.drain() }
            try? plan.credentials.tokens?.expired(token)
        case .tokenUpdates: plan.credentials.tokens?.renewedTooOften(token)
        case .serverError, .overloaded, .hostShutdown, .unrelatedKey, .refusedStream, .lost, .noReply: break
        }
    }

    /// As many connections as a push has attempts ended with the same answer: the next one would, too.
    private func stop(_ push: Int, _ cause: RetryCause, _ lane: PushLane) {
        if case .refused = cause.end {
            if let number = number(of: push) { current?.window.settle(number, cause.end) }
            gates[lane.index].dismissals = 0
        } else {
            leave(lane)
        }
    }

    func failed(_ push: Int, _ cause: RetryCause, on connection: APNsConnection) {
        // APNs refuses streams beside each rejected push.
        if cause != .refusedStream { refusals.unanswered(cause.rawValue, at: Self.path, now: core.now) }
        retry(push, cause, retryAfter: nil, on: connection)
    }

    private func retry(_ push: Int, _ cause: RetryCause, retryAfter: Int?, on connection: APNsConnection) {
        metrics.retried(cause)
        if cause.endsConnection { connection.drain() }
        switch cause {
        case .overloaded:
            rate.overloaded(at: core.now)
            metrics.rate(rate.perSecond)
        case .serverError, .hostShutdown, .expiredProviderToken, .tokenUpdates, .unrelatedKey, .refusedStream, .lost,
            .noReply:
            break
        }
        guard let number = number(of: push) else { return }
        current?.window.again(number, cause, retryAfter: retryAfter, at: core.now, using: &random)
    }

    /// The push of the current window that a stream carried; nil if it belonged to a window that was given up.
    private func number(of name: Int) -> Int? {
        guard let current, name >> Self.numberBits == Int(truncatingIfNeeded: current.id) else { return nil }
        return name & (1 << Self.numberBits - 1)
    }

    /// The name of a push for streams: its number and its window's id.
    private func name(of number: Int, in window: UInt64) -> Int {
        Int(truncatingIfNeeded: window) << Self.numberBits | number
    }

    private static let numberBits = 16

    /// APNs accepts no more requests on a connection, and may say why.
    func goingAway(_ reason: APNsReason?, on connection: APNsConnection) {
        guard let reason else { return }
        metrics.rejected(reason)
        switch reason {
        case .badCertificate, .badCertificateEnvironment, .forbidden, .invalidProviderToken, .missingProviderToken:
            // The next connection would get the same refusal. One refused push is enough to stop all pushes to this host.
            let lanes = PushLane.allCases.filter { $0.environment == connection.lane.environment }
            guard let lane = lanes.first(where: { (current?.window.waiting(in: $0) ?? 0) > 0 }),
                let next = current?.window.next(in: lane)
            else { return }
            current?.window.settle(next.number, .refused(reason))
        default: break
        }
    }

    func closed(_ connection: APNsConnection) {
        let lane = connection.lane
        connections[lane.index].removeAll { $0 === connection }
        updateGauges(lane)
        if !connection.isProven { connectionFailed(lane) }
        // Later: this may be called while a connection is in use.
        core.afterTurn { [self] in
            proceed()
            reportClosed()
        }
    }

    /// The next connection of a lane may be opened at once.
    private func resetGate(_ lane: PushLane) {
        gates[lane.index].failures = 0
        gates[lane.index].notBefore = nil
        gates[lane.index].outOfReachUntil = nil
        gates[lane.index].dismissals = 0
    }

    /// A connection of a lane failed.
    private func connectionFailed(_ lane: PushLane) {
        metrics.connectingFailed()
        var gate = gates[lane.index]
        gate.failures += 1
        gate.notBefore = core.now + plan.timing.backoff.pause(before: gate.failures, using: &random)
        gates[lane.index] = gate
        guard gate.failures >= plan.timing.connectAttempts, !connections[lane.index].contains(where: \.isUsable)
        else { return }
        leave(lane)
    }

    /// The host counts as unreachable for some time.
    private func leave(_ lane: PushLane) {
        resetGate(lane)
        gates[lane.index].outOfReachUntil = core.now + plan.timing.outOfReach
        current?.window.giveUp(lane)
    }

    // MARK: The next step

    /// Does what is possible now: sends pushes, opens connections, finishes windows.
    func proceed() {
        let now = core.now
        while true {
            if current == nil {
                guard !following.isEmpty else { return }
                current = following.removeFirst()
            }
            current?.window.release(at: now)
            if let result = current?.window.result {
                finish(result)
                continue
            }
            guard !isClosing else {
                current?.window.giveUp()
                continue
            }
            guard fill(at: now) else { continue }
            return setWake(now)
        }
    }

    private func finish(_ result: [PushOutcome]) {
        metrics.count(result)
        metrics.rate(rate.perSecond)
        for lane in PushLane.allCases { updateGauges(lane) }
        let finish = current?.finish
        current = nil
        finish?(result)
    }

    /// - Returns: false if the window has ended.
    private func fill(at now: Moment) -> Bool {
        guard prepareRequests() else { return false }
        var touched: [APNsConnection] = []
        for lane in PushLane.allCases where (current?.window.waiting(in: lane) ?? 0) > 0 {
            for connection in connections[lane.index] {
                if send(in: lane, over: connection, at: now) { touched.append(connection) }
            }
            if (current?.window.waiting(in: lane) ?? 0) > 0 { open(lane, at: now) }
        }
        for connection in touched { connection.flush() }
        return current?.window.result == nil
    }

    /// - Returns: whether anything was sent.
    private func send(in lane: PushLane, over connection: APNsConnection, at now: Moment) -> Bool {
        guard let id = current?.id, let request = current?.requests[lane.environment] else { return false }
        let token = current?.token
        var room = min(connection.room, rate.available(at: now))
        var sent = 0
        while room > 0, let next = current?.window.next(in: lane) {
            guard connection.send(name(of: next.number, in: id), next.push, request, with: token, at: now) else {
                current?.window.putBack(next.number)
                break
            }
            sent += 1
            room -= 1
            // APNs can start while the rest is written.
            if sent.isMultiple(of: 128) { connection.flush() }
        }
        rate.take(sent)
        return sent > 0
    }

    /// Renews the header if the provider token has changed.
    ///
    /// - Returns: false if there is no token; then the window has ended.
    private func prepareRequests() -> Bool {
        guard var run = current else { return false }
        do {
            let token = try plan.credentials.tokens?.current()
            guard run.requests.isEmpty || run.token != token else { return true }
            run.token = token
            for environment in APNsEnvironment.allCases {
                run.requests[environment] = try PushRequest(
                    authority: plan.host(of: environment).authority, topic: plan.topic, collapseID: plan.collapseID,
                    authorization: token, expiration: Int(run.expiration.timeIntervalSince1970))
            }
        } catch {
            // Signing can't fail with a valid key, and the plan has checked the hosts; if it does, nothing can be sent.
            for lane in PushLane.allCases {
                while let next = current?.window.next(in: lane) {
                    current?.window.settle(next.number, .refused(.missingProviderToken))
                }
            }
            current?.window.giveUp()
            return false
        }
        current = run
        return true
    }

    private func setWake(_ now: Moment) {
        guard let window = current?.window else { return }
        // After the expiry nothing is sent; replies arrive by themselves.
        var moments = [window.nextMoment, window.expiry > now ? window.expiry : nil].compactMap(\.self)
        for lane in PushLane.allCases where window.waiting(in: lane) > 0 {
            if let notBefore = gates[lane.index].notBefore, notBefore > now { moments.append(notBefore) }
            if rate.available(at: now) == 0, connections[lane.index].contains(where: { $0.room > 0 }) {
                moments.append(rate.nextMoment(after: now))
            }
        }
        guard let moment = moments.min() else { return }
        if let wake, wake.moment <= moment, wake.moment > now { return }
        wake?.work.cancel()
        let work = core.at(moment) { [self] in
            wake = nil
            proceed()
        }
        wake = (moment, work)
    }

    // MARK: Connections

    /// Opens another connection if it is allowed and useful.
    private func open(_ lane: PushLane, at now: Moment) {
        let there = connections[lane.index].filter(\.isUsable)
        if there.isEmpty, let end = gates[lane.index].outOfReachUntil, end > now {
            current?.window.giveUp(lane)
            return
        }
        // Before its first accepted push a connection allows one stream: that is no reason for another connection.
        guard there.count < (lane.isQuarantine ? 1 : plan.connections),
            !there.contains(where: \.isOpening), there.allSatisfy({ $0.isProven && $0.room == 0 })
        else { return }
        if let notBefore = gates[lane.index].notBefore, notBefore > now { return }
        connect(lane)
    }

    private func connect(_ lane: PushLane) {
        metrics.connecting()
        do {
            connections[lane.index].append(
                try APNsConnection(
                    lane, to: plan.host(of: lane.environment), tls: plan.credentials.tls.current, of: self,
                    timing: plan.timing, on: core))
        } catch {
            connectionFailed(lane)
        }
    }

    private func updateGauges(_ lane: PushLane) {
        let there = connections[lane.index].filter { !$0.isOpening }
        metrics.connections(there.count, limit: there.reduce(0) { $0 + $1.streamLimit }, in: lane)
    }
}
