import Crypto
import ExposureKeys
import Foundation
import TestSupport
import Testing
import Venues

@Suite struct VenueReportTests {
    /// A report that other programs made. `Fixtures/make-vectors.py` computes them with Python's `cryptography`, and with OpenSSL.
    struct Vector: Decodable, CustomTestStringConvertible, Sendable {
        let seed: String
        let encryptionKey: String
        let authenticationKey: String
        let start: UInt32
        let end: UInt32
        let transmissionRiskLevel: Int
        let initializationVector: String
        let report: String
        let tag: String

        var testDescription: String { "\(seed.count / 2) bytes of seed, from \(start)" }

        func keys() throws -> VenueKeys {
            let seed = try bytes(seed)
            return try #require(VenueSeed(seed)).keys
        }

        func visit() throws -> VisitRecord {
            let level = try #require(TransmissionRiskLevel(rawValue: transmissionRiskLevel))
            return try #require(
                VisitRecord(
                    start: IntervalNumber(rawValue: start), end: IntervalNumber(rawValue: end),
                    transmissionRiskLevel: level))
        }
    }

    static let vectors: [Vector] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/venue-reports.json")
        let read = try? JSONDecoder().decode([Vector].self, from: Data(contentsOf: file))
        return read ?? []
    }()

    @Test func `there are vectors for every size of seed`() {
        #expect(Set(Self.vectors.map { $0.seed.count / 2 }) == Set(16...64))
    }

    @Test(arguments: vectors) func `keys and report are those that other programs compute`(vector: Vector) throws {
        let keys = try vector.keys()
        #expect(hexadecimal(keys.encryption.withUnsafeBytes(Array.init)) == vector.encryptionKey)
        #expect(hexadecimal(keys.authentication.withUnsafeBytes(Array.init)) == vector.authenticationKey)
        let report = try keys.seal(vector.visit(), initializationVector: bytes(vector.initializationVector))
        #expect(hexadecimal(report.bytes) == vector.report)
        #expect(keys.open(report) == (try vector.visit()))
    }

    @Test func `only a venue's own seed opens its reports`() throws {
        let reports = try Self.vectors.map { vector in
            let report = try bytes(vector.report)
            return try #require(VenueReport(report))
        }
        for (index, vector) in Self.vectors.enumerated() {
            let keys = try vector.keys()
            #expect(reports.indices.filter { keys.open(reports[$0]) != nil } == [index])
        }
    }

    @Test func `what was sealed is opened, with a fresh vector each time`() throws {
        var random = SeededGenerator(seed: 57)
        let keys = try #require(VenueSeed((0..<32).map { _ in UInt8.random(in: 0...255, using: &random) })).keys
        var seen: Set<[UInt8]> = []
        for _ in 0..<500 {
            let start = UInt32.random(in: 0...(UInt32.max - 144), using: &random)
            let end = start + UInt32.random(in: 1...144, using: &random)
            let level = try #require(TransmissionRiskLevel(rawValue: Int.random(in: 1...8, using: &random)))
            let visit = try #require(
                VisitRecord(
                    start: IntervalNumber(rawValue: start), end: IntervalNumber(rawValue: end),
                    transmissionRiskLevel: level))
            let report = try keys.seal(visit)
            #expect(keys.open(report) == visit)
            #expect(seen.insert(Array(report.initializationVector)).inserted)
        }
    }

    @Test func `a report with any one bit changed is refused`() throws {
        let vector = try #require(Self.vectors.first)
        let (keys, valid) = (try vector.keys(), try bytes(vector.report))
        for bit in 0..<(VenueReport.count * 8) {
            var changed = valid
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(keys.open(try #require(VenueReport(changed))) == nil, "bit \(bit)")
        }
    }

    /// Who has the seed can authenticate anything; what no app writes is still refused.
    @Test(
        arguments: [
            [0, 0, 0, 5, 0, 0, 0, 5, 3], [0, 0, 0, 5, 0, 0, 0, 4, 3], [0, 0, 0, 0, 0, 0, 0, 145, 3],
            [0, 0, 0, 0, 255, 255, 255, 255, 3], [0, 0, 0, 5, 0, 0, 0, 6, 0], [0, 0, 0, 5, 0, 0, 0, 6, 9],
            [0, 0, 0, 5, 0, 0, 0, 6, 255],
        ] as [[UInt8]])
    func `an authenticated report without a valid visit is refused`(plain: [UInt8]) throws {
        let keys = try #require(Self.vectors.first).keys()
        let vector = [UInt8](repeating: 9, count: 16)
        let zero = try keys.seal(try #require(Self.vectors.first).visit(), initializationVector: vector)
        // Counter mode: what is known of one plaintext gives the key stream.
        let known: [UInt8] = [0x00, 0x29, 0x5b, 0xad, 0x00, 0x29, 0x5b, 0xc9, 0x07]
        let encrypted = zip(zip(zero.encryptedRecord, known), plain).map { $0.0 ^ $0.1 ^ $1 }
        let code = HMAC<SHA256>.authenticationCode(for: vector + encrypted, using: keys.authentication)
        #expect(keys.open(try #require(VenueReport(vector + encrypted + code))) == nil)
        let control = HMAC<SHA256>.authenticationCode(
            for: vector + zero.encryptedRecord, using: keys.authentication)
        #expect(keys.open(try #require(VenueReport(vector + zero.encryptedRecord + control))) != nil)
    }

    @Test(arguments: [0, 15, 17]) func `an initialization vector has 16 bytes`(count: Int) throws {
        let vector = try #require(Self.vectors.first)
        #expect(throws: (any Error).self) {
            try vector.keys().seal(vector.visit(), initializationVector: [UInt8](repeating: 0, count: count))
        }
    }

    @Test(arguments: [(5, 5), (6, 5), (0, 145), (UInt32.max, 0)] as [(UInt32, UInt32)])
    func `a visit ends after it began, within a day`(start: UInt32, end: UInt32) {
        #expect(
            VisitRecord(
                start: IntervalNumber(rawValue: start), end: IntervalNumber(rawValue: end),
                transmissionRiskLevel: .lowest) == nil)
    }
}

func bytes(_ hexadecimal: String) throws -> [UInt8] {
    let digits = Array(hexadecimal.utf8)
    return try stride(from: 0, to: digits.count, by: 2).map { place in
        try #require(UInt8(String(decoding: digits[place..<(place + 2)], as: UTF8.self), radix: 16))
    }
}

func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}
