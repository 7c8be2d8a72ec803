import FoundationEssentials
import Testing

@testable import ExposureFormat
@testable import PushFormat
@testable import SwiftProtobuf

@Suite("Messages in bytes")
struct BinaryTests {
    private func key(_ bytes: [UInt8], _ options: BinaryDecodingOptions = .init()) throws -> TemporaryExposureKey {
        try TemporaryExposureKey(serializedBytes: bytes, options: options)
    }

    // MARK: Numbers

    @Test("a number may have more bytes than it needs, up to ten")
    func overlong() throws {
        #expect(try key([0x10, 0x83, 0x80, 0x00]).transmissionRiskLevel == 3)
        #expect(try key([0x10, 0x83] + [UInt8](repeating: 0x80, count: 8) + [0]).transmissionRiskLevel == 3)
        #expect(try key([0x0A, 0x81, 0x00, 7]).keyData == Data([7]))
    }

    @Test(
        "a number of more than 64 bits is refused",
        arguments: [
            [0x10, 0x83] + [UInt8](repeating: 0x80, count: 9) + [0], [0x10] + [UInt8](repeating: 0xFF, count: 9) + [2],
            [0x10] + [UInt8](repeating: 0xFF, count: 10) + [0],
        ])
    func tooLong(bytes: [UInt8]) {
        #expect(throws: BinaryDecodingError.malformedProtobuf) { try key(bytes) }
    }

    @Test(
        "a tag and a length have 32 bits, and so at most five bytes",
        arguments: [
            [0x8A, 0x80, 0x80, 0x80, 0x80, 0x00, 1, 7], [0x0A, 0x81, 0x80, 0x80, 0x80, 0x80, 0x00, 7],
            [0xFA, 0x81, 0x80, 0x80, 0x00, 0x81, 0x80, 0x80, 0x80, 0x80, 0x00, 7],
        ])
    func longTagsAndLengths(bytes: [UInt8]) throws {
        #expect(throws: BinaryDecodingError.malformedProtobuf) { try key(bytes) }
        #expect(try key([0x8A, 0x80, 0x80, 0x80, 0x00, 0x81, 0x80, 0x80, 0x80, 0x00, 7]).keyData == Data([7]))
    }

    @Test("of a number that is too large for its field, the lowest bits count")
    func largeNumbers() throws {
        #expect(try key([0x10] + [UInt8](repeating: 0xFF, count: 9) + [1]).transmissionRiskLevel == -1)
        #expect(try key([0x10, 0x85, 0x80, 0x80, 0x80, 0x10]).transmissionRiskLevel == 5)
    }

    @Test("an endless number doesn't run over the end")
    func endless() {
        #expect(throws: BinaryDecodingError.truncated) { try key([0x10, 0x80]) }
        #expect(throws: BinaryDecodingError.truncated) { try key([0x80]) }
    }

    // MARK: Lengths

    @Test(
        "a length beyond the end is refused, however large",
        arguments: [
            [0x0A, 5, 1, 2, 3, 4], [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F],
            [0x0A] + [UInt8](repeating: 0xFF, count: 9) + [1],
            [0x0A, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01], [0x0A],
        ])
    func lengths(bytes: [UInt8]) {
        #expect(throws: BinaryDecodingError.truncated) { try key(bytes) }
    }

