import CountryModel
import ExposureFormat
import ExposureKeys

/// What everybody could download, and what the simulation alone knows of it.
struct PublicOutput: Sendable {
    /// An hour's keys in the order of their package.
    struct Package: Sendable {
        let hour: Hour
        var keys: [ExportedKey]
    }

    var packages: [Package]
    /// Whose a key was. A filler was nobody's.
    let owners: [KeyData: PersonID]

    /// Whether a phone sent the key.
    func isReal(_ key: ExportedKey) -> Bool { owners[key.data] != nil }

    /// The same output with other packages.
    func changed(_ change: (inout Package) -> Void) -> PublicOutput {
        var other = self
        for place in other.packages.indices { change(&other.packages[place]) }
        return other
    }

    /// The same output without fillers, as other servers publish it.
    var withoutFillers: PublicOutput {
        changed { package in package.keys.removeAll { !isReal($0) } }
    }
}
