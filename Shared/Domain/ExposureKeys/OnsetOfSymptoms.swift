/// What a person who tested positive says about the onset of symptoms, from which the app derives how infectious each day was.
///
/// The tables are those of both published apps (cwa-app-android, `TransmissionRiskVectorDeterminer.kt` and
/// `DaysSinceOnsetOfSymptomsVectorDeterminer.kt`).
package enum OnsetOfSymptoms: Hashable, Sendable {
    /// Nothing.
    case unsaid
    /// There are none.
    case none
    /// There are some, of unknown onset.
    case unknownDay
    /// They began on a day.
    case day(Day)
    /// They began at most seven days ago.
    case lastWeek
    /// They began one to two weeks ago.
    case weekBefore
    /// They began more than two weeks ago.
    case earlier

    /// The transmission risk level of a day.
    /// - Parameter today: when the person said it; days after it have the lowest level.
    package func level(of day: Day, today: Day) -> TransmissionRiskLevel {
        let levels: [Int]
        let place: Int
        switch self {
        case .day(let onset):
            levels = [2, 4, 6, 7, 8, 8, 8, 6, 5, 3, 2, 2]
            // From five days before the onset to six after it.
            place = onset.distance(to: day) + 5
        case .unsaid: (levels, place) = ([5, 6, 7, 7, 7, 6, 4, 3, 2], day.distance(to: today))
        case .none: (levels, place) = ([4, 4, 3, 2], day.distance(to: today))
        case .unknownDay: (levels, place) = ([5, 6, 8, 8, 8, 7, 5, 3, 2], day.distance(to: today))
        case .lastWeek: (levels, place) = ([4, 5, 6, 7, 7, 7, 6, 5, 4, 3, 2], day.distance(to: today))
        case .weekBefore:
            (levels, place) = ([1, 1, 1, 1, 2, 3, 4, 5, 6, 6, 7, 7, 6, 6, 4], day.distance(to: today))
        case .earlier: (levels, place) = ([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 5], day.distance(to: today))
        }
        guard day <= today, levels.indices.contains(place) else { return .lowest }
        return TransmissionRiskLevel(rawValue: levels[place]) ?? .lowest
    }

    /// What a day's key is sent with: the days since the onset, or a number that says what is known of it instead.
    /// - Parameter today: when the person said it.
    /// - Returns: nil for days after it, and where no number can say it, which takes more than two weeks.
    package func daysSinceOnset(of day: Day, today: Day) -> DaysSinceOnset? {
        let age = day.distance(to: today)
        let onset =
            switch self {
            case .day(let onset): onset.distance(to: today)
            case .unsaid: 4000
            case .none: 3000
            case .unknownDay: 2000
            // A range of days: the hundreds are its length.
            case .lastWeek: 701
            case .weekBefore: 708
            case .earlier: 715
            }
        guard age >= 0, let days = Int32(exactly: onset - age) else { return nil }
        return DaysSinceOnset(rawValue: days)
    }
}
