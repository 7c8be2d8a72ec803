package import NIOCore

/// A deadline that moves often and rarely expires.
///
/// A timer for each move would cost more than the work it supervises. There is one timer instead; if it fires too early because
/// the deadline has moved, it is set again.
package final class LazyDeadline {
    private let loop: any EventLoop
    private let expired: () -> Void
    private var deadline: NIODeadline?
    /// When the next timer fires.
    private var timer: NIODeadline?

    /// - Parameter expired: called on the event loop when a deadline has passed.
    package init(on loop: any EventLoop, expired: @escaping () -> Void) {
        self.loop = loop
        self.expired = expired
    }

    /// Sets or moves the deadline; nil removes it.
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
        // A timer that was replaced by an earlier one does nothing.
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
