import FoundationEssentials

/// A request to the metadata proxy, by what it is for.
package enum FlowStep: String, Codable, Hashable, Sendable, CaseIterable {
    case registration
    case result
    case tan
    case upload
}

/// When an app sends dummy requests, and how all its requests follow each other (cwa-app-ios `PlausibleDeniability`,
/// cwa-app-android `playbook/`).
///
/// Whatever a user does takes three requests: two to the verification server and an upload. Those that aren't needed are dummies. So
/// somebody who watches the line sees the same flow whether a phone asks for a result, uploads, or does nothing.
package struct DummyTraffic: Codable, Hashable, Sendable {
    /// Dummy flows that come by themselves.
    package struct Background: Codable, Hashable, Sendable {
        /// Hours between two flows.
        package let hours: ClosedRange<Double>
        /// For how many days after a test was scanned; nil for always, also on phones without a test.
        package let days: Int?

        /// Creates a rhythm.
        package init(hours: ClosedRange<Double>, days: Int?) {
            self.hours = hours
            self.days = days
        }
    }

    /// How probably a dummy flow follows the start of the app, 0...1.
    package let startProbability: Double
    /// Flows by themselves; of several rhythms, the one that comes first counts.
    package let background: [Background]
    /// How often a dummy flow comes each time, and the seconds in between.
    package let repetitions: ClosedRange<Int>
    private let pause: ClosedRange<Double>
    /// Seconds from one request of a flow to the next, if the former is answered by then. It applies to real flows, too: without it, the
    /// distance is the time that the answer took, which may depend on what was asked.
    package let spacing: ClosedRange<Double>
    /// What an upload and a dummy flow begin with.
    package let opening: FlowStep
    /// The share of dummy flows that look like a registration instead, 0...1. A registration is told by its path and its idempotency
    /// key, which make it longer.
    package let registrationShare: Double

    /// Creates a configuration; the named ones below are those that are used.
    package init(
        startProbability: Double, background: [Background], repetitions: ClosedRange<Int> = 1...1,
        pause: ClosedRange<Double> = 5...10, spacing: ClosedRange<Double>, opening: FlowStep,
        registrationShare: Double = 0
    ) {
        self.startProbability = startProbability
        self.background = background
        self.repetitions = repetitions
        self.pause = pause
        self.spacing = spacing
        self.opening = opening
        self.registrationShare = registrationShare
    }

    /// cwa-app-android until August 2020 (before 413890b3).
    package static let androidUntilAugust2020 = DummyTraffic(
        startProbability: 0.01, background: [Background(hours: 4...12, days: 16)], repetitions: 1...3,
        spacing: 0...0, opening: .tan)
    /// cwa-app-ios until August 2020 (before bb8b3e11).
    package static let iosUntilAugust2020 = DummyTraffic(
        startProbability: 0, background: [Background(hours: 4...12, days: 16)], repetitions: 1...4,
        spacing: 0...0, opening: .tan)
    /// Both apps afterwards: no dummy flows, but dummies within real ones.
    package static let sinceAugust2020 = DummyTraffic(
        startProbability: 0, background: [], spacing: 0...0, opening: .tan)
    /// What this project proposes: every phone sends a flow or two a day, and those with a test as many as the apps of 2020 did. A dummy
    /// flow comes once, is spaced as real ones are, and begins with what most real ones begin with.
    package static let vigil = DummyTraffic(
        startProbability: 0,
        background: [Background(hours: 12...36, days: nil), Background(hours: 4...12, days: 16)],
        spacing: 2...5, opening: .result, registrationShare: 0.1)

    // MARK: Chance

    /// When the next dummy flow comes by itself; nil for never.
    /// - Parameter lastTest: when a test was scanned last.
    func next(
        after now: Date, lastTest: Date?, using random: inout some RandomNumberGenerator
    ) -> Date? {
        background.compactMap { rhythm -> Date? in
            let next = now + 3600 * .random(in: rhythm.hours, using: &random)
            guard let days = rhythm.days else { return next }
            return lastTest.map { next <= $0 + Double(days) * 86_400 } == true ? next : nil
        }.min()
    }

    /// Seconds until the next request of a flow.
    func gap(using random: inout some RandomNumberGenerator) -> TimeInterval { .random(in: spacing, using: &random) }

    /// Seconds until a dummy flow is repeated.
    func rest(using random: inout some RandomNumberGenerator) -> TimeInterval { .random(in: pause, using: &random) }

    /// What a dummy flow begins with.
    func firstStep(using random: inout some RandomNumberGenerator) -> FlowStep {
        Double.random(in: 0..<1, using: &random) < registrationShare ? .registration : opening
    }
}
