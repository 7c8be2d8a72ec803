import ArgumentParser
import Crypto
import Phone
import Venues

/// A phone that tries a country's reports about venues with the seeds of its diary, again and again.
///
/// `Tests/Benchmarks/Rows/venue-match/reference.cpp` makes the same reports and keys, and must find the same.
struct VenueMatching: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Reports about venues that a phone tried with its seeds, per second.")

    @Option(help: "How long; the reports are tried once at least.")
    var seconds = 4.0

    func run() async throws {
        let (reports, venues) = try Self.workload()
        let matcher = VenueMatcher(venues)
        let found = matcher.matches(among: reports)
        let begin = ContinuousClock.now
        let measurement = try await Measurement.of {
            var operations = 0
            repeat {
                guard matcher.matches(among: reports) == found else { throw ExitCode.failure }
                operations += reports.count / VenueReport.count
            } while ContinuousClock.now - begin < .seconds(seconds)
            return operations
        }
        print("matches \(found.count) \(Self.digest(of: found))")
        try measurement.report()
    }

    /// A number that follows from each match and from their order.
    private static func digest(of matches: [VenueMatcher.Match]) -> UInt64 {
        matches.reduce(0) { $0 &* 31 &+ UInt64($1.report * 64 + $1.venue) }
    }

    /// 100,000 reports of a day; 40 seeds of two weeks, of one of which each 1,999th report is.
    private static func workload() throws -> (reports: [UInt8], venues: [VenueKeys]) {
        var random = FastRandom(repeatable: 57)
        func bytes(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        }
        let venues = (0..<40).compactMap { _ in VenueSeed(bytes(32))?.keys }
        var reports = bytes(100_000 * VenueReport.count)
        for number in stride(from: 0, to: 100_000, by: 1999) {
            let place = number * VenueReport.count
            let code = HMAC<SHA256>.authenticationCode(
                for: reports[place..<(place + 25)], using: venues[number % 40].authentication)
            reports.replaceSubrange((place + 25)..<(place + VenueReport.count), with: Array(code))
        }
        return (reports, venues)
    }
}
