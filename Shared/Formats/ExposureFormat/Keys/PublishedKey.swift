package import ExposureKeys

/// A diagnosis key, less what isn't published of it, in 24 bytes: a day has hundreds of thousands.
///
/// It is `Comparable` by metadata first and key data second, which is the order of published files. It is a function of what is
/// published and of nothing else. In particular the report type and the days since onset as uploaded have no part in it: they
/// aren't published, and an order by them would publish them. Equal metadata side by side compresses best (design decision 11).
package struct PublishedKey: Comparable, Hashable, Sendable, BitwiseCopyable {
    /// 32 bits of rolling start, 8 of risk level, 8 of rolling period: in this order neighbours differ in the fewest bytes.
    let metadata: UInt64
    let data: KeyData

    /// A key that is to be published.
    package init(_ key: DiagnosisKey) {
        self.init(
            data: key.data, rollingPeriod: key.rollingPeriod, transmissionRiskLevel: key.transmissionRiskLevel)
    }

    /// A key of a file that was read.
    init(_ key: ExportedKey) {
        self.init(
            data: key.data, rollingPeriod: key.rollingPeriod, transmissionRiskLevel: key.transmissionRiskLevel)
    }

    /// A key of what is published of it.
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
