import Crypto
import FederationFormat
import Foundation
import TestSupport
import Testing

/// Records and their order, with vectors that national back ends publish or that were computed from the gateway's
/// source.
@Suite(.heavy) struct KeyRecordsTests {
    private static func key(
        _ data: [UInt8], start: UInt32, period: UInt32, level: Int32, _ countries: [String], type: Int32, days: Int32,
        origin: String = "DE"
    ) -> UncheckedKey {
        UncheckedKey(
            data: data, rollingStart: start, rollingPeriod: period, riskLevel: level, visitedCountries: countries,
            origin: origin, reportType: type, daysSinceOnset: days)
    }

    private static func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }

    private static func digest(_ records: KeyRecords) -> String {
        hexadecimal(SHA256.hash(data: records.signedBytes))
    }

    /// minvws/nl-covid19-notification-app-backend, EfgsDiagnosisKeyBatchSerializerTests.
    @Test func `four keys of the Dutch back end are in its order`() {
        let records = KeyRecords(
            ["978", "D189", "ABC", "123"].map {
                Self.key(
                    Array($0.utf8), start: 2, period: 1, level: 3, ["CA", "CB", "CC", "CD"], type: 1, days: 42)
            })
        let rest = ".AAAAAg==.AAAAAQ==.AAAAAw==.Q0EsQ0IsQ0MsQ0Q=.REU=.AAAAAQ==.AAAAKg==."
        let expected = ["OTc4", "MTIz", "QUJD", "RDE4OQ=="].map { $0 + rest }.joined()
        #expect(Self.text(records.signedBytes) == expected)
        #expect(Self.digest(records) == "fa80d2db5468e1889bdefa5e166c1ece46025d9cb83c8099a127f2470de0c56f")
    }

    @Test func `the same four keys are the same as a message, with every key too short`() throws {
        let message = try #require(
            Data(
                base64Encoded:
                    "CiMKAzk3OBACGAEgAyoCQ0EqAkNCKgJDQyoCQ0QyAkRFOAFAVAokCgREMTg5EAIYASADKgJDQSoCQ0IqAkNDKgJDRDIC"
                    + "REU4AUBUCiMKA0FCQxACGAEgAyoCQ0EqAkNCKgJDQyoCQ0QyAkRFOAFAVAojCgMxMjMQAhgBIAMqAkNBKgJDQioCQ0MqAkNE"
                    + "MgJERTgBQFQ="))
        let batch = try ReceivedBatch(protobuf: Array(message), limit: 1000)
        #expect(Self.digest(batch.records) == "fa80d2db5468e1889bdefa5e166c1ece46025d9cb83c8099a127f2470de0c56f")
        #expect(batch.flaws == [.keyData: 4])
        #expect(batch.entries.map(\.origin) == [CountryCode](repeating: try #require(CountryCode("DE")), count: 4))
    }

    /// efgs-federation-gateway, TestData.
    @Test func `the gateway's own test key has its digest`() throws {
        let data: [UInt8] = [14, 15, 11, 14, 12, 15, 15, 16, 14, 15, 11, 14, 12, 15, 15, 16]
        let records = KeyRecords([
            Self.key(data, start: 2, period: 1, level: 3, ["DE", "FR", "PL"], type: 2, days: 42)
        ])
        #expect(
            Self.text(records[0])
                == "Dg8LDgwPDxAODwsODA8PEA==.AAAAAg==.AAAAAQ==.AAAAAw==.REUsRlIsUEw=.REU=.AAAAAg==.AAAAKg==.")
        let expected = "6c50e8474f965e2c7fa4033b7b46293559bd9ea0749fc2ca873ab2b11bb2ad7f"
        #expect(hexadecimal(records.digest(at: 0)) == expected)
        #expect(Self.digest(records) == expected)
    }

    @Test(arguments: [
        (UInt32(5), "AAAABQ==", "79af827dc9f3ae2520847042156467a45800704683d5e0edc5ef40d37dc7da32"),
        (UInt32(0x7FFF_FFFF), "f////w==", "32f0628e4f98da67539caddec13a89cf226d8563af7b9264bf9e87f4ca2cf142"),
        (UInt32.max, "/////w==", "83b5d36cb11db932c86e27f604db10ac2208405a608fbbea7e64f0e4937cc4ff"),
    ])
    func `numbers are in two's complement`(_ number: UInt32, _ text: String, _ digest: String) {
        let records = KeyRecords([
            Self.key(
                Array("123".utf8), start: number, period: number, level: -22, ["UK", "NL", "FR"], type: 1, days: 0)
        ])
        #expect(Self.text(records[0]) == "MTIz.\(text).\(text).////6g==.VUssTkwsRlI=.REU=.AAAAAQ==.AAAAAA==.")
        #expect(Self.digest(records) == digest)
    }

    @Test func `empty lists, zeros and negative days are as the gateway has them`() throws {
        let message = try #require(
            Data(
                base64Encoded:
                    "CigKEAABAgMEBQYHCAkKCwwNDg8QoK2iARiQASD/////BzICREU4AUAFCi0KEBAREhMUFRYXGBkaGxwdHh8QsK6iARiQASAC"
                    + "KgJGUioCTkwyAkRFOAFAqD4KIwoQ+/v7+/v7+/v7+/v7+/v7+xDAr6IBGDwqAkFUMgJERTgC"))
        let batch = try ReceivedBatch(protobuf: Array(message), limit: 1000)
        #expect(
            Self.text(batch.records.signedBytes)
                == "+/v7+/v7+/v7+/v7+/v7+w==.ACiXwA==.AAAAPA==.AAAAAA==.QVQ=.REU=.AAAAAg==.AAAAAA==.AAECAwQFBgcICQoLDA0ODw==."
                + "ACiWoA==.AAAAkA==.f////w==..REU=.AAAAAQ==./////Q==.EBESExQVFhcYGRobHB0eHw==.ACiXMA==.AAAAkA==.AAAAAg==.RlIsTkw=."
                + "REU=.AAAAAQ==.AAAPlA==.")
        #expect(Self.digest(batch.records) == "1d241bab4e01bf4828a1e6f09676b33e5bcbe03e654c7c687fcc3e94684630da")
        #expect(batch.keys.map(\.daysSinceOnset) == [-3, 3988, 0])
        #expect(
            batch.keys.map(\.riskLevel) == [.unset, FederatedRiskLevel(rawValue: 2), FederatedRiskLevel(rawValue: 0)])
        // It isn't the order of the records themselves.
        let records = (0..<3).map { Self.text(batch.records[$0]) }
        #expect(Self.text(batch.records.signedBytes) == records[2] + records[0] + records[1])
        // A good key has the same record as what was received.
        #expect(KeyRecords(batch.keys.map { UncheckedKey($0) }) == batch.records)
    }

    @Test func `records of a whole batch are those of another program`() throws {
        let vectors = try Vectors.read()
        let records = try vectors.batch().records
        #expect((0..<records.count).map { Self.text(records[$0]) } == vectors.records)
        #expect(Self.digest(records) == vectors.digest)
    }

    // MARK: Properties

    private static func slowly(_ records: [String]) -> String {
        let texts = records.map { (Data($0.utf8).base64EncodedString(), $0) }
        return texts.sorted { Array($0.0.utf8).lexicographicallyPrecedes(Array($1.0.utf8)) }.map(\.1).joined()
    }

    @Test(arguments: 0..<100)
    func `the order is that of the Base64 text of whole records`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        // Few values each, so that records differ in any place.
        let keys = (0..<60).map { _ in
            Self.key(
                [UInt8](
                    repeating: UInt8.random(in: 250...255, using: &random),
                    count: Int.random(in: 0...16, using: &random)),
                start: UInt32.random(in: 0...2, using: &random), period: UInt32.random(in: 0...300, using: &random),
                level: Int32.random(in: -1...1, using: &random),
                [String](repeating: "PL", count: Int.random(in: 0...2, using: &random)),
                type: Int32.random(in: 0...1, using: &random), days: Int32.random(in: -1...1, using: &random),
                origin: ["DE", "FR", ""].randomElement(using: &random) ?? "")
        }
        let records = KeyRecords(keys)
        let texts = (0..<records.count).map { Self.text(records[$0]) }
        #expect(Self.text(records.signedBytes) == Self.slowly(texts))
        // In any order, and in parts.
        #expect(KeyRecords(keys.shuffled(using: &random)).signedBytes == records.signedBytes)
        let part = (0..<60).filter { _ in Bool.random(using: &random) }.shuffled(using: &random)
        #expect(Self.text(records.signedBytes(of: part)) == Self.slowly(part.map { texts[$0] }))
    }

    @Test func `raw order and Base64 order differ, so that a test can tell them apart`() throws {
        let texts = try Vectors.read().records
        let raw = texts.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }.joined()
        #expect(Self.slowly(texts) != raw)
    }
}
