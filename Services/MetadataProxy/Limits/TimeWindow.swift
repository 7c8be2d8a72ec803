import FoundationEssentials

/// A span of the wall clock that begins at a moment.
///
/// It ends also when the clock is set back before its beginning: a caller who was refused would otherwise stay so for as long as the
/// clock was set back.
struct TimeWindow: Sendable {
    let start: Date
    let length: TimeInterval

    func contains(_ moment: Date) -> Bool { (0..<length).contains(moment.timeIntervalSince(start)) }
}
