import ExposureKeys

/// A key's place in a published file: metadata first, then the key itself.
///
/// It is a function of what is published and of nothing else. In particular the report type and the days since onset
/// as uploaded have no part in it: they aren't published, and an order by them would publish them. Equal metadata side
/// by side compresses best (design decision 11).
///
/// The fields are packed, because sorting compares a day's 600,000 keys twelve million times.
struct ExportOrder: Comparable {
    private let metadata: UInt64
    private let data: KeyData

    init(_ key: ExportedKey) {
        // 32 bits of rolling start, 8 of rolling period, 8 of risk level, each in its own range by type.
        metadata =
            UInt64(key.rollingPeriod.start.rawValue) << 16 | UInt64(key.rollingPeriod.length) << 8
            | UInt64(key.transmissionRiskLevel.rawValue)
        data = key.data
    }

    static func < (left: ExportOrder, right: ExportOrder) -> Bool {
        left.metadata == right.metadata ? left.data < right.data : left.metadata < right.metadata
    }
}
