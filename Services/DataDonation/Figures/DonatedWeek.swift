import Statistics

/// A week of donated data: seven days of UTC.
///
/// The folded tables have no finer time than the day of UTC. So a week of the authority's calendar is counted by the days of UTC with
/// the same dates: in Berlin it goes from Monday at 1 or 2 o'clock to the next Monday.
struct DonatedWeek: Sendable, Equatable {
    let monday: LocalDay

    init(_ monday: LocalDay) { self.monday = monday }

    /// The last week that was over when a day of UTC began.
    init(before today: LocalDay) { monday = today.advanced(by: -7).monday }

    var firstDay: Int32 { monday.number }
    var lastDay: Int32 { monday.number + 6 }
    var hours: Range<Int32> { firstDay * 24..<(lastDay + 1) * 24 }
}
