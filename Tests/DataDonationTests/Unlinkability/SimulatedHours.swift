import DonationFormat
import ExposureKeys
import Foundation
import TestSupport

@testable import DataDonation

/// Hours of donations in which every part can be told from all others, as only the test knows them; the same seed gives the same.
///
/// Districts, tags of configurations and times of encounters are drawn independently of each other. So the content of one part says
/// nothing about another, and whoever puts parts together has found traces.
struct SimulatedHours: Sendable {
    struct Donation: Sendable {
        let moment: Date
        let data: AnalyticsData

        var hour: Hour { Hour(containing: moment) }
        /// Whether it came in the first half of its hour.
        var isEarly: Bool { moment.timeIntervalSince(hour.start) < 1800 }
        var district: Int32 { data.user.district }
        var tag: String { data.client.configurationTag }
        var times: [Double] { data.windows.map(\.normalizedTime) }
    }

    /// In the order in which they came.
    let donations: [Donation]

    /// Seconds from one donation to the next.
    private static let interval = 9

    init(_ count: Int, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        donations = (0..<count).flatMap { number in
            let hour = FoldStage.hour.advanced(by: number)
            return stride(from: 4, to: 3600, by: Self.interval).map { second in
                Donation(
                    moment: hour.start.addingTimeInterval(Double(second)), data: Self.data(in: hour, using: &random))
            }
        }
    }

    /// All with the same values but for what names a part: a group with a risk, a client, and two encounters.
    private static func data(in hour: Hour, using random: inout SeededGenerator) -> AnalyticsData {
        let hexadecimal = String(UInt64.random(in: 1 << 60 ... .max, using: &random), radix: 16)
        return AnalyticsData(
            risk: DonatedRisk(encounters: .init(.low, mostRecentDay: hour.day.advanced(by: -1))),
            windows: (0..<2).map { _ in
                DonatedWindow(
                    day: hour.day.advanced(by: -2), reportType: .confirmedTest, infectiousness: .standard,
                    scans: [.init(typicalAttenuation: 60, minimumAttenuation: 55, seconds: 180)],
                    transmissionRiskLevel: 3, normalizedTime: .random(in: 1...2, using: &random))
            },
            client: AppClient(
                version: SemanticVersion(3, 2, 0), system: .iOS(SemanticVersion(18, 1, 0)),
                configurationTag: hexadecimal),
            user: UserGroup(
                federalState: 5, district: .random(in: 1_000_000...99_999_999, using: &random), age: .to59))
    }
}
