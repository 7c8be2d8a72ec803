import Crypto
import ExposureKeys
import TestSupport
import Testing
import Venues

@testable import Phone

@Suite struct VenueMatcherTests {
    /// What the module Crypto says of every pair.
    private static func expected(_ reports: [VenueReport], _ venues: [VenueKeys]) -> [VenueMatcher.Match] {
        reports.indices.flatMap { report in
            venues.indices.filter {
                HMAC<SHA256>.isValidAuthenticationCode(
                    Array(reports[report].authenticationCode), authenticating: Array(reports[report].authenticated),
                    using: venues[$0].authentication)
            }.map { VenueMatcher.Match(report: report, venue: $0) }
        }
    }

    private static func random(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    private static func venues(_ count: Int, _ random: inout SeededGenerator) -> [VenueKeys] {
        (0..<count).compactMap { _ in VenueSeed(Self.random(32, &random))?.keys }
    }

    /// The same bytes with the venue's code.
    private static func authentic(_ bytes: [UInt8], _ venue: VenueKeys) -> [UInt8] {
        Array(bytes[..<25]) + HMAC<SHA256>.authenticationCode(for: bytes[..<25], using: venue.authentication)
    }

    /// One of three is authentic; of those, one of four has a bit changed, also in the code.
    private static func report(of venues: [VenueKeys], _ random: inout SeededGenerator) throws -> VenueReport {
        var bytes = Self.random(VenueReport.count, &random)
        if let venue = venues.randomElement(using: &random), Int.random(in: 0..<3, using: &random) == 0 {
            bytes = Self.authentic(bytes, venue)
            if Int.random(in: 0..<4, using: &random) == 0 {
                bytes[Int.random(in: 0..<VenueReport.count, using: &random)] ^=
                    1 << UInt8.random(in: 0..<8, using: &random)
            }
        }
        return try #require(VenueReport(bytes))
    }

    @Test(arguments: VenueMatchingCode.available)
    func `all instructions find what the module Crypto finds`(code: VenueMatchingCode) throws {
        var random = SeededGenerator(seed: 25)
        var found = 0
        for venueCount in [0, 1, 2, 3, 5, 40] {
            let venues = Self.venues(venueCount, &random)
            let matcher = VenueMatcher(venues, code: code)
            for reportCount in Array(0...33) + [160] {
                let reports = try (0..<reportCount).map { _ in try Self.report(of: venues, &random) }
                let matches = matcher.matches(among: reports.flatMap(\.bytes))
                #expect(matches == Self.expected(reports, venues))
                found += matches.count
            }
        }
        #expect(found > 500)
    }

    @Test(arguments: VenueMatchingCode.available)
    func `any one bit changed is no match`(code: VenueMatchingCode) throws {
        var random = SeededGenerator(seed: 26)
        let venue = Self.venues(1, &random)
        var valid = Self.random(VenueReport.count, &random)
        valid = Self.authentic(valid, venue[0])
        let changed = (0..<(VenueReport.count * 8)).flatMap { bit in
            var report = valid
            report[bit / 8] ^= 1 << UInt8(bit % 8)
            return report
        }
        let matcher = VenueMatcher(venue, code: code)
        #expect(matcher.matches(among: changed).isEmpty)
        #expect(matcher.matches(among: changed + valid).map(\.report) == [VenueReport.count * 8])
    }

    @Test(arguments: VenueMatchingCode.available)
    func `there is room for any number of matches`(code: VenueMatchingCode) throws {
        var random = SeededGenerator(seed: 27)
        let venue = try #require(Self.venues(1, &random).first)
        var report = Self.random(VenueReport.count, &random)
        report = Self.authentic(report, venue)
        let matcher = VenueMatcher([VenueKeys](repeating: venue, count: 9), code: code)
        let matches = matcher.matches(among: (0..<101).flatMap { _ in report })
        #expect(matches.count == 909)
        #expect(Set(matches).count == 909)
    }

    @Test func `bytes that are no whole report are none`() {
        var random = SeededGenerator(seed: 28)
        let matcher = VenueMatcher(Self.venues(2, &random))
        #expect(matcher.matches(among: []).isEmpty)
        #expect(matcher.matches(among: Self.random(56, &random)).isEmpty)
        #expect(matcher.matches(among: Self.random(58, &random)).isEmpty)
    }

    @Test func `this machine's best instructions are among those that are tried`() {
        #expect(VenueMatchingCode.available.contains(.best))
        #expect(VenueMatchingCode.available.first?.description == "instructions 0")
    }
}
