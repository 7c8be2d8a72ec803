import Crypto
import CryptoExtras
package import ExposureKeys
import FoundationEssentials
package import Venues

/// A phone's stay at a venue.
package struct Visit: Hashable, Sendable {
    /// Where.
    package let venue: Venue
    /// From this interval on.
    package let start: IntervalNumber
    /// For so many intervals, at least one.
    package let intervals: UInt32

    /// Nil without an interval.
    package init?(to venue: Venue, from start: IntervalNumber, intervals: UInt32) {
        guard intervals > 0 else { return nil }
        self.venue = venue
        self.start = start
        self.intervals = intervals
    }

    /// The report that the visitor uploads after a positive test.
    /// - Parameter initializationVector: 16 bytes; by default random ones.
    /// - Throws: for another number of bytes.
    package func report(
        _ level: TransmissionRiskLevel, initializationVector: [UInt8]? = nil
    ) throws -> CheckInReport? {
        let record = CheckInRecord(
            start: start.rawValue, period: intervals, transmissionRiskLevel: UInt32(level.rawValue))
        let vector = initializationVector ?? SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }
        let encrypted = Array(
            try AES._CBC.encrypt(record.encoded, using: venue.encryptionKey, iv: AES._CBC.IV(ivBytes: vector)))
        let code = HMAC<SHA256>.authenticationCode(for: vector + encrypted, using: venue.authenticationKey)
        return CheckInReport(
            locationIDHash: venue.locationIDHash, initializationVector: vector, encryptedRecord: encrypted,
            authenticationCode: Array(code))
    }

    /// For how many intervals somebody who tested positive was there at the same time; nil if the report is of another venue, was
    /// changed, or of another time.
    package func overlap(with report: CheckInReport) -> (intervals: UInt32, level: TransmissionRiskLevel)? {
        guard report.locationIDHash.elementsEqual(venue.locationIDHash),
            HMAC<SHA256>.isValidAuthenticationCode(
                Array(report.authenticationCode),
                authenticating: Array(report.initializationVector) + report.encryptedRecord,
                using: venue.authenticationKey),
            let vector = try? AES._CBC.IV(ivBytes: Array(report.initializationVector)),
            let plain = try? AES._CBC.decrypt(Array(report.encryptedRecord), using: venue.encryptionKey, iv: vector),
            let record = CheckInRecord(Array(plain)),
            let level = TransmissionRiskLevel(rawValue: Int(record.transmissionRiskLevel))
        else { return nil }
        let first = max(UInt64(start.rawValue), UInt64(record.start))
        let end = min(UInt64(start.rawValue) + UInt64(intervals), UInt64(record.start) + UInt64(record.period))
        return end > first ? (UInt32(end - first), level) : nil
    }
}

/// `CheckInRecord` of the contract: three numbers, as protobuf's fields 1 to 3
/// (https://github.com/corona-warn-app/cwa-server/blob/main/common/protocols/src/main/proto/app/coronawarn/server/common/protocols/internal/pt/check_in.proto).
/// Written out here, because at most 15 bytes fit into a report's one block.
private struct CheckInRecord {
    var start: UInt32 = 0
    var period: UInt32 = 0
    var transmissionRiskLevel: UInt32 = 0

    init(start: UInt32, period: UInt32, transmissionRiskLevel: UInt32) {
        self.start = start
        self.period = period
        self.transmissionRiskLevel = transmissionRiskLevel
    }

    /// Nil for other bytes than three numbers. A field that is missing is 0.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while let tag = rest.popFirst() {
            var value: UInt64 = 0
            var shift: UInt64 = 0
            while true {
                guard let byte = rest.popFirst(), shift <= 28 else { return nil }
                value |= UInt64(byte & 0x7f) << shift
                shift += 7
                if byte < 0x80 { break }
            }
            guard let number = UInt32(exactly: value) else { return nil }
            switch tag {
            case 0x08: start = number
            case 0x10: period = number
            case 0x18: transmissionRiskLevel = number
            default: return nil
            }
        }
    }

    var encoded: [UInt8] {
        let fields: [(tag: UInt8, number: UInt32)] = [(0x08, start), (0x10, period), (0x18, transmissionRiskLevel)]
        return fields.flatMap { tag, number in
            var bytes = [tag]
            var rest = number
            while rest >= 0x80 {
                bytes.append(UInt8(rest & 0x7f) | 0x80)
                rest >>= 7
            }
            return bytes + [UInt8(rest)]
        }
    }
}
