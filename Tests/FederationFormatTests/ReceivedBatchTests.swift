import ExposureKeys
import FederationFormat
import Foundation
import TestSupport
import Testing

@Suite(.heavy) struct ReceivedBatchTests {
    private static let limit = 2_000_000

    private static func json(_ text: String) throws -> ReceivedBatch {
        try ReceivedBatch(json: Array(text.utf8), limit: limit)
    }

    @Test func `both forms of a batch by another program are read alike, and written as it does`() throws {
        let vectors = try Vectors.read()
        let batch = try vectors.batch()
        #expect(batch.keys.count == 40)
        #expect(batch.flaws.isEmpty)
        #expect(try Self.json(vectors.json) == batch)
        let written = try #require(KeyBatch(batch.keys))
        #expect(Set(try ReceivedBatch(protobuf: written.protobuf(), limit: Self.limit).keys) == Set(batch.keys))
        // One key by itself, byte for byte.
        let object = try #require(JSONSerialization.jsonObject(with: Data(vectors.json.utf8)) as? [String: [Any]])
        for (key, members) in zip(batch.keys, try #require(object["keys"])) {
            let one = try #require(KeyBatch([key]))
            let expected = try JSONSerialization.data(
                withJSONObject: ["keys": [members]], options: [.sortedKeys, .withoutEscapingSlashes])
            #expect(String(decoding: try one.json(), as: UTF8.self) == String(decoding: expected, as: UTF8.self))
            #expect(vectors.protobuf.range(of: Data(try one.protobuf())) != nil)
        }
    }

