import CountryModel
import Foundation

/// A visit in a phone's diary.
struct PhoneVisit: Hashable, Sendable {
    let person: PersonID
    let venue: VenueID
    /// Seconds since 1970.
    let seconds: Range<Int64>
}

extension PhoneVisit {
    /// The visit, as the model knows it.
    init(_ visit: Visit) {
        func seconds(_ minute: Minute) -> Int64 { Int64(minute.date.timeIntervalSince1970) }
        self.init(person: visit.person, venue: visit.venue, seconds: seconds(visit.start)..<seconds(visit.end))
    }
}
