import ExposureKeys
import Foundation
import Testing

@Suite struct UploadModelTests {
    private let model = UploadModel()
    private let hour = Day(number: 20_500).firstHour.advanced(by: 10)

    @Test("every key of the model's uploads follows the rules for uploads")
    func valid() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let keys = model.keys(uploadedIn: hour, using: &random)
            let uploaded = keys.map {
                UploadedKey(
                    data: $0.data.bytes, rollingStart: Int64($0.rollingPeriod.start.rawValue),
                    rollingPeriod: Int64($0.rollingPeriod.length),
                    transmissionRiskLevel: $0.transmissionRiskLevel.rawValue,
                    daysSinceOnsetOfSymptoms: $0.daysSinceOnsetOfSymptoms.rawValue, reportType: $0.reportType)
            }
            #expect(try UploadRules().normalise(uploaded) == keys.sorted())
            #expect(UploadRules().current(keys, at: hour.start.addingTimeInterval(3599)) == keys)
        }
    }

    @Test("about half of the model's keys are published in the hour in which they are uploaded")
    func published() {
        var random = SystemRandomNumberGenerator()
        let keys = (0..<2000).flatMap { _ in model.keys(uploadedIn: hour, using: &random) }
        let policy = PublicationPolicy()
        let share = Double(keys.count { policy.releaseHour(of: $0, submitted: hour) == hour }) / Double(keys.count)
        #expect((0.4...0.8).contains(share))
    }
}
