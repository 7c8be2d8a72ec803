import ExposureKeys

/// A diagnosis key as 26 bytes: what is hashed into an upload's tag and sealed into the inbox.
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

    static func encode(_ key: DiagnosisKey) -> [UInt8] {
        let start = key.rollingPeriod.start.rawValue
        let onset = UInt16(bitPattern: Int16(truncatingIfNeeded: key.daysSinceOnsetOfSymptoms.rawValue))
        return key.data.bytes
            + [UInt8(start >> 24), UInt8(start >> 16 & 0xff), UInt8(start >> 8 & 0xff), UInt8(start & 0xff)]
            + [UInt8(key.rollingPeriod.length), UInt8(key.transmissionRiskLevel.rawValue)]
            + [UInt8(onset >> 8), UInt8(onset & 0xff), UInt8(key.reportType.rawValue), 0]
    }

    /// Nil unless the bytes are a valid key.
    static func decode(_ bytes: ArraySlice<UInt8>) -> DiagnosisKey? {
        guard bytes.count == size else { return nil }
        let bytes = Array(bytes)
        let start = bytes[16..<20].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let onset = Int16(bitPattern: UInt16(bytes[22]) << 8 | UInt16(bytes[23]))
        guard let data = KeyData(bytes[..<16]),
            let period = RollingPeriod(start: IntervalNumber(rawValue: start), length: UInt32(bytes[20])),
            let level = TransmissionRiskLevel(rawValue: Int(bytes[21])),
            let onset = DaysSinceOnset(rawValue: Int32(onset)), let report = ReportType(rawValue: Int(bytes[24]))
        else { return nil }
        return DiagnosisKey(
            data: data, rollingPeriod: period, transmissionRiskLevel: level, daysSinceOnsetOfSymptoms: onset,
            reportType: report)
    }
}
