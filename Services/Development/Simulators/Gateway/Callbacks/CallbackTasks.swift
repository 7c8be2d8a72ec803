import ExposureKeys
import FederationFormat
import FoundationEssentials

/// Who wants to be told of new batches, and of which they haven't been told (efgs-federation-gateway,
/// `CallbackTaskExecutorService`).
struct CallbackTasks: Sendable {
    /// A country's wish to be called.
    struct Subscription: Sendable {
        /// Different from that of every other one, past and present.
        let number: Int
        let country: CountryCode
        let id: String
        var url: String
        fileprivate var tasks: [Announcement] = []
        /// Only one call at a time.
        fileprivate var isBeingCalled = false
    }

    /// A batch that a country hasn't been told of.
    struct Announcement: Sendable {
        let tag: BatchTag
        let day: Day
        fileprivate var failures = 0
        fileprivate var lastTry: Date?
    }

    private(set) var subscriptions: [Subscription] = []
    private var nextNumber = 0

    private static let mostSubscriptions = 100
    /// A country that doesn't answer loses its subscription long before.
    private static let mostTasks = 10_000
    /// Seconds between two attempts.
    private static let pause: TimeInterval = 300
    /// The sixth failure is the last.
    private static let retries = 5

    // MARK: Administration

    func subscriptions(of country: CountryCode) -> [Subscription] { subscriptions.filter { $0.country == country } }

    /// Adds a subscription, or gives it another URL.
    /// - Returns: false if there are too many.
    mutating func put(_ id: String, of country: CountryCode, url: String) -> Bool {
        if let place = subscriptions.firstIndex(where: { $0.country == country && $0.id == id }) {
            subscriptions[place].url = url
            return true
        }
        guard subscriptions.count < Self.mostSubscriptions else { return false }
        subscriptions.append(Subscription(number: nextNumber, country: country, id: id, url: url))
        nextNumber += 1
        return true
    }

    /// - Returns: false if there is no such subscription.
    mutating func delete(_ id: String, of country: CountryCode) -> Bool {
        guard let place = subscriptions.firstIndex(where: { $0.country == country && $0.id == id }) else {
            return false
        }
        subscriptions.remove(at: place)
        return true
    }

    // MARK: Tasks

    mutating func announce(_ tag: BatchTag, of day: Day) {
        for place in subscriptions.indices where subscriptions[place].tasks.count < Self.mostTasks {
            subscriptions[place].tasks.append(Announcement(tag: tag, day: day))
        }
    }

    /// Takes a subscription's first task, if it is due.
    mutating func begin(_ number: Int, at now: Date) -> (url: String, task: Announcement)? {
        guard let place = place(of: number), !subscriptions[place].isBeingCalled,
            let first = subscriptions[place].tasks.first,
            first.lastTry.map({ $0 < now - Self.pause }) ?? true
        else { return nil }
        subscriptions[place].isBeingCalled = true
        return (subscriptions[place].url, first)
    }

    /// The first task succeeded, or will be tried again after a pause. After the last attempt the subscription is gone.
    mutating func end(_ number: Int, succeeded: Bool, at now: Date) {
        guard let place = place(of: number) else { return }
        subscriptions[place].isBeingCalled = false
        if succeeded {
            subscriptions[place].tasks.removeFirst()
        } else if subscriptions[place].tasks[0].failures >= Self.retries {
            subscriptions.remove(at: place)
        } else {
            subscriptions[place].tasks[0].failures += 1
            subscriptions[place].tasks[0].lastTry = now
        }
    }

    mutating func remove(_ number: Int) { subscriptions.removeAll { $0.number == number } }

    private func place(of number: Int) -> Int? { subscriptions.firstIndex { $0.number == number } }
}
