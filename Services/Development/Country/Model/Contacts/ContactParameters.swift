/// How people meet. Sources: the table in this module's README.
///
/// Infections are scaled to the number of contacts: with fewer contacts each one infects more. Measures that make people meet less are
/// a lower ``DiseaseParameters/infectiousRate``.
package struct ContactParameters: Sendable {
    /// Daily contacts in the network of school, work or leisure: children, adults, elderly people.
    package var network: [Double] = [10, 7, 3]
    /// The share of a network's links that meet on a day; above 0.
    package var dailyShare = 0.5
    /// The share of links that Watts and Strogatz's construction rewires.
    package var rewiring = 0.1
    /// Adults for each child and each elderly person in their networks.
    package var adultsPerMember = 0.2
    /// Mean and standard deviation of daily random contacts: children, adults, elderly people.
    package var random: [Double] = [2, 4, 3]
    /// The distance in metres: shape and scale of a gamma distribution.
    package var distance = (shape: 1.472, scale: 1.898)
    /// The duration outside the home: shape and minimum, in minutes, of a Pareto distribution.
    package var duration = (shape: 1.510, minimum: 5.0)
    /// The duration at home, in minutes: shape and scale of a gamma distribution.
    package var homeDuration = (shape: 4.0, scale: 45.0)
    /// Contacts aren't longer than this many minutes.
    package var longest: UInt16 = 480

    /// The published values.
    package init() {}
}
