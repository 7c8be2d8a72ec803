/// A key as a batch contains it, before anything of it was checked.
///
/// Its signature covers these values, whether they are valid or not.
package struct UncheckedKey: Hashable, Sendable {
    /// 16 bytes in a good key.
    package var data: [UInt8]
    /// In intervals of ten minutes.
    package var rollingStart: UInt32
    /// In intervals of ten minutes.
    package var rollingPeriod: UInt32
    /// The level, or 0x7fffffff.
    package var riskLevel: Int32
    /// In the sender's order.
    package var visitedCountries: [String]
    /// The country that uploaded it.
    package var origin: String
    /// The number of the schema; ``unnamedType`` if the text names a type that it doesn't have.
    package var reportType: Int32
    /// In classes; see ``OnsetClass``.
    package var daysSinceOnset: Int32

    /// No type of the schema.
    package static let unnamedType: Int32 = -1

    /// A key from any values.
    package init(
        data: [UInt8], rollingStart: UInt32, rollingPeriod: UInt32, riskLevel: Int32, visitedCountries: [String],
        origin: String, reportType: Int32, daysSinceOnset: Int32
    ) {
        self.data = data
        self.rollingStart = rollingStart
        self.rollingPeriod = rollingPeriod
        self.riskLevel = riskLevel
        self.visitedCountries = visitedCountries
        self.origin = origin
        self.reportType = reportType
        self.daysSinceOnset = daysSinceOnset
    }
}
