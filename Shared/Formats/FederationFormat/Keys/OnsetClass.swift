/// What the days since onset of a key in a batch mean. Countries put a class and an offset in days into one number.
///
/// The classes are those of the eHealth Network's guidelines on federated keys; national back ends differ in how far an
/// offset may reach. This reads the widest of them.
package enum OnsetClass: Hashable, Sendable {
    /// The key's day, counted from a known day of onset: -14...21.
    case known(day: Int32)
    /// The onset lies in an interval of so many days, 1...19; the key's day is counted from the interval's last:
    /// -14...21.
    case interval(days: Int32, offset: Int32)
    /// There are symptoms, of unknown onset; the key's day is counted from the submission: -14...14.
    case unknownOnset(offset: Int32)
    /// There are no symptoms; counted from the submission.
    case asymptomatic(offset: Int32)
    /// The person said nothing; counted from the submission.
    case unknownStatus(offset: Int32)

    /// Offsets from a day of onset.
    private static let offsets: ClosedRange<Int32> = -14...21
    /// Offsets from the submission.
    private static let submissionOffsets: ClosedRange<Int32> = -14...14

    /// Nil for a number in none of the classes.
    package init?(_ number: Int32) {
        if Self.offsets.contains(number) {
            self = .known(day: number)
            return
        }
        guard (0...5000).contains(number) else { return nil }
        // The nearest hundred, so that an offset may be negative.
        let hundreds = (number + 50) / 100
        let offset = number - hundreds * 100
        switch hundreds {
        case 1...19 where Self.offsets.contains(offset): self = .interval(days: hundreds, offset: offset)
        case 20 where Self.submissionOffsets.contains(offset): self = .unknownOnset(offset: offset)
        case 30 where Self.submissionOffsets.contains(offset): self = .asymptomatic(offset: offset)
        case 40 where Self.submissionOffsets.contains(offset): self = .unknownStatus(offset: offset)
        default: return nil
        }
    }

    /// A number that every national back end reads as this class: a known day of -14...14, or an offset of -14...0.
    package var coarse: Int32 {
        switch self {
        case .known(let day): min(day, 14)
        case .interval(let days, let offset): days * 100 + min(offset, 0)
        case .unknownOnset(let offset): 2000 + min(offset, 0)
        case .asymptomatic(let offset): 3000 + min(offset, 0)
        case .unknownStatus(let offset): 4000 + min(offset, 0)
        }
    }
}
