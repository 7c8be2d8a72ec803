package import Schema

/// The country that a suite on one machine works for.
package struct SuiteCountry: Hashable, Sendable {
    /// Its two letters; the services check them.
    package let origin: String
    /// The authority's time zone; the services check it.
    package let timeZone: String

    /// What services take where nothing is set.
    package static let standard = SuiteCountry(origin: nil, timeZone: nil)

    /// What isn't given is the standard.
    package init(origin: String?, timeZone: String?) {
        self.origin = origin ?? CountryFact.origin.standard
        self.timeZone = timeZone ?? CountryFact.timeZone.standard
    }

    /// For the record of `vigil migrate`.
    package var facts: [CountryFact: String] { [.origin: origin, .timeZone: timeZone] }

    /// The other countries of the simulated gateway, without this one.
    package var neighbours: [String] {
        ["FR", "NL", "PL"].map { $0 == origin ? CountryFact.origin.standard : $0 }
    }
}
