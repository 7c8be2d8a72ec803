import ExposureKeys
import Foundation
import TestSupport
import Testing
import TraceKeyFormat

@Suite struct TraceKeyListTests {
    /// What another program wrote: `Fixtures/make-lists.py`.
    struct Written: Decodable, CustomTestStringConvertible, Sendable {
        let json: String
        let protobuf: String

        var testDescription: String { "\(json.utf8.count) bytes" }

        var bytes: [UInt8] {
            let digits = protobuf.compactMap(\.hexDigitValue)
            return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        }
    }

    static let written: [Written] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/lists.json")
        let read = try? JSONDecoder().decode([Written].self, from: Data(contentsOf: file))
        return read ?? []
    }()

    static func key(
        _ first: UInt8, day: Int32 = 20_000, secretKey: Int = 48, data: Int = 40, nonce: Int = 24
    ) -> TraceKey? {
        TraceKey(
            identity: [first] + [UInt8](repeating: 1, count: 31), secretKey: [UInt8](repeating: 2, count: secretKey),
            day: Day(number: day), associatedData: [UInt8](repeating: 3, count: data),
            nonce: [UInt8](repeating: 4, count: nonce))
    }

    @Test(arguments: written)
    func `both forms are those of another program`(_ written: Written) throws {
        let list = try #require(TraceKeyList(json: Data(written.json.utf8)))
        #expect(String(decoding: try list.json(), as: UTF8.self) == written.json)
        #expect(try list.protobuf() == written.bytes)
        #expect(TraceKeyList(protobuf: written.bytes) == list)
        // In another order it is the same list.
        #expect(try TraceKeyList(list.keys.reversed()).json() == Array(written.json.utf8))
    }

    @Test func `the other program wrote lists`() {
        #expect(Self.written.map { TraceKeyList(json: Data($0.json.utf8))?.keys.count } == [0, 1, 2, 25])
    }

    @Test func `a key has bytes of each length`() {
        #expect(Self.key(1) != nil)
        #expect(Self.key(1, secretKey: 47) == nil)
        #expect(Self.key(1, secretKey: 96) == nil)
        #expect(Self.key(1, data: 15) == nil)
        #expect(Self.key(1, data: 16) != nil)
        #expect(Self.key(1, data: 1024) != nil)
        #expect(Self.key(1, data: 1025) == nil)
        #expect(Self.key(1, nonce: 12) == nil)
    }

    @Test func `a key is current from the beginning of its day until fourteen days after it`() throws {
        let key = try #require(Self.key(1))
        let start = Date(timeIntervalSince1970: 20_000 * 86_400)
        #expect(!key.isCurrent(at: start.addingTimeInterval(-1)))
        #expect(key.isCurrent(at: start))
        #expect(key.isCurrent(at: start.addingTimeInterval(15 * 86_400 - 1)))
        #expect(!key.isCurrent(at: start.addingTimeInterval(15 * 86_400)))
        #expect(key.hasExpired(at: start.addingTimeInterval(15 * 86_400)))
    }

    @Test(arguments: [
        (#""version":4"#, #""version":3"#), (#""day":1728000000000"#, #""day":1728000000001"#),
        (#""day":1728000000000"#, #""day":-86400000"#), (#""day":1728000000000"#, #""day":"1728000000000""#),
        ("AQEBAQ", "AQEBA/"), ("AgICAg", "AgICA"), ("identity", "Identity"), ("[{", "{"),
    ])
    func `a list with a wrong part is none`(_ part: String, _ other: String) throws {
        let text = String(decoding: try TraceKeyList([try #require(Self.key(9))]).json(), as: UTF8.self)
        let changed = try #require(text.firstRange(of: part).map { text.replacingCharacters(in: $0, with: other) })
        #expect(TraceKeyList(json: Data(text.utf8)) != nil)
        #expect(TraceKeyList(json: Data(changed.utf8)) == nil)
    }

    @Test func `a key that is there twice spoils a list`() throws {
        let list = TraceKeyList([try #require(Self.key(9))])
        let json = String(decoding: try list.json(), as: UTF8.self)
        #expect(TraceKeyList(json: Data("[\(json.dropFirst().dropLast()),\(json.dropFirst())".utf8)) == nil)
        let event = try list.protobuf().dropFirst(2)
        #expect(TraceKeyList(protobuf: try list.protobuf() + event) == nil)
    }

    @Test(arguments: 0..<200)
    func `whatever is read as a list is written as one that reads the same`(_ seed: UInt64) throws {
        var randomness = SeededGenerator(seed: seed)
        let written = try #require(Self.written.last)
        if let list = TraceKeyList(json: Data(written.json.utf8).mutated(using: &randomness)) {
            #expect(TraceKeyList(json: Data(try list.json())) == list)
        }
        if let list = TraceKeyList(protobuf: Array(Data(written.bytes).mutated(using: &randomness))) {
            #expect(TraceKeyList(protobuf: try list.protobuf()) == list)
        }
    }
}
