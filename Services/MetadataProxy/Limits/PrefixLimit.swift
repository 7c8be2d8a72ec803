import FoundationEssentials
package import ServiceKit
import Synchronization

/// How many requests one address prefix may make in five minutes.
///
/// It must keep nothing that tells who called. Each window has a ``PrefixSketch`` of its own: at its end key and counts are
/// gone, so everything is forgotten within five minutes.
package final class PrefixLimit: Sendable {
    private struct Window {
        var end: Date
        var sketch = PrefixSketch()
    }

    private static let length: TimeInterval = 300

    private let limit: Int
    private let clock: WallClock
    private let window: Mutex<Window>

    /// - Parameter limit: requests of a prefix in five minutes.
    package init(_ limit: Int, clock: WallClock) {
        self.limit = limit
        self.clock = clock
        window = Mutex(Window(end: clock.now.addingTimeInterval(Self.length)))
    }

    /// Counts a request, and says whether it is within the limit.
    func admits(_ prefix: AddressPrefix) -> Bool {
        inWindow { $0.add(prefix) <= limit }
    }

    private func inWindow<Result: Sendable>(_ body: (inout PrefixSketch) -> Result) -> Result {
        let now = clock.now
        return window.withLock { window in
            if now >= window.end { window = Window(end: now.addingTimeInterval(Self.length)) }
            return body(&window.sketch)
        }
    }
}
