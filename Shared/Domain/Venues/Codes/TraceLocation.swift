import Crypto
import CryptoExtras
import ExposureKeys
import FoundationEssentials

/// A venue of Corona-Warn-App. Who scanned its QR code can make and read the reports of its visitors.
///
/// The derivations are those of the published apps (cwa-app-android, `CheckInCryptography.kt`, `TraceLocationId`). Unlike those of a
/// ``VenueSeed``, its reports carry a constant hash of the venue, so everybody can count them by venue.
package struct TraceLocation: Hashable, Sendable {
    /// The secret that all else is derived from: 32 bytes.
    package let id: [UInt8]

    /// Nil unless there are 32 bytes.
    package init?(id: [UInt8]) {
        guard id.count == SHA256.byteCount else { return nil }
        self.id = id
    }

    /// The venue of a QR code, by the bytes of the code's payload as they were scanned.
    package init(payload: some Sequence<UInt8>) {
        id = Array(SHA256.hash(data: Array("CWA-GUID".utf8) + payload))
    }

    /// The name under which reports of this venue are found: 32 bytes.
    package var idHash: [UInt8] { Array(SHA256.hash(data: id)) }

    /// The report of a visit, which visitors of this venue can read.
    /// - Parameter initializationVector: 16 bytes, random for each report. A constant one is for test vectors only.
    /// - Throws: for another number of bytes.
    package func seal(_ visit: VisitRecord, initializationVector: [UInt8]? = nil) throws -> CheckInReport {
        let vector = initializationVector ?? SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }
        let record = ProtobufFields.encode([
            (1, visit.start.rawValue), (2, visit.length), (3, UInt32(visit.transmissionRiskLevel.rawValue)),
        ])
        let encrypted = Array(try AES._CBC.encrypt(record, using: encryptionKey, iv: AES._CBC.IV(ivBytes: vector)))
        let code = HMAC<SHA256>.authenticationCode(for: vector + encrypted, using: authenticationKey)
        let report = CheckInReport(
            locationIDHash: idHash, initializationVector: vector, encryptedRecord: encrypted,
            authenticationCode: Array(code))
        guard let report else { throw CryptoKitError.incorrectParameterSize }
        return report
    }

    /// What a report says; nil if it is of another venue, was changed, or says what no app would.
    package func open(_ report: CheckInReport) -> VisitRecord? {
        guard report.locationIDHash.elementsEqual(idHash),
            HMAC<SHA256>.isValidAuthenticationCode(
                Array(report.authenticationCode),
                authenticating: Array(report.initializationVector) + report.encryptedRecord, using: authenticationKey),
            let vector = try? AES._CBC.IV(ivBytes: Array(report.initializationVector)),
            let plain = try? AES._CBC.decrypt(Array(report.encryptedRecord), using: encryptionKey, iv: vector),
            let record = ProtobufFields(Array(plain)[...]), let start = UInt32(exactly: record.number(1)),
            let period = UInt32(exactly: record.number(2)),
            let level = Int(exactly: record.number(3)).flatMap(TransmissionRiskLevel.init(rawValue:))
        else { return nil }
        let (end, isPastAll) = start.addingReportingOverflow(period)
        guard !isPastAll else { return nil }
        return VisitRecord(
            start: IntervalNumber(rawValue: start), end: IntervalNumber(rawValue: end), transmissionRiskLevel: level)
    }

    /// For AES-256-CBC.
    private var encryptionKey: SymmetricKey { key("CWA-ENCRYPTION-KEY") }
    /// For HMAC-SHA-256.
    private var authenticationKey: SymmetricKey { key("CWA-MAC-KEY") }

    private func key(_ purpose: String) -> SymmetricKey {
        SymmetricKey(data: SHA256.hash(data: Array(purpose.utf8) + id))
    }
}
