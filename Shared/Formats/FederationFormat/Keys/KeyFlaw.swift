/// Why a key of a batch can't be used: the rules of the gateway's DiagnosisKeyBatchValidator, and of this module's
/// types. The text is a metric's label.
package enum KeyFlaw: String, Error, Hashable, Sendable, CaseIterable {
    /// It can't be decoded.
    case unreadable
    /// It hasn't 16 bytes.
    case keyData = "key_data"
    /// The period starts too early or too late.
    case rollingStart = "rolling_start"
    /// The period isn't 1...144 intervals long.
    case rollingPeriod = "rolling_period"
    /// The level isn't 0...8, nor unset.
    case riskLevel = "risk_level"
    /// A visited country isn't two capital letters, or there are more of them than the gateway stores.
    case visitedCountries = "visited_countries"
    /// The origin isn't two capital letters.
    case origin
    /// The type isn't one of the schema.
    case reportType = "report_type"
}
