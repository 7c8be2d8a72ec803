import ArgumentParser
import ExposureKeys
import Foundation

/// The keys of a published file as all measurements of the export take them, ours and those that it is compared with: 15 days, 8
/// risk levels, a fifth of the periods shorter than a day. The same number gives the same keys.
///
/// Days since onset and report type aren't in it: in a published file they follow from the level.
enum ExportWorkload {
    /// 2026-11-21 in intervals of ten minutes.
    private static let today: UInt32 = 2_991_888

    static func keys(_ count: Int) -> [DiagnosisKey] {
        var random = FastRandom(repeatable: 7)
        var keys: [DiagnosisKey] = []
        keys.reserveCapacity(count)
        while keys.count < count {
            let start = today - 144 * UInt32.random(in: 0..<15, using: &random)
            let length = random.next() % 5 == 0 ? UInt32.random(in: 1..<144, using: &random) : 144
            let key = DiagnosisKey(
                data: KeyData(high: random.next(), low: random.next()), start: start, length: length,
                level: 1 + Int(random.next() % 8))
            if let key { keys.append(key) }
        }
        return keys
    }

    /// A key in 22 bytes: data, start (32 bits, lowest byte first), period, level.
    static func file(of keys: [DiagnosisKey]) -> Data {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(keys.count * 22)
        for key in keys {
            key.data.append(to: &bytes)
            withUnsafeBytes(of: key.rollingPeriod.start.rawValue.littleEndian) { bytes.append(contentsOf: $0) }
            bytes.append(UInt8(key.rollingPeriod.length))
            bytes.append(UInt8(key.transmissionRiskLevel.rawValue))
        }
        return Data(bytes)
    }
}

extension DiagnosisKey {
    fileprivate init?(data: KeyData, start: UInt32, length: UInt32, level: Int) {
        guard let period = RollingPeriod(start: IntervalNumber(rawValue: start), length: length),
            let level = TransmissionRiskLevel(rawValue: level), let onset = DaysSinceOnset(rawValue: 0)
        else { return nil }
        self.init(
            data: data, rollingPeriod: period, transmissionRiskLevel: level, daysSinceOnsetOfSymptoms: onset,
            reportType: .confirmedTest)
    }
}
