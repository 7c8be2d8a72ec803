/// A public model of the visits that people report, from which filling check-in reports are drawn.
///
/// Fillers are whole people's reports, truncated only where a set is full, so that venues repeat among them as among real ones. The
/// better the shares fit a country's phones, the less can be inferred from the venues of a published set.
package struct VisitModel: Sendable {
    /// The percentage of visits to the same venue as the previous one.
    private static let sameVenueShare = 25
    /// The percentage of visits that another one follows.
    private static let furtherVisitShare = 60

    /// The model. It has no state.
    package init() {}

    /// The reports of an upload that has any, in no order.
    package func reports(using random: inout some RandomNumberGenerator) -> [CheckInReport] {
        var reports: [CheckInReport] = []
        var venue = bytes(32, using: &random)
        repeat {
            if Int.random(in: 0..<100, using: &random) >= Self.sameVenueShare { venue = bytes(32, using: &random) }
            if let report = CheckInReport(venue + bytes(64, using: &random)) { reports.append(report) }
        } while Int.random(in: 0..<100, using: &random) < Self.furtherVisitShare
        return reports.shuffled(using: &random)
    }

    /// A multiple of eight random bytes.
    private func bytes(_ count: Int, using random: inout some RandomNumberGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }
}
