import ExposureKeys
import Foundation
import Testing
import Venues

@testable import Phone

@Suite("Reports of visits")
struct VisitTests {
    private static func bytes(_ base64: String) throws -> [UInt8] { Array(try #require(Data(base64Encoded: base64))) }

    private static func venue(_ base64: String) throws -> Venue { try #require(Venue(locationID: bytes(base64))) }

    private static func visit(
        _ venue: Venue, from start: UInt32 = 2_000_000, intervals: UInt32 = 6
    ) throws -> Visit {
        try #require(Visit(to: venue, from: IntervalNumber(rawValue: start), intervals: intervals))
    }

    private static let level = TransmissionRiskLevel(derivedFrom: DaysSinceOnset(derivedFrom: .lowestPublished))

    private static let cafe = Venue(qrCodePayload: Array("a cafe".utf8))

    /// The numbers are those of cwa-app-android, `CheckInCryptographyTest.kt`.
    @Test("a report has the bytes that the published app gives it")
    func vector() throws {
        let visit = try Self.visit(
            try Self.venue("m686QDEvOYSfRtrRBA8vA58c/6EjjEHp22dTFc+tObY="), from: 271_044, intervals: 3)
        let level = try #require(TransmissionRiskLevel(rawValue: 7))
        let vector = try Self.bytes("+VNLZEr+j6qotkv8v1ASlQ==")
        let made = try visit.report(level, initializationVector: vector)
        let report = try #require(made)
        #expect(Array(report.encryptedRecord) == (try Self.bytes("7v9eQ9R2JtDnU70gn4cidQ==")))
        #expect(Array(report.authenticationCode) == (try Self.bytes("g6KU9FjzawyGA5ZPiZxfgxt8Ou5pSVWqqyAaBkQEA4k=")))
    }

    /// A report of the published app, and what it says.
    struct Sample: Sendable {
        let location: String
        let vector: String
        let record: String
        let code: String
        let start: UInt32
        let period: UInt32
        let level: Int
    }

    /// The same source. They have minutes where the published apps have intervals.
    static let samples = [
        Sample(
            location: "m686QDEvOYSfRtrRBA8vA58c/6EjjEHp22dTFc+tObY=", vector: "+VNLZEr+j6qotkv8v1ASlQ==",
            record: "t5TWYYc/kn4vbWRd677L3g==", code: "BJX/KwAXo3vQBMlycMxNxiwlrNyzWdD2LeF9KCrzt/I=",
            start: 2_710_445, period: 28, level: 7),
        Sample(
            location: "A61rMz1EUJnH3+D/dF7FzBMw0UnvdS82w67U7+oT9yU=", vector: "SM6n2ApMmwWCEVwex9yrmA==",
            record: "axfEwnDGz7r4c/n65DVDaw==", code: "vfjGr8pJ2F+IhGfHl4Audcrjhhcgr9qJ9hl176S/Il8=",
            start: 2_710_117, period: 10, level: 8),
    ]

    @Test("a report of the published app is read by who was there", arguments: samples)
    func sample(sample: Sample) throws {
        let venue = try Self.venue(sample.location)
        let report = try #require(
            CheckInReport(
                locationIDHash: venue.locationIDHash, initializationVector: try Self.bytes(sample.vector),
                encryptedRecord: try Self.bytes(sample.record), authenticationCode: try Self.bytes(sample.code)))
        func overlap(from start: UInt32, intervals: UInt32) throws -> UInt32? {
            try Self.visit(venue, from: start, intervals: intervals).overlap(with: report)?.intervals
        }
        let whole = try Self.visit(venue, from: sample.start - 100, intervals: sample.period + 200)
        #expect(whole.overlap(with: report)?.intervals == sample.period)
        #expect(whole.overlap(with: report)?.level.rawValue == sample.level)
        // Exactly there: not an interval before, and not one after.
        #expect(try overlap(from: sample.start - 5, intervals: 5) == nil)
        #expect(try overlap(from: sample.start - 5, intervals: 6) == 1)
        #expect(try overlap(from: sample.start + sample.period, intervals: 5) == nil)
    }

    @Test("who was there at the same time is warned, who came later or was elsewhere isn't")
    func warned() throws {
        let report = try #require(try Self.visit(Self.cafe).report(Self.level))
        #expect(try Self.visit(Self.cafe, from: 2_000_002, intervals: 2).overlap(with: report)?.intervals == 2)
        #expect(try Self.visit(Self.cafe, from: 2_000_006).overlap(with: report) == nil)
        #expect(try Self.visit(Venue(qrCodePayload: Array("a bar".utf8))).overlap(with: report) == nil)
    }

    @Test("a report whose every byte was changed in turn warns nobody")
    func tampered() throws {
        let visit = try Self.visit(Self.cafe)
        let report = try #require(try visit.report(Self.level))
        #expect(visit.overlap(with: report) != nil)
        for place in report.bytes.indices {
            var bytes = report.bytes
            bytes[place] ^= 1
            let changed = try #require(CheckInReport(bytes))
            #expect(visit.overlap(with: changed) == nil, "\(place)")
        }
    }

    @Test("two reports of one visit are different, except for the venue's hash")
    func fresh() throws {
        let visit = try Self.visit(Self.cafe)
        let reports = try (0..<2).map { _ in try #require(try visit.report(Self.level)) }
        #expect(reports[0].locationIDHash == reports[1].locationIDHash)
        #expect(reports[0].initializationVector != reports[1].initializationVector)
        #expect(reports[0].encryptedRecord != reports[1].encryptedRecord)
    }

    @Test("a visit at the end of all numbers overlaps nothing by overflow")
    func extremes() throws {
        let report = try #require(try Self.visit(Self.cafe, from: .max - 1, intervals: .max).report(Self.level))
        #expect(try Self.visit(Self.cafe, from: .max, intervals: .max).overlap(with: report)?.intervals == .max - 1)
        #expect(try Self.visit(Self.cafe, from: 0, intervals: 5).overlap(with: report) == nil)
    }
}
