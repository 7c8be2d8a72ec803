import FoundationEssentials

extension Date {
    /// Whole hours since the epoch.
    var hourNumber: Int32 { Int32(clamping: Int64((timeIntervalSince1970 / 3600).rounded(.down))) }
    /// Whole days since the epoch.
    var dayNumber: Int32 { Int32(clamping: Int64((timeIntervalSince1970 / 86_400).rounded(.down))) }
}
