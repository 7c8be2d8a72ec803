import ExposureKeys

/// When phones listen. A phone's timetable is the same for everybody it meets.
struct ScanTimetable: Sendable {
    let seed: UInt64
    let gap: ClosedRange<Int64>

    /// The last gaps before midnight are equal, so that a day's timetable ends with the first scan of the next one.
    private static let equalGaps: Int64 = 5

    /// The starts of a person's scans on a day, in seconds since the epoch.
    func starts(of person: PersonID, on day: Day) -> [Int64] {
        var random = RandomStream(seed, .scanTimetable, UInt64(person.rawValue), day: day.number)
        var start = first(on: day, using: &random)
        let end = first(on: day.advanced(by: 1), of: person)
        var starts: [Int64] = []
        while end - start > Self.equalGaps * gap.upperBound {
            starts.append(start)
            start += gap.lowerBound + Int64(random.index(below: gap.count))
        }
        let rest = end - start
        return starts + (0..<Self.equalGaps).map { start + rest * $0 / Self.equalGaps }
    }

    private func first(on day: Day, of person: PersonID) -> Int64 {
        var random = RandomStream(seed, .scanTimetable, UInt64(person.rawValue), day: day.number)
        return first(on: day, using: &random)
    }

    private func first(on day: Day, using random: inout RandomStream) -> Int64 {
        day.startSeconds + Int64(random.index(below: Int(gap.upperBound)))
    }
}
