package import ExposureKeys

/// The published part of a diagnosis key, in 24 bytes: a day has hundreds of thousands of them.
///
/// Keys are ordered by metadata first and key data second, which is the order in published files. The order depends on published
/// values only. In particular it ignores the uploaded report type and days since onset: they aren't published, and an order by
/// them would reveal them. Keys with equal metadata are adjacent, which compresses best.
package struct PublishedKey: Comparable, Hashable, Sendable, BitwiseCopyable {
    /// 32 bits of rolling start, 8 of risk level, 8 of rolling period: in this order adjacent keys differ in the fewest bytes.
    let metadata: UInt64
    /// The key itself.
    package let data: KeyData

    /// A key to be published.
    package init(_ key: DiagnosisKey) {
        self.init(
            data: key.data, rollingPeriod: key.rollingPeriod, transmissionRiskLevel: key.transmissionRiskLevel)
    }

    /// A key of a file that was read.
    init(_ key: ExportedKey) {
        self.init(
            data: key.data, rollingPeriod: key.rollingPeriod, transmissionRiskLevel: key.transmissionRiskLevel)
    }

    /// A key from its published values.
    package init(data: KeyData, rollingPeriod period: RollingPeriod, transmissionRiskLevel level: TransmissionRiskLevel)
    {
        metadata = UInt64(period.start.rawValue) << 16 | UInt64(level.rawValue) << 8 | UInt64(period.length)
        self.data = data
    }

    package static func < (left: PublishedKey, right: PublishedKey) -> Bool {
        left.metadata == right.metadata ? left.data < right.data : left.metadata < right.metadata
    }

    var rollingStart: UInt32 { UInt32(truncatingIfNeeded: metadata >> 16) }
    var rollingPeriod: UInt8 { UInt8(truncatingIfNeeded: metadata) }
    var level: UInt8 { UInt8(truncatingIfNeeded: metadata >> 8) }
}
