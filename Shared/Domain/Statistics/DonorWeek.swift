/// The most that one person can add to the counts of a week of donated data.
///
/// Donated rows don't say which of them are one person's, so nobody can count only some of each person's. These are the limits of an
/// app that keeps the rules: data-donation holds iPhones to them, an Android phone's app holds to them by itself.
///
/// A count with noise for so many units (``TwoSidedGeometric``) has ε = ½ for all that a person donated in a week; for one donation of
/// these it has an eighth of that. What several counts reveal of a person adds up.
package enum DonorWeek {
    /// Donations. An app may donate again after 23 hours at the earliest, so eight times in 168 hours.
    package static let donations = 8
    /// Results of tests: two kinds in each donation.
    package static let tests = 2 * donations
    /// Uploads of keys, and decisions against one: two kinds of test and a self-report in each donation.
    package static let submissions = 3 * donations
}
