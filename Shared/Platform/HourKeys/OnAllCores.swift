import Dispatch
import Synchronization

extension Array where Element: Sendable {
    /// Transforms the elements on all cores, because to open a row takes an elliptic-curve multiplication.
    /// - Returns: the results, in no order.
    package func mappedOnAllCores<Result: Sendable>(_ transform: @Sendable (Element) -> Result) -> [Result] {
        let share = 64
        let results = Mutex<[Result]>([])
        DispatchQueue.concurrentPerform(iterations: (count + share - 1) / share) { number in
            let part = self[number * share..<Swift.min((number + 1) * share, count)].map(transform)
            results.withLock { $0 += part }
        }
        return results.withLock { $0 }
    }
}
