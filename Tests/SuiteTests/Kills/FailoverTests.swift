import Foundation
import Synchronization
import TestSupport
import Testing

/// Lets PostgreSQL fail over while laboratories, phones and submission servers repeat every call until it is answered, and folds are
/// killed.
///
/// What was acknowledged before, during and after is there; nothing was issued, accepted or folded twice.
@Suite(.serialized, .timeLimit(.minutes(180)))
struct FailoverTests {
    @Test func `no failover loses what was acknowledged, or issues, accepts or folds anything twice`() async throws {
        let cluster = try #require(FailoverCluster.current)
        var randomness = SeededGenerator(seed: KillPlan.seed)
        let faults = Self.faults(using: &randomness)
        let moments = faults.map { _ in Duration.milliseconds(.random(in: 500...4000, using: &randomness)) }
        try await KillableSuite.run(
            KillableSuite.Member.forUploads, changes: UploadKillTests.changes, on: cluster
        ) { suite in
            let clock = Mutex(UploadKillTests.FoldClock())
            let outages = Mutex<[Outage]>([])
            let uploads = Mutex<UploadingPhones?>(nil)
            let callers = try await RetryingClients.run(4, on: suite) { callers in
                let phones = try await UploadingPhones.run(4, on: suite) { _ in
                    for (fault, moment) in zip(faults, moments) {
                        try await Task.sleep(for: moment)
                        // In the middle of it, or before.
                        let hour = clock.withLock { $0.next() }
                        async let fold = suite.fold(asOf: hour, killingAfter: moment)
                        let began = Date()
                        try await Self.inject(fault, into: cluster, and: suite)
                        _ = try await fold
                        let outage = Outage(fault: fault, during: began...Date(), among: callers.history.calls)
                        print("\(began.formatted(.iso8601)) \(outage)")
                        outages.withLock { $0.append(outage) }
                    }
                }
                uploads.withLock { $0 = phones }
            }
            let phones = try #require(uploads.withLock { $0 })
            try await phones.uploadAgain()
            for _ in 0..<2 {
                #expect(try await suite.fold(asOf: clock.withLock { $0.next() }))
            }
            let folded = try await UploadKillTests.folded(in: suite)
            let shared = try await UploadKillTests.sharedKeys(in: suite)
            let violations = phones.outcomes.flatMap { $0.violations(in: folded, shared: shared) }
            #expect(violations == [], "seed \(KillPlan.seed)")
            #expect(callers.violations == [], "seed \(KillPlan.seed)")
            // The faults interrupted calls, and the callers still made progress. A mild fault may only delay some.
            #expect(callers.unanswered > 0 || faults.allSatisfy(\.isMild))
            #expect(callers.journeys > faults.count && phones.outcomes.count > faults.count)
            print(Outage.table(of: outages.withLock { $0 }))
            let broken = violations.count + phones.refusals.count + callers.violations.count
            print(
                "\(faults.count) faults, seed \(KillPlan.seed): \(callers.history.calls.count) calls, \(callers.unanswered) without an "
                    + "answer; \(phones.outcomes.count) uploads; \(broken) promises broken."
            )
        }
    }

    /// Returns when everything is there again.
    private static func inject(
        _ fault: FailoverCluster.Fault, into cluster: FailoverCluster, and suite: KillableSuite
    ) async throws {
        guard fault == .services || fault == .clock else { return try await cluster.inject(fault) }
        try await suite.lose(.second)
        if fault == .clock {
            try await suite.start(.second, ahead: wrong)
            try await Task.sleep(for: .seconds(10))
            try await suite.lose(.second)
        } else {
            try await Task.sleep(for: .seconds(5))
        }
        try await suite.start(.second)
    }

    /// How wrong a clock is, in seconds: more than the five minutes that services tolerate.
    private static let wrong = 1200

    /// Each kind equally often, in a random order.
    private static func faults(using randomness: inout SeededGenerator) -> [FailoverCluster.Fault] {
        let only = ProcessInfo.processInfo.environment["VIGIL_FAULT"].flatMap(FailoverCluster.Fault.init(rawValue:))
        let isDirect = FailoverCluster.current?.isDirect == true
        // Who knows the servers only can't tell an orphan from the primary.
        let kinds = only.map { [$0] } ?? FailoverCluster.Fault.allCases.filter { $0 != .orphan || !isDirect }
        let count = KillPlan.number("VIGIL_FAULTS") ?? kinds.count
        return (0..<count).map { kinds[$0 % kinds.count] }.shuffled(using: &randomness)
    }
}

/// For how long nothing was acknowledged in a fault.
private struct Outage: CustomStringConvertible {
    let fault: FailoverCluster.Fault
    let seconds: TimeInterval
    /// Calls that were answered with "not now", or not at all.
    let unanswered: Int

    init(fault: FailoverCluster.Fault, during span: ClosedRange<Date>, among calls: [History.Call]) {
        self.fault = fault
        let answered = calls.filter { $0.isAcknowledged }.map(\.returned.instant).sorted()
        let gaps = zip(answered, answered.dropFirst()).filter { $1 >= span.lowerBound && $0 <= span.upperBound }
        seconds = gaps.map { $1.timeIntervalSince($0) }.max() ?? 0
        unanswered = calls.count { $0.outcome == .unknown && span.contains($0.returned.instant) }
    }

    var description: String {
        "\(fault.rawValue): nothing was acknowledged for \(Self.words(seconds)) s; \(unanswered) calls without an answer."
    }

    static func table(of outages: [Outage]) -> String {
        let kinds = Dictionary(grouping: outages, by: \.fault).sorted { $0.key.rawValue < $1.key.rawValue }
        let rows = kinds.map { fault, outages in
            let seconds = outages.map(\.seconds).sorted()
            let (median, most) = (seconds[seconds.count / 2], seconds[seconds.count - 1])
            let calls = outages.map(\.unanswered).sorted()[outages.count / 2]
            return "| \(fault.rawValue) | \(outages.count) | \(words(median)) s | \(words(most)) s | \(calls) |"
        }
        return (["| fault | times | median | longest | calls without an answer |", "|---|---|---|---|---|"] + rows)
            .joined(separator: "\n")
    }

    private static func words(_ seconds: TimeInterval) -> String { String(format: "%.1f", seconds) }
}

extension History.Call {
    fileprivate var isAcknowledged: Bool {
        if case .ok = outcome { true } else { false }
    }
}
