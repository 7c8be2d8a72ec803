import ExposureKeys
import Foundation
import Testing
import Venues

@testable import Phone

/// Codes, times and rules that the tests of check-ins share.
enum CheckInStage {
    /// Thursday, 4 March 2021, 09:00 UTC.
    static let morning = Date(timeIntervalSince1970: 1_614_848_400)

    /// A time of that day.
    static func at(_ hour: Int, _ minute: Int = 0, day: Int = 0, second: Int = 0) -> Date {
        morning.addingTimeInterval(Double((hour - 9) * 3600 + minute * 60 + day * 86_400 + second))
    }

    static func interval(_ hour: Int, _ minute: Int = 0, day: Int = 0) -> IntervalNumber {
        IntervalNumber(containing: at(hour, minute, day: day))
    }

    /// A venue with a seed.
    static func code(_ number: UInt8 = 1, name: String = "Café") throws -> VenueCode {
        try #require(VenueCode([1] + [UInt8](repeating: number, count: 32) + Array(name.utf8), .seed))
    }

    /// A venue of Corona-Warn-App, where visits last 45 minutes.
    static func location(_ number: UInt8 = 1) throws -> VenueCode {
        func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] { [number << 3 | 2, UInt8(bytes.count)] + bytes }
        let place = field(2, Array("A bar".utf8)) + field(3, Array("Elsewhere".utf8))
        let payload =
            [8, 1] + field(2, place) + field(3, field(3, [UInt8](repeating: number, count: 16)))
            + field(4, [8, 1, 16, 9, 24, 45])
        return try #require(VenueCode(payload, .traceLocation))
    }

    /// A venue in a register.
    static func numbered() throws -> VenueCode {
        let json = #"{"gln":"9429300000007","opn":"Library","adr":"1 Main Road"}"#
        return try #require(VenueCode(Array(json.utf8), .numbered))
    }

    static func keys(_ code: VenueCode) throws -> VenueKeys {
        guard case .seed(let seed) = code.venue else { throw Missing() }
        return seed.keys
    }

    static func traceLocation(_ code: VenueCode) throws -> TraceLocation {
        guard case .traceLocation(let location) = code.venue else { throw Missing() }
        return location
    }

    struct Missing: Error {}

    static func level(_ rawValue: Int) throws -> TransmissionRiskLevel {
        try #require(TransmissionRiskLevel(rawValue: rawValue))
    }

    /// Somebody was there who tested positive.
    static func record(
        _ start: IntervalNumber, _ end: IntervalNumber, level rawValue: Int = 8
    ) throws -> VisitRecord {
        let level = try level(rawValue)
        return try #require(VisitRecord(start: start, end: end, transmissionRiskLevel: level))
    }

    /// Corona-Warn-App's.
    static let rules = VenueRules.shipped
}
