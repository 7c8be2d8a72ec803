import HTTP2
import Loop

/// When a connection or its streams are late, and how they end.
extension HTTP2Wire {
    var nextDeadline: Moment? {
        if isClosing { return idleEnd }
        let isIdle = streams == 0 && encoded.isEmpty
        return min(earliest, isIdle ? idleEnd : isDraining ? .distantFuture : owner.end, noticeEnd)
    }

    func expire(_ now: Moment) {
        if isClosing {
            if idleEnd <= now { abort() }
            return
        }
        for exchange in exchanges.values where exchange.deadline <= now { exchange.expire() }
        for (stream, state) in leaving where state.deadline <= now {
            // Not even the reset has left: the client takes nothing, and would hold the connection forever (CVE-2024-22201).
            if state.isReset { return abort() }
            reset(stream, session.isReceiving(stream) ? .noError : .cancel)
        }
        earliest = exchanges.values.map(\.deadline).min() ?? .distantFuture
        earliest = min(earliest, leaving.values.map(\.deadline).min() ?? .distantFuture)
        if noticeEnd <= now {
            noticeEnd = .distantFuture
            session.goAway(.noError)
        }
        if streams == 0, encoded.isEmpty {
            if idleEnd <= now { isDraining ? close() : drain() }
        } else if owner.end <= now {
            drain()
        }
        pumpSoon()
    }

    /// Closes at once; from now on nothing is late.
    private func abort() {
        isClosing = true
        idleEnd = .distantFuture
        connection.abort()
    }

    /// Ends a stream, and the connection if its client doesn't take the reset.
    func reset(_ stream: Int32, _ code: HTTP2Code) {
        let deadline = owner.core.now + owner.limits.idle
        leaving[stream] = Leaving(deadline: deadline, isReset: true)
        earliest = min(earliest, deadline)
        session.reset(stream, code)
    }

    /// Tells the client to open no more streams. Those that exist, or are on their way, are answered.
    func drain() {
        guard !isDraining else { return }
        isDraining = true
        session.shutdownNotice()
        session.ping()
        noticeEnd = owner.core.now + Self.noticing
        wait()
        pumpSoon()
    }

    func closed() {
        isClosing = true
        for exchange in exchanges.values { exchange.lost() }
        exchanges = [:]
    }
}
