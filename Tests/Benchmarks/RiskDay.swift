import ArgumentParser
import ExposureKeys
import Exposures
import FoundationEssentials

/// Phones that judge the exposure windows of a busy day, again and again.
///
/// `Tests/Benchmarks/Rows/risk-day/reference.cpp` makes the same windows, and must come to the same results.
struct RiskDay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Exposure windows that phones judged, per second.")

    @Option(help: "How long; all windows are judged once at least.")
    var seconds = 4.0

    private static let firstDay: Int32 = 20_600
    private static let phones = 64
    private static let windowsOfPhone = 200

    func run() async throws {
        let phones = try Self.workload()
        let now = Day(number: Self.firstDay).firstHour.advanced(by: 13).start
        func risks() -> [ExposureRisk] {
            phones.map { ExposureRisk($0, by: .shipped, at: now, on: .iOS) }
        }
        let found = risks()
        let begin = ContinuousClock.now
        let measurement = try await Measurement.of {
            var operations = 0
            repeat {
                guard risks() == found else { throw ExitCode.failure }
                operations += Self.phones * Self.windowsOfPhone
            } while ContinuousClock.now - begin < .seconds(seconds)
            return operations
        }
        let days = found.flatMap(\.days)
        print("matches \(days.count) \(Self.digest(of: days))")
        try measurement.report()
    }

    /// A number that follows from each day and from their order.
    private static func digest(of days: [ExposureRisk.DayRisk]) -> UInt64 {
        days.reduce(0) { digest, day in
            var digest = digest &* 31 &+ UInt64(day.day.number)
            digest = digest &* 31 &+ UInt64((day.normalizedMinutes * 1_000_000).rounded())
            digest = digest &* 31 &+ (day.level == .high ? 1 : 0)
            return (digest &* 31 &+ UInt64(day.lowEncounters)) &* 31 &+ UInt64(day.highEncounters)
        }
    }

    /// Of each phone: windows of one to ten scans, most of today, the others of the last eleven days.
    private static func workload() throws -> [[ExposureWindow]] {
        var random = FastRandom(repeatable: 200)
        return try (0..<phones).map { _ in
            try (0..<windowsOfPhone).map { number in
                let daysAgo = number % 4 == 0 ? Int32(random.next() % 12) : 0
                guard let reportType = ReportType(rawValue: 1 + Int(random.next() % 4)),
                    let infectiousness = Infectiousness(rawValue: 1 + Int(random.next() % 2)),
                    let confidence = CalibrationConfidence(rawValue: UInt8(random.next() % 4))
                else { throw ExitCode.failure }
                return ExposureWindow(
                    day: Day(number: firstDay - daysAgo), reportType: reportType, infectiousness: infectiousness,
                    calibrationConfidence: confidence,
                    scans: (0..<(1 + random.next() % 10)).map { _ in
                        let attenuation = 30 + Int(random.next() % 60)
                        return ScanInstance(
                            minimumAttenuation: attenuation, typicalAttenuation: attenuation + 3,
                            seconds: 60 * Int(random.next() % 6))
                    })
            }
        }
    }
}
