import FoundationEssentials
package import Running
import Serving
import Synchronization

/// Limits the requests of one address prefix that a service refuses in five minutes.
///
/// Clients that guess codes are refused, and hardly anybody else.
///
/// The status of a reply is enough to count them. Requests in progress are limited as well, so that sending many at once gains
/// little. Like ``PrefixLimit``, it forgets everything within five minutes.
package final class RefusalLimit: Sendable {
    private struct Window {
        let time: TimeWindow
        let number: Int
        var refused = PrefixSketch()
        var inProgress = PrefixSketch()

        init(at start: Date, number: Int) {
            time = TimeWindow(start: start, length: 300)
            self.number = number
        }
    }

    /// A request in progress.
    struct Attempt: ~Copyable {
        private let whole: RefusalLimit
        private let prefix: AddressPrefix
        private let window: Int
        private var isRefused = false

        fileprivate init(of whole: RefusalLimit, _ prefix: AddressPrefix, in window: Int) {
            self.whole = whole
            self.prefix = prefix
            self.window = window
        }

        /// It was refused.
        mutating func refused() { isRefused = true }

        deinit { whole.end(prefix, of: window, isRefused: isRefused) }
    }

    /// How long a service's report of strain holds.
    private static let strain: TimeInterval = 60

    private let limit: Int
    private let limitUnderStrain: Int
    /// The limit for refusals and requests in progress together.
    private let maxAtOnce: Int
    private let clock: WallClock
    private let window: Mutex<Window>
    private let strained = Mutex<TimeWindow?>(nil)

    /// - Parameter limit: the refusals allowed for one prefix in five minutes. Refusals and requests in progress together may
    ///   reach four times as many; while the service is under strain, a fifth.
    package init(_ limit: Int, clock: WallClock) {
        self.limit = limit
        limitUnderStrain = max(1, limit / 5)
        maxAtOnce = 4 * limit
        self.clock = clock
        window = Mutex(Window(at: clock.now, number: 0))
    }

    /// A new request; nil if its prefix has reached the limit.
    func attempt(from prefix: AddressPrefix) -> Attempt? {
        let now = clock.now
        let isStrained = strained.withLock { $0?.contains(now) == true }
        let number = window.withLock { window -> Int? in
            if !window.time.contains(now) { window = Window(at: now, number: window.number + 1) }
            let refused = window.refused.count(prefix)
            let all = refused + window.inProgress.count(prefix)
            guard isStrained ? all < limitUnderStrain : refused < limit && all < maxAtOnce else { return nil }
            _ = window.inProgress.add(prefix)
            return window.number
        }
        guard let number else { return nil }
        return Attempt(of: self, prefix, in: number)
    }

    /// Records whether the service reports strain.
    func note(isStrained: Bool) {
        let time = isStrained ? TimeWindow(start: clock.now, length: Self.strain) : nil
        strained.withLock { $0 = time }
    }

    private func end(_ prefix: AddressPrefix, of number: Int, isRefused: Bool) {
        window.withLock { window in
            guard window.number == number else { return }
            window.inProgress.remove(prefix)
            if isRefused { _ = window.refused.add(prefix) }
        }
    }
}
