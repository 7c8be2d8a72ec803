import ExposureFormat
import ExposureKeys
import Testing

@testable import SimulatedCountry

@Suite("Downloads that a country's phones share", .timeLimit(.minutes(5))) struct SharedDownloadsTests {
    private static let today = Day(number: 20_465)
    /// The hour after the one in which keys of fifteen days ago expire.
    private static let end = today.firstHour.end

    /// A key of so many days ago.
    private static func key(_ number: UInt64, days: Int) throws -> ExportedKey {
        ExportedKey(
            data: KeyData(high: 1, low: number),
            rollingPeriod: try #require(
                RollingPeriod(start: today.advanced(by: -days).firstInterval, length: 144)),
            transmissionRiskLevel: .lowest, reportType: .confirmedTest, daysSinceOnsetOfSymptoms: 0)
    }

    @Test("a phone may miss keys that have just expired, whoever came first")
    func expired() throws {
        let kept = [try Self.key(1, days: 2), try Self.key(2, days: 14)]
        let before = kept + [try Self.key(3, days: 15)]
        #expect(SharedDownloads.agree(before, kept, until: Self.end))
        #expect(SharedDownloads.agree(kept, before, until: Self.end))
    }

    @Test("any other difference is a case", arguments: [2, 14])
    func different(days: Int) throws {
        let one = [try Self.key(1, days: 2)]
        let more = one + [try Self.key(2, days: days)]
        #expect(!SharedDownloads.agree(one, more, until: Self.end))
        #expect(!SharedDownloads.agree(more, one, until: Self.end))
        #expect(!SharedDownloads.agree(more, Array(more.reversed()), until: Self.end))
    }
}