    @Test func `no bytes and an empty object are batches without keys`() throws {
        #expect(try ReceivedBatch(protobuf: [], limit: 0).entries.isEmpty)
        #expect(try ReceivedBatch(json: [], limit: 0).entries.isEmpty)
        for text in ["{}", #"{"keys":[]}"#, #"{"keys":null}"#] { #expect(try Self.json(text).entries.isEmpty) }
        let empty = try #require(KeyBatch([]))
        #expect(try empty.protobuf() == [])
        #expect(String(decoding: try empty.json(), as: UTF8.self) == "{}")
        #expect(empty.records.signedBytes == [])
    }

    @Test func `zeros are left out of JSON and come back`() throws {
        let batch = try Self.json(
            #"{"keys":[{"keyData":"AQIDBAUGBwgJCgsMDQ4PEA==","rollingPeriod":144,"origin":"DE"}]}"#)
        let key = try #require(batch.keys.first)
        #expect(key.reportType == .unknown)
        #expect(key.daysSinceOnset == 0)
        #expect(key.visitedCountries == [])
        #expect(
            String(decoding: try #require(KeyBatch([key])).json(), as: UTF8.self)
                == #"{"keys":[{"keyData":"AQIDBAUGBwgJCgsMDQ4PEA==","origin":"DE","rollingPeriod":144}]}"#)
    }

    static let flaws: [(KeyFlaw, @Sendable (inout UncheckedKey) -> Void)] = [
        (.keyData, { $0.data = [] }), (.keyData, { $0.data.removeLast() }), (.keyData, { $0.data.append(0) }),
        (.rollingPeriod, { $0.rollingPeriod = 0 }), (.rollingPeriod, { $0.rollingPeriod = 145 }),
        (.rollingPeriod, { $0.rollingPeriod = .max }), (.rollingStart, { $0.rollingStart = .max }),
        (.rollingStart, { $0.rollingStart = 0x7FFF_FFFF }), (.riskLevel, { $0.riskLevel = 9 }),
        (.riskLevel, { $0.riskLevel = -1 }), (.origin, { $0.origin = "" }), (.origin, { $0.origin = "de" }),
        (.origin, { $0.origin = "DEU" }), (.origin, { $0.origin = "Ä" }), (.reportType, { $0.reportType = 6 }),
        (.reportType, { $0.reportType = UncheckedKey.unnamedType }),
        (.visitedCountries, { $0.visitedCountries = ["FR", "fr"] }),
        (.visitedCountries, { $0.visitedCountries = [""] }),
        (.visitedCountries, { $0.visitedCountries = [String](repeating: "FR", count: 97) }),
    ]

    @Test func `what breaks a rule is refused by its reason`() {
        for (flaw, change) in Self.flaws {
            var key = Sample.unchecked
            change(&key)
            #expect(throws: flaw) { try FederatedKey(key) }
        }
        #expect(throws: Never.self) { try FederatedKey(Sample.unchecked) }
        #expect(Set(Self.flaws.map(\.0)).union([.unreadable]) == Set(KeyFlaw.allCases))
    }

    @Test func `periods that don't begin at midnight are good`() throws {
        var key = Sample.unchecked
        key.rollingStart += 17
        #expect(try FederatedKey(key).rollingPeriod.start.rawValue == 2_960_017)
    }

    @Test func `the gateway accepts starts from midnight fifteen days ago to the next interval`() throws {
        let noon = Date(timeIntervalSince1970: 20_000 * 86_400 + 43_200)
        let starts = FederatedKey.starts(acceptedAt: noon)
        #expect(starts.lowerBound.rawValue == 19_985 * 144)
        #expect(starts.upperBound.rawValue == 20_000 * 144 + 73)
        var key = Sample.unchecked
        for start in [starts.lowerBound, starts.upperBound] {
            key.rollingStart = start.rawValue
            #expect(throws: Never.self) { try FederatedKey(key, starts: starts) }
        }
        for start in [starts.lowerBound.rawValue - 1, starts.upperBound.rawValue + 1] {
            key.rollingStart = start
            #expect(throws: KeyFlaw.rollingStart) { try FederatedKey(key, starts: starts) }
        }
    }

    /// A key without values, one with a text that isn't UTF-8, one that ends too early, an unknown type, a good one, an
    /// unknown field, and a good one again.
    private static let mixed: [UInt8] = {
        let good: [UInt8] =
            [0x0A, 0x10] + [UInt8](1...16) + [0x10, 0x80, 0x80, 0xB4, 0x01, 0x18, 0x90, 0x01, 0x32, 2, 0x44, 0x45]
        func key(_ content: [UInt8]) -> [UInt8] { [0x0A, UInt8(content.count)] + content }
        return key([]) + key([0x32, 2, 0xFF, 0xFF]) + key([0x0A, 0x10, 1]) + key(good + [0x38, 77]) + key(good)
            + [0x12, 3, 1, 2, 3] + key(good + [0x40, 5])
    }()

    @Test func `bad keys spoil no others, and keep their place`() throws {
        let batch = try ReceivedBatch(protobuf: Self.mixed, limit: 1000)
        #expect(batch.entries.count == 6)
        #expect(batch.flaws == [.keyData: 1, .unreadable: 2, .reportType: 1])
        #expect(batch.keys.map(\.daysSinceOnset) == [0, -3])
        #expect(batch.records.count == 6)
        #expect(batch.records[1].isEmpty)
        // The record has the number that was sent.
        #expect(String(decoding: batch.records[3], as: UTF8.self).contains(".AAAATQ=="))
    }

    @Test func `a bad key in JSON spoils no others`() throws {
        let good = #"{"keyData":"AQIDBAUGBwgJCgsMDQ4PEA==","rollingPeriod":144,"origin":"DE","more":[1]}"#
        let bad = [
            "{}", "7", #"{"keyData":7}"#, #"{"keyData":"AQI"}"#, #"{"rollingPeriod":4294967296}"#,
            #"{"rollingPeriod":1.5}"#,
            good.replacing("}", with: #","reportType":"OTHER"}"#),
            good.replacing("}", with: #","visitedCountries":"DE"}"#),
        ]
        let batch = try Self.json(#"{"keys":[\#((bad + [good]).joined(separator: ","))]}"#)
        #expect(batch.keys.count == 1)
        #expect(batch.entries.count == bad.count + 1)
        #expect(batch.flaws == [.keyData: 1, .unreadable: 6, .reportType: 1])
    }

    @Test(arguments: ["[]", "7", "{", #"{"keys":7}"#, #"{"keys":{}}"#, "null", "\u{0}"])
    func `what is no batch isn't read`(_ text: String) {
        #expect(throws: BatchFlaw.unreadable) { try Self.json(text) }
    }

    @Test(
        arguments: [
            [0x0A], [0x0A, 1], [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], [0x0B, 0x0C], [0x00],
            [0x07],
            [0x12, 0x80], [0x11, 1, 2], [0x15, 1], [UInt8](repeating: 0x80, count: 12),
        ] as [[UInt8]])
    func `a message that is cut off isn't read`(_ bytes: [UInt8]) {
        #expect(throws: BatchFlaw.unreadable) { try ReceivedBatch(protobuf: bytes, limit: 1000) }
    }

    @Test func `five thousand keys are read, and not one more`() throws {
        let most = [[UInt8]](repeating: [0x0A, 0], count: 5000).flatMap { $0 }
        #expect(try ReceivedBatch(protobuf: most, limit: Self.limit).entries.count == 5000)
        #expect(throws: BatchFlaw.tooManyKeys) { try ReceivedBatch(protobuf: most + [0x0A, 0], limit: Self.limit) }
        let many = [String](repeating: "{}", count: 5000).joined(separator: ",")
        #expect(try Self.json(#"{"keys":[\#(many)]}"#).entries.count == 5000)
        #expect(throws: BatchFlaw.tooManyKeys) { try Self.json(#"{"keys":[\#(many),{}]}"#) }
        #expect(throws: BatchFlaw.tooLarge) { try ReceivedBatch(protobuf: most, limit: most.count - 1) }
        #expect(throws: BatchFlaw.tooLarge) { try ReceivedBatch(json: Array("{}".utf8), limit: 1) }
        #expect(KeyBatch(try Sample.keys(5001, seed: 5)) == nil)
    }

    @Test(arguments: 0..<100)
    func `whatever is written reads the same, in any order`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let keys = try Sample.keys(Int(seed), seed: seed)
        let batch = try #require(KeyBatch(keys))
        #expect(KeyBatch((keys + keys).shuffled(using: &random)) == batch)
        #expect(Set(batch.keys) == Set(keys))
        for read in [
            try ReceivedBatch(protobuf: batch.protobuf(), limit: Self.limit),
            try ReceivedBatch(json: batch.json(), limit: Self.limit),
        ] {
            #expect(read.keys == batch.keys)
            #expect(read.records == batch.records)
            #expect(read.flaws.isEmpty)
        }
        // The body's order is the signature's.
        #expect(batch.records.signedBytes == (0..<batch.records.count).flatMap { Array(batch.records[$0]) })
    }
}
