import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Synchronization

/// Enforces the deadlines of one request.
///
/// Deadlines need no child task and no timer per request: a listener's ``Watchdog`` checks all requests several times a second.
/// If one is late, the watchdog writes the answer into the connection, closes it, and cancels the handler's task. An answer
/// that the task still produces is dropped.
final class RequestWatch: Sendable {
    private enum Phase {
        /// The body is being received.
        case receiving
        /// The handler is running.
        case handling
        /// The answer is being written.
        case answering
        /// The answer is written, and the rest of an unread body is discarded.
        case draining
        /// The watchdog has answered instead of the handler.
        case expired(HTTPResponse.Status)
    }

    private struct State {
        var phase: Phase
        var deadline: NIODeadline
        var worker: Worker?
        var isBodyBegun: Bool
        var isBodyRead: Bool

        mutating func enter(_ phase: Phase, for duration: Duration) {
            if case .expired = self.phase { return }
            self.phase = phase
            deadline = .now() + TimeAmount(duration)
        }
    }

    /// The task of a request.
    ///
    /// `@unchecked Sendable`: `UnsafeCurrentTask.cancel()` is one of the calls that Swift permits from any task while the task
    /// is alive. A worker is reachable only through `state`, under its lock, and ``working(_:)`` removes it before the scope
    /// ends in which the task is known to be alive.
    private struct Worker: @unchecked Sendable {
        let task: UnsafeCurrentTask
    }

    private let channel: any Channel
    private let limits: Limits
    private let state: Mutex<State>

    /// - Parameter expectsBody: whether the request's header announces a body.
    init(channel: any Channel, limits: Limits, expectsBody: Bool) {
        self.channel = channel
        self.limits = limits
        state = Mutex(
            State(
                phase: expectsBody ? .receiving : .handling,
                deadline: .now() + TimeAmount(expectsBody ? limits.body : limits.handler),
                isBodyBegun: !expectsBody, isBodyRead: !expectsBody))
    }

    /// Whether the body is being or has been read, which is possible only once.
    var isBodyBegun: Bool { state.withLock { $0.isBodyBegun } }

    /// Whether the request has been read completely from the connection.
    var isBodyRead: Bool { state.withLock { $0.isBodyRead } }

    /// The status with which the watchdog has answered, if it has.
    var expiry: HTTPResponse.Status? {
        state.withLock { if case .expired(let status) = $0.phase { status } else { nil } }
    }

    /// Runs a handler; the watchdog may cancel its task meanwhile.
    func working<Answer: Sendable>(_ handler: @Sendable () async throws -> Answer) async throws -> Answer {
        try await withUnsafeCurrentTask { task in
            if let task { state.withLock { $0.worker = Worker(task: task) } }
            defer { state.withLock { $0.worker = nil } }
            return try await handler()
        }
    }

    /// The body is about to be read.
    func bodyBegins() {
        state.withLock { $0.isBodyBegun = true }
    }

    /// The body is complete; the handler's time limit starts now.
    func bodyArrived() {
        state.withLock { state in
            state.isBodyRead = true
            state.enter(.handling, for: limits.handler)
        }
    }

    /// The answer is about to be written.
    /// - Returns: the status with which the watchdog has already answered instead, if it has.
    func answerBegins() -> HTTPResponse.Status? {
        state.withLock { state in
            if case .expired(let status) = state.phase { return status }
            state.phase = .answering
            state.deadline = .now() + TimeAmount(limits.answer)
            return nil
        }
    }

    /// The answer was sent before the body was read. The rest of the body gets a second, then the connection is closed.
    func drainBegins() {
        state.withLock { $0.enter(.draining, for: .seconds(1)) }
    }

    /// Ends the request if its deadline has passed.
    /// - Returns: whether the request needs no further checks.
    func check(_ now: NIODeadline) -> Bool {
        var isDone = false
        let end: EventLoopFuture<Void>? = state.withLock { state in
            guard now >= state.deadline else { return nil }
            let status: HTTPResponse.Status
            switch state.phase {
            case .receiving: status = .requestTimeout
            case .handling: status = .serviceUnavailable
            case .answering, .draining, .expired:
                state.deadline = .distantFuture
                isDone = true
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            state.phase = .expired(status)
            // A client that doesn't receive even this answer is disconnected.
            state.deadline = now + .seconds(5)
            // Within the lock, so that no code that sees the expiry can close the connection first.
            return answer(status)
        }
        // Only after the answer has been sent: a cancelled task closes its connection and loses unsent bytes.
        end?.whenComplete { _ in
            self.state.withLock { $0.worker?.task.cancel() }
            self.channel.close(promise: nil)
        }
        return isDone
    }

    private func answer(_ status: HTTPResponse.Status) -> EventLoopFuture<Void> {
        var fields: HTTPFields = [.contentLength: "0", .cacheControl: "no-store"]
        if !channel.isStream { fields[.connection] = "close" }
        channel.write(HTTPResponsePart.head(HTTPResponse(status: status, headerFields: fields)), promise: nil)
        return channel.writeAndFlush(HTTPResponsePart.end(nil))
    }
}

extension Channel {
    /// Whether this is an HTTP/2 stream: its parent is a connection, whose parent is the listening socket.
    var isStream: Bool { parent?.parent != nil }
}

/// Checks all requests of a listener and ends those that are late.
final class Watchdog: Sendable {
    private let watches = Mutex<[ObjectIdentifier: RequestWatch]>([:])
    private let limits: Limits

    init(limits: Limits) {
        self.limits = limits
    }

    /// Starts watching a request, in place of an earlier one on the same connection.
    func watch(_ channel: any Channel, expectsBody: Bool) -> RequestWatch {
        let watch = RequestWatch(channel: channel, limits: limits, expectsBody: expectsBody)
        watches.withLock { $0[ObjectIdentifier(channel)] = watch }
        return watch
    }

    /// Stops watching the request of a connection.
    func release(_ channel: any Channel) {
        watches.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    /// Checks all requests periodically until the task is cancelled.
    func run() async {
        let shortest = min(limits.body, limits.handler, limits.answer)
        let pause = max(.milliseconds(5), min(.milliseconds(250), shortest / 8))
        while !Task.isCancelled {
            try? await Task.sleep(for: pause)
            let now = NIODeadline.now()
            for (channel, watch) in watches.withLock({ $0 }) where watch.check(now) {
                watches.withLock { watches in
                    if watches[channel] === watch { watches[channel] = nil }
                }
            }
        }
    }
}
