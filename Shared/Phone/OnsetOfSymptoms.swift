package import ExposureKeys

/// What a person who tested positive says about the onset of symptoms, from which the app derives how infectious each day was.
///
/// The tables are those of both published apps (cwa-app-android, `TransmissionRiskVectorDeterminer.kt`).
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
}
