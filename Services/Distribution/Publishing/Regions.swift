/// The regions of the tree, and which keys each of them has.
///
/// The origin's region has all keys of its own country, and `EUR` has all keys. Otherwise a country's region has the keys that came
/// from it, and those whose people were there. The first two are Corona-Warn-App's, which writes no others:
/// <https://github.com/corona-warn-app/cwa-server/blob/main/docs/DISTRIBUTION.md>.
struct Regions: Sendable {
    let names: [String]
    /// The country whose people upload here.
    let origin: String
    /// For each pair of letters the regions that have the keys of the country with that code.
    private let ofCountries: [RegionSet]
    /// Those that have the keys of any country.
    private let ofAll: RegionSet

    /// The region that has all keys.
    static let all = "EUR"
    /// How many there may be.
    static let most = UInt64.bitWidth

    /// - Parameter names: at most ``most``.
    init(names: [String], origin: String) {
        precondition(names.count <= Self.most, "too many regions")
        self.names = names
        self.origin = origin
        var ofCountries = [RegionSet](repeating: [], count: 26 * 26)
        var ofAll: RegionSet = []
        for (number, name) in names.enumerated() {
            if name == Self.all { ofAll.formUnion(RegionSet(number)) }
            let letters = Array(name.utf8)
            guard letters.count == 2, let country = Self.number(letters[0], letters[1]) else { continue }
            ofCountries[country].formUnion(RegionSet(number))
        }
        self.ofCountries = ofCountries
        self.ofAll = ofAll
    }

    /// Of two capital letters.
    private static func number(_ first: UInt8, _ second: UInt8) -> Int? {
        let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
        guard letters.contains(first), letters.contains(second) else { return nil }
        return 26 * Int(first - letters.lowerBound) + Int(second - letters.lowerBound)
    }

    /// Whether a region has home keys: they all name the same countries, so there is nothing to divide.
    func hasHomeKeys(_ region: String) -> Bool { region == origin || region == Self.all }

    /// The regions that have a foreign key.
    /// - Parameter countries: where it came from and where its person was, two letters each, without separators.
    func regions(of countries: UnsafeRawBufferPointer) -> RegionSet {
        var regions = ofAll
        for index in stride(from: 0, to: countries.count - 1, by: 2) {
            guard let country = Self.number(countries[index], countries[index + 1]) else { continue }
            regions.formUnion(ofCountries[country])
        }
        return regions
    }

    /// The names of the regions that have a foreign key.
    func names(of countries: String) -> [String] {
        let regions = Array(countries.utf8).withUnsafeBytes { self.regions(of: $0) }
        return names.indices.filter { regions.contains(RegionSet($0)) }.map { names[$0] }
    }
}

/// Some of the regions, by their numbers.
struct RegionSet: OptionSet, Hashable, Sendable {
    let rawValue: UInt64

    init(rawValue: UInt64) { self.rawValue = rawValue }

    /// One region.
    init(_ number: Int) { rawValue = 1 << UInt64(number) }
}
