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
            if idleEnd <= now { connection.abort() }
            return
        }
        for exchange in exchanges.values where exchange.deadline <= now { exchange.expire() }
        for (stream, state) in leaving where state.deadline <= now {
            session.reset(stream, session.isReceiving(stream) ? .noError : .cancel)
            leaving[stream] = nil
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
