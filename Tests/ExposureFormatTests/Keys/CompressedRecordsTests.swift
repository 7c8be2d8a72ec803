import ExposureKeys
import Foundation
import TestSupport
import Testing

@testable import ExposureFormat

/// The encoder that knows what records look like: whatever it writes, others must read.
@Suite("Compressed records", .heavy)
struct CompressedRecordsTests {
    /// Keys whose starts, periods and data are of a kind, from few kinds of metadata to many.
    private static func keys(_ count: Int, seed: UInt64, kind: UInt64) throws -> [DiagnosisKey] {
        var random = SeededGenerator(seed: seed)
        let starts: [UInt32] = [
            1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152, 2_966_400, 268_435_456, 2_147_483_000,
        ]
        return try (0..<count).map { _ in
            let start =
                switch kind % 4 {
                case 0: starts[7]
                case 1: starts.randomElement(using: &random) ?? 1
                case 2: 2_966_400 - 144 * UInt32.random(in: 0..<15, using: &random)
                default: UInt32.random(in: 1...2_147_483_000, using: &random)
                }
            let isShort = UInt32.random(in: 0..<10, using: &random) < (kind == 2 ? 2 : 5)
            let length = isShort ? UInt32.random(in: 1...144, using: &random) : 144
            // Keys that begin alike, in nothing to all of their bytes.
            let high =
                kind < 4 ? random.next() : random.next() >> UInt64.random(in: 0...63, using: &random)
            let low = kind < 8 ? random.next() : random.next() >> UInt64.random(in: 0...63, using: &random)
            return DiagnosisKey(
                data: KeyData(high: high, low: low),
                rollingPeriod: try #require(RollingPeriod(start: IntervalNumber(rawValue: start), length: length)),
                transmissionRiskLevel: try #require(
                    TransmissionRiskLevel(rawValue: Int.random(in: 1...8, using: &random))),
                daysSinceOnsetOfSymptoms: try #require(DaysSinceOnset(rawValue: 0)), reportType: .confirmedTest)
        }
    }

    @Test(
        "compressed records decompress to the same bytes, for keys of every shape", arguments: 0..<12 as Range<UInt64>)
    func roundTrip(kind: UInt64) throws {
        for (seed, count) in [0, 1, 2, 3, 4, 5, 10, 100, 1000, 5000].enumerated() {
            let keys = try Self.keys(count, seed: UInt64(seed) * 100 + kind, kind: kind)
            let export = try Fixtures.export(keys)
            try export.readBack()
            let read = try ExportArchive.read(Fixtures.zipped(export))
            #expect(read.isInPublishedOrder || Set(keys.map(PublishedKey.init)).count < count)
            let isSame = read.keys.sorted() == keys.map(ExportedKey.init).sorted()
            #expect(isSame, "\(count) keys")
            #expect(try read.verify([Fixtures.verificationKey()]).map(\.outcome) == [.matches])
        }
    }

    /// The code is made for how many keys share their metadata, so each such number is another code. Records that are as long as
    /// can be, of keys that begin alike, take the most bits at a time.
    @Test(
        "compressed records decompress to the same bytes, for 1 to 120 keys of each metadata value", arguments: 1...120)
    func keysOfAKind(count: Int) throws {
        var random = SeededGenerator(seed: UInt64(count))
        for (start, alike) in [(2_966_400 as UInt32, 0 as UInt64), (2_147_400_000, 32)] {
            let keys = try (0..<UInt32(14)).flatMap { day in
                let period = RollingPeriod(start: IntervalNumber(rawValue: start - 144 * day), length: 144)
                return try (0..<count).map { _ in
                    DiagnosisKey(
                        data: KeyData(high: random.next() >> alike, low: random.next()),
                        rollingPeriod: try #require(period),
                        transmissionRiskLevel: try #require(TransmissionRiskLevel(rawValue: 6)),
                        daysSinceOnsetOfSymptoms: try #require(DaysSinceOnset(rawValue: 0)), reportType: .confirmedTest)
                }
            }
            let records = CompressedRecords(of: KeySet(keys)) { _ in }
            let facts = Deflate.contentFacts(of: records.bytes)
            #expect(facts?.size == records.size && facts?.checksum == records.checksum)
        }
    }

    @Test(
        "no code exceeds its limit, and every code is complete, however uneven the weights",
        arguments: [7 as UInt8, 14])
    func limitedCode(longest: UInt8) {
        var weights = [1, 1]
        while weights.count < 60 { weights.append(weights[weights.count - 1] + weights[weights.count - 2]) }
        let code = HuffmanCode(weights: weights, longest: longest)
        #expect(code.lengths.allSatisfy { (1...longest).contains($0) })
        #expect(code.lengths.map { 1 << (Int(longest) - Int($0)) }.reduce(0, +) == 1 << Int(longest))
    }

    @Test("reading back detects every changed bit")
    func readBack() throws {
        let records = CompressedRecords(of: KeySet(try Self.keys(300, seed: 3, kind: 2))) { _ in }
        let whole = try #require(Deflate.contentFacts(of: records.bytes))
        #expect(whole.size == records.size && whole.checksum == records.checksum)
        for bit in 0..<8 * records.bytes.count {
            var bytes = records.bytes
            bytes[bit / 8] ^= 1 << (bit % 8)
            // The bits that fill up the last byte mean nothing.
            guard let facts = Deflate.contentFacts(of: bytes), bit / 8 < bytes.count - 1 else { continue }
            #expect(facts.checksum != records.checksum || facts.size != records.size, "bit \(bit)")
        }
        #expect(Deflate.contentFacts(of: Array(records.bytes.dropLast())) == nil)
        #expect(Deflate.contentFacts(of: records.bytes + [0]) == nil)
    }

    @Test("the result is about as small as zlib's at its best level")
    func size() throws {
        let keys = try Self.keys(20_000, seed: 1, kind: 2)
        let archive = try Fixtures.zipped(Fixtures.export(keys))
        let opened = try SignedArchive.read(archive)
        let byZlib = try SignedArchive(export: opened.export, signatures: opened.signatures).zipped()
        #expect(archive.count * 100 < byZlib.count * 101)
    }
}

extension [ExportedKey] {
    /// In an order of the tests' own.
    fileprivate func sorted() -> [String] { map { "\($0)" }.sorted() }
}
