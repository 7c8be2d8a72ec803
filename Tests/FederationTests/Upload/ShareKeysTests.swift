import ExposureKeys
import FederationFormat
import Foundation
import TestSupport
import Testing

@testable import Federation

/// What a slot takes.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct ShareKeysTests {
    private static let last = Hour(number: 498_755)  // 11:00 to 12:00
    private static let now = FederationStage.now

    private func share(_ stage: FederationStage, smallest: Int = 140, largest: Int = 4000) throws -> ShareKeys {
        ShareKeys(
            store: try stage.outgoing,
            plan: UploadPlan(
                origin: try .home, countries: [try .france], policy: PublicationPolicy(), slotHours: 4,
                smallestBatch: smallest, largestBatch: largest))
    }

    private func streamed(_ keys: [DiagnosisKey], _ stream: KeyStream) -> [StreamedKey] {
        keys.map { StreamedKey($0, stream) }
    }

    @Test func `a slot takes the whole stream for other countries, and no key of the other`() async throws {
        try await FederationStage.run { stage in
            let (ours, others) = (try Sample.homeKeys(150, seed: 1), try Sample.homeKeys(200, seed: 2))
            try await stage.fold(Self.last, streamed(ours, .federated) + streamed(others, .home))
            try await stage.publish(Self.last.advanced(by: -3)...Self.last)
            #expect(try await share(stage).decide(Self.last, at: Self.now) == 150)
            let shared = try await stage.shared()
            #expect(shared.map(\.count) == [150])
            #expect(Set(shared.flatMap { $0 }.map(\.data)) == Set(ours.map(\.data)))
            for key in shared.flatMap({ $0 }) {
                #expect(key.visitedCountries == [try .france])
                #expect(key.riskLevel == .unset)
            }
            // A slot is decided once, and an earlier one never after it.
            #expect(try await share(stage).decide(Self.last, at: Self.now) == nil)
            #expect(try await share(stage).decide(Self.last.advanced(by: -4), at: Self.now) == nil)
            #expect(try await stage.shared().map(\.count) == [150])
        }
    }

    @Test func `too few keys wait for the next slot`() async throws {
        try await FederationStage.run { stage in
            try await stage.fold(Self.last, streamed(try Sample.homeKeys(139, seed: 1), .federated))
            try await stage.publish(Self.last...Self.last)
            #expect(try await share(stage).decide(Self.last, at: Self.now) == 0)
            #expect(try await stage.shared() == [])
            let next = Self.last.advanced(by: 4)
            try await stage.fold(next, streamed(try Sample.homeKeys(1, seed: 3), .federated))
            try await stage.publish(Self.last.advanced(by: 1)...next)
            #expect(try await share(stage).decide(next, at: Self.now.addingTimeInterval(4 * 3600)) == 140)
            #expect(try await stage.shared().map(\.count) == [140])
        }
    }

    @Test func `nothing leaves before it is published at home`() async throws {
        try await FederationStage.run { stage in
            try await stage.fold(Self.last, streamed(try Sample.homeKeys(200, seed: 1), .federated))
            try await stage.publish(Self.last.advanced(by: -4)...Self.last.advanced(by: -1))
            #expect(try await share(stage).decide(Self.last, at: Self.now) == nil)
            // The hour is decided at home, and took nothing: its keys wait there.
            try await stage.publish(Self.last...Self.last, taking: 0)
            #expect(try await share(stage).decide(Self.last, at: Self.now) == 0)
            #expect(try await stage.shared() == [])
            // They leave with the hour that takes them.
            let next = Self.last.advanced(by: 4)
            try await stage.publish(Self.last.advanced(by: 1)...next)
            #expect(try await share(stage).decide(next, at: Self.now.addingTimeInterval(4 * 3600)) == 200)
        }
    }

    @Test func `a key of the same day waits until its period and the embargo are over`() async throws {
        try await FederationStage.run { stage in
            let early = try Sample.homeKeys(150, seed: 1)
            let late = try Sample.homeKeys(150, seed: 2, daysAgo: 0)
            try await stage.fold(Self.last, streamed(early + late, .federated))
            try await stage.publish(Self.last...Self.last)
            #expect(try await share(stage).decide(Self.last, at: Self.now) == 150)
            // The period ends at midnight, and the embargo two hours later.
            let next = Hour(number: Self.last.number + 16)
            try await stage.publish(Self.last.advanced(by: 1)...next)
            #expect(try await share(stage).decide(next, at: Self.now.addingTimeInterval(16 * 3600)) == 150)
            let shared = try await stage.shared().map { Set($0.map(\.data)) }
            #expect(shared == [Set(early.map(\.data)), Set(late.map(\.data))])
        }
    }

    @Test func `keys that came back leave with the next slot's, once`() async throws {
        try await FederationStage.run { stage in
            let store = try stage.outgoing
            try await stage.fold(Self.last, streamed(try Sample.homeKeys(150, seed: 1), .federated))
            try await stage.publish(Self.last...Self.last)
            _ = try await share(stage).decide(Self.last, at: Self.now)
            let batch = try #require(try await store.next(after: 0, dueAt: Self.now))
            let few = try #require(batch.batch.subset([0, 1, 2]))
            try await store.settle(
                batch, Settlement(successors: [.init(batch: few, state: .carried, reason: nil)]), at: Self.now)
            #expect(try await store.next(after: 0, dueAt: Self.now) == nil)
            let next = Self.last.advanced(by: 4)
            let more = try Sample.homeKeys(140, seed: 4)
            try await stage.fold(next, streamed(more, .federated))
            try await stage.publish(Self.last.advanced(by: 1)...next)
            #expect(try await share(stage).decide(next, at: Self.now.addingTimeInterval(4 * 3600)) == 143)
            let shared = Set(try await stage.shared().flatMap { $0 }.map(\.data))
            #expect(shared == Set(more.map(\.data) + few.keys.map(\.data)))
            #expect(try await stage.shared(.carried) == [])
        }
    }

    @Test func `expired keys don't leave`() async throws {
        try await FederationStage.run { stage in
            try await stage.fold(Self.last, streamed(try Sample.homeKeys(150, seed: 1, daysAgo: 15), .federated))
            try await stage.fold(Self.last, streamed(try Sample.homeKeys(150, seed: 2), .federated))
            try await stage.publish(Self.last...Self.last)
            #expect(try await share(stage).decide(Self.last, at: Self.now) == 150)
        }
    }

    @Test(arguments: [(1, 1), (4, 4), (24, 24)])
    func `slots end at multiples of their length, a quarter of an hour before they are decided`(
        _ hours: Int, _ step: Int
    ) throws {
        let plan = UploadPlan(
            origin: try .home, countries: [try .france], policy: PublicationPolicy(), slotHours: hours,
            smallestBatch: 140, largestBatch: 4000)
        for minutes in stride(from: 0, to: 48 * 60, by: 5) {
            let now = Self.now.addingTimeInterval(Double(minutes) * 60)
            let end = plan.lastSlot(at: now).end
            #expect(Int(end.timeIntervalSince1970) % (step * 3600) == 0)
            let age = now.timeIntervalSince(end)
            #expect(age >= 15 * 60 && age < Double(step) * 3600 + 15 * 60)
        }
    }
}
