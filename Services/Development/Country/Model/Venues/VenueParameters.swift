/// Places that people visit. Sources: the table in this module's README.
package struct VenueParameters: Sendable {
    /// People for each venue.
    package var peoplePerVenue = 100.0
    /// The share of venues with a QR code at the door.
    package var codeShare = 0.5
    /// The share of users who scan a code that they see.
    package var checkInShare = 0.3
    /// The share of people who visit a venue on a day.
    package var dailyVisits = 0.25
    /// How many venues a person has as habits.
    package var habits = 3
    /// The share of visits that lead to one of them.
    package var habitShare = 0.75
    /// The duration of a visit in minutes: median and mean of a lognormal distribution.
    package var stay = (median: 60.0, mean: 75.0)
    /// Visits aren't longer than this many minutes.
    package var longestStay = 240

    /// Values of our own: none are published.
    package init() {}
}
