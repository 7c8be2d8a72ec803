import ExposureKeys
import Foundation
import TestSupport
import Testing

@testable import Distribution

/// The bound on waiting: the fold fills each hour to at least the minimum number of immediately publishable keys.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .heavy, .timeLimit(.minutes(15)))
struct AtOnceTests {
    /// Uploads of the public model until an hour has enough that is published at once, as the fold makes it.
    private static func folded(_ hour: Hour, using random: inout SeededGenerator) -> [DiagnosisKey] {
        let policy = PublicationPolicy()
        var keys: [DiagnosisKey] = []
        var missing = policy.minimumKeys
        while missing > 0 {
            for key in UploadModel().keys(uploadedIn: hour, using: &random) where missing > 0 {
                keys.append(key)
                if policy.releaseHour(of: key, submitted: hour) == hour { missing -= 1 }
            }
        }
        return keys
    }

    @Test(
        "folded keys are published with the hour of their release, never later, and in sets of at least 140",
        arguments: [1, 2])
    func bound(seed: UInt64) async throws {
        let policy = PublicationPolicy()
        var random = SeededGenerator(seed: seed)
        let hours = (0..<50).map { Samples.day.firstHour.advanced(by: $0) }
        var folded: [(hour: Hour, keys: [DiagnosisKey])] = []
        for hour in hours { folded.append((hour, Self.folded(hour, using: &random))) }
        let uploads = folded
        try await PublishingStage.run { stage in
            try await stage.fold(uploads)
            var expected: [Hour: Set<KeyData>] = [:]
            for (hour, keys) in uploads {
                for key in keys {
                    guard let release = policy.releaseHour(of: key, submitted: hour) else { continue }
                    expected[release, default: []].insert(key.data)
                }
            }
            for hour in hours {
                try await stage.publish(through: hour)
                let keys = try #require(try stage.keys(of: hour))
                let isAsExpected = keys == expected[hour]
                #expect(isAsExpected && keys.count >= 140)
            }
            let waiting = try await stage.store.waitingKeys(by: policy, at: hours[49].end)
            #expect(waiting.count == expected.filter { $0.key > hours[49] }.map(\.value.count).reduce(0, +))
            #expect(waiting.oldest.map { $0 > hours[20] } ?? true)
        }
    }
}
