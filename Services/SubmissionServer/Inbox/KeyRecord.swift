import ExposureKeys

/// Encodes a diagnosis key as 26 bytes, the form that is hashed into an upload's tag and sealed into the inbox.
///
/// | bytes | content |
/// |---|---|
/// | 16 | key data |
/// | 4 | rolling start, big endian |
/// | 1 | rolling period |
/// | 1 | transmission risk level |
/// | 2 | days since onset, big endian, two's complement |
/// | 1 | report type |
/// | 1 | zero |
enum KeyRecord {
    static let size = 26

    static func append(_ key: DiagnosisKey, to bytes: inout [UInt8]) {
        let start = key.rollingPeriod.start.rawValue
        let onset = UInt16(bitPattern: Int16(truncatingIfNeeded: key.daysSinceOnsetOfSymptoms.rawValue))
        key.data.append(to: &bytes)
        withUnsafeBytes(of: start.bigEndian) { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(key.rollingPeriod.length))
        bytes.append(UInt8(key.transmissionRiskLevel.rawValue))
        withUnsafeBytes(of: onset.bigEndian) { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(key.reportType.rawValue))
        bytes.append(0)
    }

    /// Nil unless the bytes are a valid key.
    static func decode(_ bytes: ArraySlice<UInt8>) -> DiagnosisKey? {
        guard bytes.count == size else { return nil }
        let first = bytes.startIndex
        let start = bytes[first + 16..<first + 20].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let onset = Int16(bitPattern: UInt16(bytes[first + 22]) << 8 | UInt16(bytes[first + 23]))
        guard let data = KeyData(bytes[first..<first + 16]),
            let period = RollingPeriod(start: IntervalNumber(rawValue: start), length: UInt32(bytes[first + 20])),
            let level = TransmissionRiskLevel(rawValue: Int(bytes[first + 21])),
            let onset = DaysSinceOnset(rawValue: Int32(onset)),
            let report = ReportType(rawValue: Int(bytes[first + 24]))
        else { return nil }
        return DiagnosisKey(
            data: data, rollingPeriod: period, transmissionRiskLevel: level, daysSinceOnsetOfSymptoms: onset,
            reportType: report)
    }
}
