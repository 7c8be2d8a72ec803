import FoundationEssentials
package import Running
import Serving
import Synchronization

/// Limits the requests of one address prefix in five minutes.
///
/// It must not retain callers. Each window has its own ``PrefixSketch``, whose key and counts are destroyed at its end, so
/// everything is forgotten within five minutes.
package final class PrefixLimit: Sendable {
    private struct Window {
        let time: TimeWindow
        var sketch = PrefixSketch()

        init(at start: Date) { time = TimeWindow(start: start, length: 300) }
    }

    private let limit: Int
    private let clock: WallClock
    private let window: Mutex<Window>

    /// - Parameter limit: requests of one prefix in five minutes.
    package init(_ limit: Int, clock: WallClock) {
        self.limit = limit
        self.clock = clock
        window = Mutex(Window(at: clock.now))
    }

    /// Counts a request.
    /// - Returns: whether it is within the limit.
    func admits(_ prefix: AddressPrefix) -> Bool {
        let now = clock.now
        return window.withLock { window in
            if !window.time.contains(now) { window = Window(at: now) }
            return window.sketch.add(prefix) <= limit
        }
    }
}
