import ArgumentParser
import ExposureFormat
import ExposureKeys
import Exposures
import Phone

/// A phone that looks through a country's keys of one day, again and again.
///
/// `Tests/Benchmarks/Rows/match/reference.cpp` makes the same keys and the same encounters, and must find the same.
struct Matching: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Published keys that a phone looked through, per second.")

    @Option(help: "How long; the keys are looked through once at least.")
    var seconds = 4.0

    func run() async throws {
        let (keys, heard) = try Self.workload()
        let matcher = Matcher(heard: heard)
        let found = matcher.matches(among: keys)
        let begin = ContinuousClock.now
        let measurement = try await Measurement.of {
            var operations = 0
            repeat {
                guard matcher.matches(among: keys).count == found.count else { throw ExitCode.failure }
                operations += keys.count
            } while ContinuousClock.now - begin < .seconds(seconds)
            return operations
        }
        print("matches \(found.count) \(Self.digest(of: found))")
        try measurement.report()
    }

    /// A number that follows from each match and from their order.
    private static func digest(of matches: [Matcher.Match]) -> UInt64 {
        matches.reduce(0) { $0 &* 31 &+ ($1.key.high ^ UInt64($1.interval.rawValue)) }
    }

    /// 28,000 keys of fourteen days, a fifth of them with a short period; 8,000 broadcasts heard, 40 of them of these keys.
    private static func workload() throws -> (keys: [ExportedKey], heard: [Encounter]) {
        let firstInterval: UInt32 = 2_642_976
        var random = FastRandom(repeatable: 28)
        let keys = try (0..<28_000).map { number in
            let data = KeyData(high: random.next(), low: random.next())
            let length = number % 5 == 0 ? 6 * (1 + UInt32(random.next() % 23)) : 144
            let start = IntervalNumber(rawValue: firstInterval + 144 * UInt32(number % 14))
            guard let period = RollingPeriod(start: start, length: length),
                let level = TransmissionRiskLevel(rawValue: 1 + number % 8)
            else { throw ExitCode.failure }
            return ExportedKey(
                data: data, rollingPeriod: period, transmissionRiskLevel: level, reportType: .confirmedTest,
                daysSinceOnsetOfSymptoms: nil)
        }
        var heard = (0..<7_960).map { _ in
            Encounter(
                identifier: RollingProximityIdentifier(first: random.next(), second: random.next()),
                interval: IntervalNumber(rawValue: firstInterval + UInt32(random.next() % (14 * 144))))
        }
        // At any time of the day, so some outside the key's period; up to 16 intervals early or late, so some out of time.
        for number in stride(from: 0, to: keys.count, by: 701) {
            let sent = keys[number].rollingPeriod.start.rawValue + UInt32(random.next() % 144)
            let identifier = try KeySchedule(keys[number].data).identifier(at: IntervalNumber(rawValue: sent))
            let interval = IntervalNumber(rawValue: sent - 16 + UInt32(random.next() % 33))
            heard.append(Encounter(identifier: identifier, interval: interval))
        }
        return (keys, heard)
    }
}
