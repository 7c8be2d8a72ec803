import ExposureKeys
import Foundation
import Testing
import Venues

@Suite struct TraceLocationTests {
    private static func bytes(_ base64: String) throws -> [UInt8] { Array(try #require(Data(base64Encoded: base64))) }

    private static func location(_ base64: String) throws -> TraceLocation {
        let id = try bytes(base64)
        return try #require(TraceLocation(id: id))
    }

    private static func visit(_ start: UInt32, _ length: UInt32, _ level: Int) throws -> VisitRecord {
        let level = try #require(TransmissionRiskLevel(rawValue: level))
        return try #require(
            VisitRecord(
                start: IntervalNumber(rawValue: start), end: IntervalNumber(rawValue: start + length),
                transmissionRiskLevel: level))
    }

    private static let cafe = TraceLocation(payload: Array("a cafe".utf8))

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

    /// From cwa-app-android, `CheckInCryptographyTest.kt`, and cwa-app-ios.
    static let samples = [
        Sample(
            location: "m686QDEvOYSfRtrRBA8vA58c/6EjjEHp22dTFc+tObY=", vector: "+VNLZEr+j6qotkv8v1ASlQ==",
            record: "t5TWYYc/kn4vbWRd677L3g==", code: "BJX/KwAXo3vQBMlycMxNxiwlrNyzWdD2LeF9KCrzt/I=",
            start: 2_710_445, period: 28, level: 7),
        Sample(
            location: "A61rMz1EUJnH3+D/dF7FzBMw0UnvdS82w67U7+oT9yU=", vector: "SM6n2ApMmwWCEVwex9yrmA==",
            record: "axfEwnDGz7r4c/n65DVDaw==", code: "vfjGr8pJ2F+IhGfHl4Audcrjhhcgr9qJ9hl176S/Il8=",
            start: 2_710_117, period: 10, level: 8),
        Sample(
            location: "m686QDEvOYSfRtrRBA8vA58c/6EjjEHp22dTFc+tObY=", vector: "+VNLZEr+j6qotkv8v1ASlQ==",
            record: "7v9eQ9R2JtDnU70gn4cidQ==", code: "g6KU9FjzawyGA5ZPiZxfgxt8Ou5pSVWqqyAaBkQEA4k=",
            start: 271_044, period: 3, level: 7),
    ]

    @Test(arguments: samples) func `reports are those of the published apps`(sample: Sample) throws {
        let venue = try Self.location(sample.location)
        let visit = try Self.visit(sample.start, sample.period, sample.level)
        let (vector, record, code) = try (
            Self.bytes(sample.vector), Self.bytes(sample.record), Self.bytes(sample.code)
        )
        let report = try #require(
            CheckInReport(
                locationIDHash: venue.idHash, initializationVector: vector, encryptedRecord: record,
                authenticationCode: code))
        #expect(try venue.seal(visit, initializationVector: vector) == report)
        #expect(venue.open(report) == visit)
    }

    /// From cwa-app-android, `TraceLocationIdTest.kt`.
    @Test(arguments: [
        (
            "CAESLAgBEhFNeSBCaXJ0aGRheSBQYXJ0eRoLYXQgbXkgcGxhY2Uo04ekATD3h6QBGmUIARJbMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE"
                + "c7DEstcUIRcyk35OYDJ95/hTg3UVhsaDXKT0zK7NhHPXoyzipEnOp3GyNXDVpaPi3cAfQmxeuFMZAIX2+6A5XhoEMTIzNCIECAEQAg==",
            "jNcJTCajd9Sen6Tbexl2Yb7O3J7ps47b6k4+QMT4xS0="
        ),
        (
            "CAESIAgBEg1JY2VjcmVhbSBTaG9wGg1NYWluIFN0cmVldCAxGmUIARJbMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEc7DEstcUIRcyk35O"
                + "YDJ95/hTg3UVhsaDXKT0zK7NhHPXoyzipEnOp3GyNXDVpaPi3cAfQmxeuFMZAIX2+6A5XhoEMTIzNCIGCAEQARgK",
            "GMuCjqNmOdYyrFhyvFNTVEeLaZh+uShgUoY0LYJo4YQ="
        ),
    ])
    func `a venue's identifier is the hash of its payload`(payload: String, id: String) throws {
        let location = TraceLocation(payload: try Self.bytes(payload))
        #expect(try location.id == Self.bytes(id))
    }

    /// The same source.
    @Test(arguments: [
        (
            "afa27b44d43b02a9fea41d13cedc2e4016cfcf87c5dbf990e593669aa8ce286d",
            "0f37dac11d1b8118ea0b44303400faa5e3b876da9d758058b5ff7dc2e5da8230"
        ),
        (
            "1b02111da7c0799df6ad67deb7b397bdfb07e63da0fdea30fae335762826e34f",
            "394db434a2e9c2ca9f32eed266d30bc037b4314cb3d53249fada68de45450cbb"
        ),
        (
            "14c7a20ed81ebabdc32c8521382c56b851af15ccd8d13c86cd91a0620e78d664",
            "852475fa271a29c67ad85578bb86ff4922dabf9f2b081353e1b5cdf99442889d"
        ),
    ])
    func `reports are found under the hash of the identifier`(id: String, hash: String) throws {
        let id = try VenuesTests.bytes(id)
        #expect(hexadecimal(try #require(TraceLocation(id: id)).idHash) == hash)
    }

    @Test func `a report with any one bit changed is refused`() throws {
        let valid = try Self.cafe.seal(try Self.visit(2_000_000, 6, 6))
        #expect(Self.cafe.open(valid) != nil)
        for bit in 0..<(CheckInReport.count * 8) {
            var changed = valid.bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(Self.cafe.open(try #require(CheckInReport(changed))) == nil, "bit \(bit)")
        }
    }

    @Test func `who was at another venue can't open it`() throws {
        let report = try Self.cafe.seal(try Self.visit(2_000_000, 6, 6))
        #expect(TraceLocation(payload: Array("a bar".utf8)).open(report) == nil)
    }

    @Test func `two reports of one visit differ, except for the venue's hash`() throws {
        let visit = try Self.visit(2_000_000, 6, 6)
        let (one, other) = (try Self.cafe.seal(visit), try Self.cafe.seal(visit))
        #expect(one.locationIDHash == other.locationIDHash)
        #expect(one.initializationVector != other.initializationVector)
        #expect(one.encryptedRecord != other.encryptedRecord)
    }

    @Test func `the largest numbers fit into a report's one block`() throws {
        let visit = try Self.visit(.max - 144, 144, 8)
        #expect(Self.cafe.open(try Self.cafe.seal(visit)) == visit)
    }
}
