package import NIOCore

/// A deadline that is moved often and passes seldom.
///
/// A timer for each move would cost more than what it watches over. Here there is one timer, and when it fires too early,
/// because the deadline was moved meanwhile, it is set again.
package final class LazyDeadline {
    private let loop: any EventLoop
    private let expired: () -> Void
    private var deadline: NIODeadline?
    /// When the next timer fires.
    private var timer: NIODeadline?

    /// - Parameter expired: is called when a deadline has passed, on the event loop.
    package init(on loop: any EventLoop, expired: @escaping () -> Void) {
        self.loop = loop
        self.expired = expired
    }

    /// Sets or moves the deadline; nil takes it away.
    package func set(_ deadline: NIODeadline?) {
        self.deadline = deadline
        guard let deadline else { return }
        if let timer, timer <= deadline { return }
        setTimer(deadline)
    }

    private func setTimer(_ moment: NIODeadline) {
        timer = moment
        _ = loop.assumeIsolated().scheduleTask(deadline: moment) { [weak self] in self?.check(moment) }
    }

    private func check(_ moment: NIODeadline) {
        // A timer that an earlier one has overtaken has nothing to say.
        guard timer == moment else { return }
        timer = nil
        guard let deadline else { return }
        if deadline > loop.now {
            setTimer(deadline)
        } else {
            self.deadline = nil
            expired()
        }
    }
}