    @Test(
        "a string that isn't UTF-8 is refused",
        arguments: [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80]] as [[UInt8]])
    func notText(text: [UInt8]) {
        let bytes = [0x12, UInt8(text.count)] + text
        #expect(throws: BinaryDecodingError.invalidUTF8) { try PushRegistration(serializedBytes: bytes) }
    }

    @Test(
        "messages of lengths around those of one and two bytes",
        arguments: [0, 1, 126, 127, 128, 16_383, 16_384, 70_000])
    func longMessages(count: Int) throws {
        let message = TEKSignatureList.with {
            $0.signatures = [.with { $0.signatureInfo.appBundleID = String(repeating: "a", count: count) }]
        }
        let bytes: [UInt8] = try message.serializedBytes()
        #expect(try TEKSignatureList(serializedBytes: bytes) == message)
        #expect(try TEKSignatureList(serializedBytes: Data(bytes)) == message)
        #expect(try message.serializedBytes() as Data == Data(bytes))
    }

    // MARK: Tags

    @Test(
        "a tag that isn't one is refused",
        arguments: [
            // Number 0, types 6 and 7, more than 32 bits, the end of a group that didn't start.
            [0x00], [0x02, 0], [0x0E, 0], [0x0F, 0], [0x88, 0x80, 0x80, 0x80, 0x10, 0], [0x0C],
        ] as [[UInt8]])
    func badTags(bytes: [UInt8]) {
        #expect(throws: BinaryDecodingError.malformedProtobuf) { try key(bytes) }
    }

    @Test("a field that was sent as another type is an unknown one")
    func wrongTypes() throws {
        // Each field of a key as each type that it hasn't.
        let values: [(type: UInt8, bytes: [UInt8])] = [
            (0, [1]), (1, [1, 2, 3, 4, 5, 6, 7, 8]), (2, [1, 1]), (5, [1, 2, 3, 4]),
        ]
        for number in UInt8(1)...6 {
            for value in values where value.type != (number == 1 ? 2 : 0) {
                let bytes = [number << 3 | value.type] + value.bytes
                let key = try key(bytes)
                #expect(key.unknownFields.data == bytes)
                #expect(try key.serializedBytes() == bytes)
                #expect(!key.hasKeyData && !key.hasRollingPeriod && !key.hasReportType)
            }
        }
    }

    // MARK: Several values

    @Test("of several values, the last one counts")
    func lastValue() throws {
        #expect(try key([0x10, 1, 0x10, 2]).transmissionRiskLevel == 2)
        #expect(try key([0x0A, 1, 1, 0x0A, 0]).keyData == Data())
    }

    @Test("a message that comes in parts is merged")
    func merged() throws {
        // Each part has another field of the message within.
        let parts: [UInt8] = [0x0A, 3, 0x0A, 1, 0x61, 0x10, 7, 0x0A, 3, 0x12, 1, 0x62, 0x0A, 3, 0x0A, 1, 0x63]
        let signature = try TEKSignature(serializedBytes: parts)
        #expect(signature.signatureInfo.appBundleID == "c" && signature.signatureInfo.androidPackage == "b")
        #expect(signature.batchNum == 7)
    }

    @Test("a message in a hundred thousand parts is merged in a moment")
    func manyParts() throws {
        // Each part brings an unknown field.
        let part: [UInt8] = [0x0A, 2, 0x38, 1]
        let signature = try TEKSignature(serializedBytes: Array(repeatElement(part, count: 100_000).joined()))
        #expect(signature.signatureInfo.unknownFields.data.count == 200_000)
    }

    @Test("numbers come packed and one by one")
    func packed() throws {
        let bytes: [UInt8] = [0x08, 1, 0x0A, 2, 2, 3, 0x08, 4, 0x0A, 0]
        let statistics = try WireStatistics(serializedBytes: bytes)
        #expect(statistics.cardIDSequence == [1, 2, 3, 4])
        #expect(try statistics.serializedBytes() == [0x0A, 4, 1, 2, 3, 4])
        #expect(throws: BinaryDecodingError.truncated) { try WireStatistics(serializedBytes: [0x0A, 1, 0x80]) }
    }

    @Test("a map's entries are ordered by number, and the last one of a key counts")
    func maps() throws {
        let message = WireDiagnosisKeysDataMapping.with {
            for day in Int32(-14)...14 { $0.daysSinceOnsetToInfectiousness[day] = day * day }
        }
        let bytes = try message.bytes()
        #expect(try WireDiagnosisKeysDataMapping(serializedBytes: bytes) == message)
        let first: [UInt8] = [0x0A, 14, 8, 0xF2, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 0x10, 0xC4, 1]
        #expect(Array(bytes.prefix(16)) == first && Array(bytes.suffix(7)) == [0x0A, 5, 8, 14, 0x10, 0xC4, 1])
        let twice = try WireDiagnosisKeysDataMapping(serializedBytes: [0x0A, 4, 8, 1, 0x10, 2, 0x0A, 4, 8, 1, 0x10, 3])
        #expect(twice.daysSinceOnsetToInfectiousness == [1: 3])
    }

    @Test("a map's entry without a key or a value has zero; what else it has is passed over")
    func incompleteEntries() throws {
        let bytes: [UInt8] = [0x0A, 2, 8, 5, 0x0A, 2, 0x10, 6, 0x0A, 6, 0x18, 9, 8, 7, 0x10, 8]
        let message = try WireDiagnosisKeysDataMapping(serializedBytes: bytes)
        #expect(message.daysSinceOnsetToInfectiousness == [5: 0, 0: 6, 7: 8])
    }

    // MARK: Unknown fields

    @Test("unknown fields of every type are kept, behind the known ones, or dropped")
    func unknownFields() throws {
        let unknown: [UInt8] = [
            0x50, 1, 0x51, 1, 2, 3, 4, 5, 6, 7, 8, 0x52, 1, 9, 0x55, 1, 2, 3, 4,
            // A group with a group and a number within.
            0x53, 0x5B, 0x50, 1, 0x5C, 0x54,
        ]
        let decoded = try key(unknown + [0x10, 3] + unknown)
        #expect(decoded.transmissionRiskLevel == 3)
        #expect(decoded.unknownFields.data == unknown + unknown)
        #expect(try decoded.serializedBytes() == [0x10, 3] + unknown + unknown)
        var options = BinaryDecodingOptions()
        options.discardUnknownFields = true
        #expect(try key(unknown + [0x10, 3] + unknown, options).serializedBytes() == [0x10, 3])
    }

    @Test("unknown fields that aren't whole are refused, also if they are dropped")
    func badUnknownFields() {
        var options = BinaryDecodingOptions()
        options.discardUnknownFields = true
        for bytes in [[0x50], [0x51, 1], [0x52, 2, 1], [0x55, 1, 2, 3], [0x53], [0x53, 0x50, 1]] as [[UInt8]] {
            #expect(throws: BinaryDecodingError.truncated) { try key(bytes, options) }
        }
        // The end of another group.
        #expect(throws: BinaryDecodingError.malformedProtobuf) { try key([0x53, 0x5C], options) }
    }

    @Test("a number that an enumeration of proto2 doesn't have is an unknown field; one of proto3 holds it")
    func enumerations() throws {
        let old = try key([0x28, 99])
        #expect(!old.hasReportType && old.reportType == .confirmedTest && old.unknownFields.data == [0x28, 99])
        #expect(try key([0x28, 2, 0x28, 99]).reportType == .confirmedClinicalDiagnosis)
        let new = try PushRegistration(serializedBytes: [0x18, 99])
        #expect(new.pushType == .UNRECOGNIZED(99) && new.unknownFields.data.isEmpty)
        #expect(try new.serializedBytes() == [0x18, 99])
        let negative = try PushRegistration(serializedBytes: [0x18] + [UInt8](repeating: 0xFF, count: 9) + [1])
        #expect(negative.pushType == .UNRECOGNIZED(-1))
    }

    // MARK: Depth

    @Test("messages are as deep as the limit says, the outermost included")
    func depth() throws {
        let bytes: [UInt8] = try TEKSignatureList.with { $0.signatures = [.with { $0.signatureInfo = .init() }] }
            .serializedBytes()
        for limit in 0...4 {
            var options = BinaryDecodingOptions()
            options.messageDepthLimit = limit
            if limit < 3 {
                #expect(throws: BinaryDecodingError.messageDepthLimit) {
                    try TEKSignatureList(serializedBytes: bytes, options: options)
                }
            } else {
                _ = try TEKSignatureList(serializedBytes: bytes, options: options)
            }
        }
    }

    @Test("groups count as messages, so that a million of them doesn't exhaust the stack")
    func groups() throws {
        let nested = [UInt8](repeating: 0x53, count: 99) + [UInt8](repeating: 0x54, count: 99)
        #expect(try key(nested).unknownFields.data == nested)
        #expect(throws: BinaryDecodingError.messageDepthLimit) { try key([0x53] + nested + [0x54]) }
        #expect(throws: BinaryDecodingError.messageDepthLimit) { try key([UInt8](repeating: 0x53, count: 1_000_000)) }
    }

    // MARK: Floating point

    @Test("numbers that aren't finite, and the negative zero, keep their bits")
    func reals() throws {
        for value in [Double.infinity, -.infinity, .nan, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude] {
            let message = WireRiskCalculationParameters.with { $0.transmissionRiskLevelMultiplier = value }
            let bytes: [UInt8] = try message.serializedBytes()
            let read = try WireRiskCalculationParameters(serializedBytes: bytes).transmissionRiskLevelMultiplier
            #expect(read.bitPattern == value.bitPattern)
        }
    }

    @Test("a message with the negative zero is equal to one without, and has its hash")
    func negativeZero() {
        let message = WireRiskCalculationParameters.with { $0.transmissionRiskLevelMultiplier = -0.0 }
        #expect(message == WireRiskCalculationParameters())
        #expect(message.hashValue == WireRiskCalculationParameters().hashValue)
    }

    @Test("equal messages hash alike, others don't")
    func hashing() throws {
        let messages = try (0..<100).map { try key([0x10, UInt8($0)]) }
        #expect(Set(messages).count == 100)
        #expect(Set(messages + messages).count == 100)
    }
}
