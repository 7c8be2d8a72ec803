import ExposureFormat
import ExposureKeys
import Foundation

/// The keys of a published file as all measurements of the export take them, ours and those that it is compared with: 15 days, 8
/// risk levels, a fifth of the periods shorter than a day. The same number gives the same keys.
///
/// Days since onset and report type aren't in it: in a published file they follow from the level.
enum ExportWorkload {
    /// 2026-11-21 in intervals of ten minutes.
    private static let today: UInt32 = 2_991_888

    /// As they come from the table.
    static func published(_ count: Int) -> [PublishedKey] {
        var keys: [PublishedKey] = []
        keys.reserveCapacity(count)
        each(count) { data, period, level in
            keys.append(PublishedKey(data: data, rollingPeriod: period, transmissionRiskLevel: level))
        }
        return keys
    }

    /// A key in 22 bytes: data, start (32 bits, lowest byte first), period, level.
    static func file(_ count: Int) -> Data {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count * 22)
        each(count) { data, period, level in
            data.append(to: &bytes)
            withUnsafeBytes(of: period.start.rawValue.littleEndian) { bytes.append(contentsOf: $0) }
            bytes.append(UInt8(period.length))
            bytes.append(UInt8(level.rawValue))
        }
        return Data(bytes)
    }

    private static func each(_ count: Int, _ body: (KeyData, RollingPeriod, TransmissionRiskLevel) -> Void) {
        var random = FastRandom(repeatable: 7)
        var made = 0
        while made < count {
            let start = IntervalNumber(rawValue: today - 144 * UInt32.random(in: 0..<15, using: &random))
            let length = random.next() % 5 == 0 ? UInt32.random(in: 1..<144, using: &random) : 144
            let data = KeyData(high: random.next(), low: random.next())
            guard let period = RollingPeriod(start: start, length: length),
                let level = TransmissionRiskLevel(rawValue: 1 + Int(random.next() % 8))
            else { continue }
            body(data, period, level)
            made += 1
        }
    }
}
