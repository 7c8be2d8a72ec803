import Crypto
import ExposureFormat
import Foundation
import Testing

/// Field numbers and types, as in Corona-Warn-App's schemas:
/// https://github.com/corona-warn-app/cwa-server/tree/main/common/protocols/src/main/proto
@Suite("Static messages on the wire")
struct StaticMessageFieldTests {
    /// Of what another encoder makes of the same JSON with the contract's own schemas, a map's entries in the order of their
    /// keys: Python's protobuf library, and protoc for posters and certificates. Who changes a fixture finds the new digest
    /// there too, not here.
    static let digests: [StaticMessage: String] = [
        .applicationConfiguration: "f01fb924a69aad5f1268b60052d9f8f79fa284d8f8f3bc7e5fb1f5779ce1bbab",
        .applicationConfigurationIOS: "b6b68d2ae8e8363016f5d27a07475d8c6654438398caa02804a7dbe4df2fc6d0",
        .applicationConfigurationAndroid: "7a0101db513df778c44b2e3e34438994ca93656921c9effe2c4f7d3fa2685396",
        .statistics: "6ab150c85290f5dabe24fbf62d90e4b56ce8a2a5b56a4737d323d60c968bb1a7",
        .localStatistics: "3d2f907a62ec81caf08d11de73f1156a30a284280ec6cbd7d316e1f40f9c45c2",
        .posterTemplateIOS: "d024cc8145bb02264eac913bccc3d3a385b6f5985c846ccd695f94adff516b9d",
        .posterTemplateAndroid: "6327480aa58e1a6f90f9cc3f9e12e23058367efa5d6ab5392d7e223e3697e226",
        .signers: "f817ebe31d13fd6f0257b046a0fc035a6ae521dbbad4f186d418eb740b23c9f5",
        .revocations: "e5852a588874dff80273e0123d552a959224671fd0e43153d7f8e0892ad59046",
        .validationServices: "083746e0d55058695b1846e13734587ae99bcf74397ba8efd6e6220189703dd4",
        .valueSets: "28a7a87d7bfa854c0d4c9075d9048a30688c3664d87272c3f5907e5f9f1eed08",
    ]

    @Test("every field has the number and type of Corona-Warn-App's schemas", arguments: StaticMessage.allCases)
    func digest(message: StaticMessage) throws {
        let digest = SHA256.hash(data: try message.encode(json: Fixtures.everyField(of: message)))
        #expect(digest.map { String(format: "%02x", $0) }.joined() == Self.digests[message])
    }

    private func expect(_ message: StaticMessage, _ values: [(String, RawMessage.Value?)]) throws {
        let raw = try RawMessage(try message.encode(json: Fixtures.everyField(of: message)))
        for (path, value) in values {
            let found = try raw[path]
            #expect(found == value, "\(path)")
        }
    }

    @Test("iOS: field numbers and types")
    func ios() throws {
        try expect(
            .applicationConfigurationIOS,
            [
                ("1.1", .integer(1)), ("1.2", .integer(2)), ("1.3", .integer(3)), ("2.1", .integer(4)),
                ("3.1#1.1", .text("second")), ("3.1.2", .integer(-7)), ("4#1", .text("FR")),
                ("5.1.1", .text("DE")), ("5.1.2", .text("2026-11-20")), ("5.1.3", .text("\"day\"")),
                ("5.2.1", .text("EUR")), ("5.2.3", .integer(23)), ("5.2.4", .text("\"hour\"")),
                ("5.3.1", .text("\"visits\"")), ("6.1", .integer(6)),
                ("7.1.1.1", .double(1)), ("7.1.1.2", .integer(1)), ("7.1.1.3", .double(79)), ("7.1.1.4", .integer(1)),
                ("7.1.2.1", .double(2)), ("7.2.1.3", .double(4)), ("7.3.1.3", .double(63)), ("7.3.2", .double(0.8)),
                ("7.4#1.1.3", .double(99)), ("7.4#1.2", .integer(2)), ("7.4.2", .integer(1)), ("7.5.1.1", .double(7)),
                ("7.6.1", .integer(1)), ("7.6.2", .integer(2)), ("7.6.3", .integer(3)), ("7.6.4", .integer(4)),
                ("7.6.5", .integer(5)), ("7.6.6", .integer(6)), ("7.7", .double(0.2)), ("7.8.1", .integer(8)),
                ("7.8.2", .double(1.6)), ("7.9", .integer(11)),
                ("8.1.1", .integer(-14)), ("8.1#2.2", .integer(2)), ("8.2", .integer(4)),
                ("8.3", .bytes([30, 50, 200, 1])), ("8.4", .double(1.1)), ("8.5", .double(1.2)), ("8.6", .double(1.3)),
                ("8.7", .double(1.4)), ("8.8", .integer(13)), ("8.9", .double(1.5)), ("8.10", .double(1.6)),
                ("8.11", .double(1.7)), ("8.12", .double(1.8)), ("8.13", .double(1.9)), ("8.14", .double(2.1)),
                ("9.1.1", .text("otp")), ("9.1.2", .integer(1)), ("9.1.3", .text("https://survey.example/")),
                ("9.2", .bytes([])), ("10.1.1", .double(0.5)), ("10.1.2", .double(0.75)), ("10.1.3", .integer(165)),
                ("10.1.4", .integer(36)), ("10.1.5.1", .double(0.125)), ("11.1", .bytes([])),
                ("12.4", .bytes([1, 0xAC, 2])), ("13.1.1", .integer(48)), ("13.2.1", .integer(169)),
                ("14.1.1", .integer(10)), ("14.1.2", .integer(11)), ("14.2", .integer(27)),
                ("14.3.1.1", .bytes([0, 2])), ("14.3.1.2", .bytes(Array(0..<32))), ("14.4", .bytes(Array(32..<64))),
                ("15.1.1", .integer(48)), ("15.1.2", .integer(90)), ("15.1.3.1", .integer(100)),
                ("15.1.3.2", .integer(200)),
            ])
    }

