import FoundationEssentials
package import ServiceKit
import Synchronization

/// How many requests of one address prefix a service may refuse in five minutes: those that guess are refused, and nearly
/// nobody else.
///
/// The status of an answer is enough to know it. Requests under way have a limit, too, so that asking for many at one time
/// gains little. As ``PrefixLimit`` it forgets everything within five minutes.
package final class RefusalLimit: Sendable {
    private struct Window {
        var end: Date
        var number = 0
        var refused = PrefixSketch()
        var underWay = PrefixSketch()
    }

    /// A request that is under way.
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

    private static let length: TimeInterval = 300
    /// How long the service's word holds that it is under strain.
    private static let strain: TimeInterval = 60

    private let limit: Int
    private let limitUnderStrain: Int
    /// Of refusals and requests under way.
    private let mostAtOnce: Int
    private let clock: WallClock
    private let window: Mutex<Window>
    private let strainEnd = Mutex(Date.distantPast)

    /// - Parameter limit: refusals of a prefix in five minutes, four times as many with those that are under way at one time; a
    ///   fifth of it, with those under way, while the service is under strain.
    package init(_ limit: Int, clock: WallClock) {
        self.limit = limit
        limitUnderStrain = max(1, limit / 5)
        mostAtOnce = 4 * limit
        self.clock = clock
        window = Mutex(Window(end: clock.now.addingTimeInterval(Self.length)))
    }

    /// A request that begins; nil if its prefix may have no more.
    func attempt(from prefix: AddressPrefix) -> Attempt? {
        let now = clock.now
        let isStrained = strainEnd.withLock { now < $0 }
        let number = window.withLock { window -> Int? in
            if now >= window.end {
                window = Window(end: now.addingTimeInterval(Self.length), number: window.number + 1)
            }
            let refused = window.refused.count(prefix)
            let all = refused + window.underWay.count(prefix)
            guard isStrained ? all < limitUnderStrain : refused < limit && all < mostAtOnce else { return nil }
            _ = window.underWay.add(prefix)
            return window.number
        }
        guard let number else { return nil }
        return Attempt(of: self, prefix, in: number)
    }

    /// What the service says of itself.
    func note(isStrained: Bool) {
        let end = isStrained ? clock.now.addingTimeInterval(Self.strain) : .distantPast
        strainEnd.withLock { $0 = end }
    }

    private func end(_ prefix: AddressPrefix, of number: Int, isRefused: Bool) {
        window.withLock { window in
            guard window.number == number else { return }
            window.underWay.remove(prefix)
            if isRefused { _ = window.refused.add(prefix) }
        }
    }
}
