package import Logging
package import Metrics

/// The result of a fold; a service adds what it counts besides.
package protocol FoldReport: Sendable {
    /// Nothing was folded.
    init()
    /// The last folded hour.
    var lastHour: Int32 { get set }
    /// How many people's rows each folded hour had.
    var people: [Int] { get set }
    /// Rows that no key opens, because this suite didn't write them or they were damaged.
    var unreadable: Int { get set }
    /// For the log.
    var metadata: Logger.Metadata { get }
}

extension FoldReport {
    /// Hours with a single person. Anyone who knows that a person's row was among them knows that nobody else's was.
    package var singlePersonHours: Int { people.count { $0 == 1 } }
}

/// The metrics of a fold. They change once an hour, so they don't reveal when a row came.
package struct FoldMetrics<Report: FoldReport>: Sendable {
    private let emptyHours: Counter
    private let singlePersonHours: Counter
    private let otherHours: Counter
    private let unreadable: Counter
    private let totals: [Total]
    private let missingKeys: Counter

    /// Counts something of a report.
    package struct Total: Sendable {
        let counter: Counter
        let number: @Sendable (Report) -> Int

        /// A counter, and by how much a report increases it.
        package init(_ counter: Counter, number: @escaping @Sendable (Report) -> Int) {
            self.counter = counter
            self.number = number
        }
    }

    /// - Parameters:
    ///   - hours: makes the counter of hours with `none`, `one` or `several` people.
    ///   - unreadable: counts rows that no key opens.
    ///   - totals: what else is counted.
    package init(
        _ factory: any MetricsFactory, hours: (String) -> Counter, unreadable: Counter, totals: [Total]
    ) {
        emptyHours = hours("none")
        singlePersonHours = hours("one")
        otherHours = hours("several")
        self.unreadable = unreadable
        self.totals = totals
        missingKeys = Counter(label: "missing_hour_keys_total", factory: factory)
    }

    func count(_ report: Report) {
        for people in report.people {
            switch people {
            case 0: emptyHours.increment()
            case 1: singlePersonHours.increment()
            default: otherHours.increment()
            }
        }
        for total in totals { total.counter.increment(by: total.number(report)) }
        unreadable.increment(by: report.unreadable)
    }

    /// Counts a fold that stopped because a private key is missing.
    func count(_ problem: HourKeyProblem) {
        missingKeys.increment()
    }
}