    @Test("Android: field numbers and types where they differ from iOS")
    func android() throws {
        try expect(
            .applicationConfigurationAndroid,
            [
                ("1", .integer(31)), ("2", .integer(3_000_000_000)), ("3.1.1", .text("first")), ("4", .text("DE")),
                ("5.2.3", .integer(23)), ("5.3", .integer(61)), ("5.4", .integer(481)), ("5.5.1", .text("\"visits\"")),
                ("6.1", .integer(6)), ("6.2", .integer(900)), ("7.9", .integer(11)),
                ("8.1#1.1", .integer(1)), ("8.2", .integer(2)), ("8.3", .integer(1)),
                ("9.1", .bytes([30, 50, 200, 1])), ("9.3", .integer(13)), ("9.4.1", .integer(1)),
                ("9.4.2", .double(1.25)), ("9.5", .double(0.5)), ("9.6#1.1", .integer(4)), ("9.6#1.2", .double(2.25)),
                ("10.1.1", .text("otp")), ("10.2.1", .integer(1)), ("10.2.2", .integer(1)), ("10.2.3", .integer(1)),
                ("10.2.4", .integer(1)), ("11.1.3", .integer(165)), ("12.2.4", .integer(1)), ("13.3", .integer(3)),
                ("14.1.2", .integer(168)), ("15.2", .integer(27)), ("16.1.2", .integer(90)), ("16.2.1", .integer(1)),
            ])
    }

    @Test("presence tracing: field numbers and types")
    func presenceTracing() throws {
        try expect(
            .applicationConfigurationIOS,
            [
                ("12.1.1.1", .integer(7)), ("12.1.1.2", .double(1.4)), ("12.1.2.1.1", .double(8)),
                ("12.1.3.1.1", .double(9)), ("12.1.4", .integer(12)), ("12.2.1.1.3", .double(9)),
                ("12.2.2.1.3", .double(30)), ("12.2.2.2", .double(1.5)), ("12.2.2.3", .double(-2.5)),
                ("12.3", .integer(3)), ("12.5.1", .bytes([46, 47])), ("12.5.2", .double(0.25)),
                ("12.5.3", .double(0.005)), ("12.5.4.1.1", .double(-9)), ("12.5.4.2", .double(100)),
                ("12.5.4.3", .double(1.4)), ("12.5.4.4", .double(-1)), ("12.5.4.5", .double(0.8)),
                ("12.5.4.6", .double(-1.5)), ("12.5.4.7", .double(2)), ("12.5.4.8", .double(3)),
                ("12.5.4.9", .double(4)), ("12.5.4.10", .double(5)), ("12.6.1", .text("(a)(b)(c)")),
                ("12.6.2", .integer(1)), ("12.6.3", .integer(2)), ("12.6.4", .integer(1)),
            ])
    }

    @Test("the first apps' configuration: field numbers and types")
    func legacy() throws {
        try expect(
            .applicationConfiguration,
            [
                ("1", .integer(11)), ("2.1#1.1", .text("HIGH")), ("2.1#1.2", .integer(15)), ("2.1#1.3", .integer(9999)),
                ("2.1.4", .text("https://www.coronawarn.app")), ("3.1.1", .integer(1)), ("3.1.8", .integer(8)),
                ("3.2", .double(10)), ("3.3.1", .integer(8)), ("3.3.8", .integer(1)), ("3.4", .double(20)),
                ("3.5.1", .integer(1)), ("3.5.8", .integer(8)), ("3.6", .double(30)), ("3.7.2", .integer(2)),
                ("3.8", .double(40.5)), ("4.1.1", .integer(55)), ("4.1.2", .integer(63)), ("4.2.1", .double(1)),
                ("4.2.2", .double(0.5)), ("4.2.3", .double(0.25)), ("4.3", .integer(1)), ("4.4", .integer(50)),
                ("5.1.1.1", .integer(4)), ("5.1.2.3", .integer(3)), ("5.2.1.3", .integer(9)), ("5.2.2.3", .integer(8)),
                ("6.1.1", .text("first")), ("7#1", .text("FR")), ("8.1.2", .text("2026-11-20")),
                ("9.3", .integer(61)), ("10.1", .integer(5)), ("11.2", .integer(900)),
            ])
    }

    @Test("statistics: field numbers and types")
    func statistics() throws {
        try expect(
            .statistics,
            [
                ("1", .bytes([13, 12, 0xE7, 7] + [UInt8](repeating: 0xFF, count: 9) + [1])), ("2.1.1", .integer(13)),
                ("2.1.2", .integer(1_700_000_000)), ("2.2.1", .integer(1)), ("2.2.2", .double(12.5)),
                ("2.2.3", .integer(1)), ("2.2.4", .integer(3)), ("2.2.5", .integer(2)),
                ("2.2.6", .integer(1_700_000_001)), ("2.2#1.2", .double(-3)), ("2.2#1.5", .integer(3)),
                ("3.1.1", .integer(999)), ("3.2", .text("https://figures.example/")),
            ])
        try expect(
            .localStatistics,
            [
                ("1.1", nil), ("1.2", .integer(1_700_000_003)), ("1.3.1", .double(1.5)), ("1.3.2", .integer(1)),
                ("1.4", .integer(1_700_000_004)), ("1.5.1", .double(2.5)), ("1#1.1", .integer(15)),
                ("2.1", .integer(1001)), ("2.2", .integer(1_700_000_006)), ("2.3.2", .integer(3)),
            ])
    }
}
