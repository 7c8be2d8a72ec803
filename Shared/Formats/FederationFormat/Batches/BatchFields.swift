import ExposureKeys
import FoundationEssentials
import SwiftProtobuf

/// The outer message of a batch, field by field.
///
/// Its keys are decoded one at a time: one that can't be read doesn't spoil the others, and a body of a million empty
/// keys isn't decoded before it is refused.
enum BatchFields {
    /// The largest number of a field.
    private static let largestField: UInt64 = 0x1FFF_FFFF

    /// Where the keys are in a `DiagnosisKeyBatch`. Unknown fields are skipped.
    static func keys(in body: [UInt8]) throws(BatchFlaw) -> [Range<Int>] {
        var keys: [Range<Int>] = []
        var place = 0
        while place < body.count {
            let tag = try varint(body, &place)
            guard (1...largestField).contains(tag >> 3) else { throw .unreadable }
            switch tag & 7 {
            case 0: _ = try varint(body, &place)
            case 1: try skip(8, body, &place)
            case 5: try skip(4, body, &place)
            case 2:
                let length = try varint(body, &place)
                guard length <= UInt64(body.count) else { throw .unreadable }
                let start = place
                try skip(Int(length), body, &place)
                guard tag >> 3 == 1 else { continue }
                guard keys.count < ReceivedBatch.mostKeys else { throw .tooManyKeys }
                keys.append(start..<place)
            // Groups, which the third version of the language doesn't have.
            default: throw .unreadable
            }
        }
        return keys
    }

    private static func varint(_ body: [UInt8], _ place: inout Int) throws(BatchFlaw) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard place < body.count else { throw .unreadable }
            let byte = body[place]
            place += 1
            guard shift < 63 || byte <= 1 else { throw .unreadable }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        throw .unreadable
    }

    private static func skip(_ count: Int, _ body: [UInt8], _ place: inout Int) throws(BatchFlaw) {
        guard count <= body.count - place else { throw .unreadable }
        place += count
    }
}

extension UncheckedKey {
    /// Reads a `DiagnosisKey`; nil if it isn't one. Unknown fields, which no signature covers, are dropped.
    init?(protobuf bytes: ArraySlice<UInt8>) {
        var options = BinaryDecodingOptions()
        options.messageDepthLimit = 1
        options.discardUnknownFields = true
        guard let key = try? WireDiagnosisKey(serializedBytes: Array(bytes), options: options) else { return nil }
        self.init(
            data: Array(key.keyData), rollingStart: key.rollingStartIntervalNumber, rollingPeriod: key.rollingPeriod,
            riskLevel: key.transmissionRiskLevel, visitedCountries: key.visitedCountries, origin: key.origin,
            reportType: Int32(truncatingIfNeeded: key.reportType.rawValue),
            daysSinceOnset: key.daysSinceOnsetOfSymptoms)
    }
}
