import ExposureFormat
import ExposureKeys
import FederationFormat

/// The same feeds of a country that does one thing wrong: what the attacker must find.
extension BothFeeds {
    /// Keys leave in the order in which they came: one upload after the other, and fillers at the end of their hour.
    var inOrderOfUploads: BothFeeds {
        let owners = owners
        func order(_ key: some HasKeyData) -> (Hour, Int) {
            (folded[key.data]?.hour ?? Hour(number: 0), owners[key.data] ?? .max)
        }
        var weak = self
        for index in packages.indices { weak.packages[index].keys.sort { order($0) < order($1) } }
        var slots = Dictionary(grouping: batches, by: \.slot).mapValues { batches in
            batches.flatMap(\.keys).sorted { order($0) < order($1) }[...]
        }
        for index in batches.indices {
            let (slot, count) = (batches[index].slot, batches[index].keys.count)
            weak.batches[index].keys = Array(slots[slot]?.prefix(count) ?? [])
            slots[slot] = slots[slot]?.dropFirst(count)
        }
        return weak
    }

    /// Only keys of people who agreed leave the country.
    var withoutFillersAbroad: BothFeeds {
        let owners = owners
        var weak = self
        for index in batches.indices { weak.batches[index].keys.removeAll { owners[$0.data] == nil } }
        return weak
    }

    /// No filler is of the day of its upload, so none waits.
    var withoutWaitingFillers: BothFeeds {
        let owners = owners
        var weak = self
        var waiting: Set<KeyData> = []
        for index in packages.indices {
            let hour = packages[index].hour
            let keys = packages[index].keys.map(\.data).filter { owners[$0] == nil && folded[$0]?.hour != hour }
            waiting.formUnion(keys)
            weak.packages[index].keys.removeAll { waiting.contains($0.data) }
        }
        for index in batches.indices { weak.batches[index].keys.removeAll { waiting.contains($0.data) } }
        return weak
    }

    /// Each person chooses countries, and fillers name none.
    var withOwnCountries: BothFeeds {
        let owners = owners
        let all = ["AT", "CZ", "ES", "FR", "IT", "NL", "PL"].compactMap { CountryCode($0) }
        return withKeysAbroad { key in
            let owner = owners[key.data] ?? 0
            return FederatedKey(
                data: key.data, rollingPeriod: key.rollingPeriod, riskLevel: key.riskLevel,
                visitedCountries: all.indices.filter { owner >> $0 & 1 == 1 }.map { all[$0] }, origin: key.origin,
                reportType: key.reportType, daysSinceOnset: key.daysSinceOnset)
        }
    }

    /// Days since onset leave as they were uploaded.
    var withUploadedOnset: BothFeeds {
        let uploaded = Dictionary(
            uniqueKeysWithValues: uploads.flatMap(\.keys).map { ($0.data, $0.daysSinceOnsetOfSymptoms.rawValue) })
        return withKeysAbroad { key in
            FederatedKey(
                data: key.data, rollingPeriod: key.rollingPeriod, riskLevel: key.riskLevel,
                visitedCountries: key.visitedCountries, origin: key.origin, reportType: key.reportType,
                daysSinceOnset: uploaded[key.data] ?? key.daysSinceOnset)
        }
    }

    private func withKeysAbroad(_ change: (FederatedKey) -> FederatedKey?) -> BothFeeds {
        var weak = self
        for index in batches.indices { weak.batches[index].keys = batches[index].keys.compactMap(change) }
        return weak
    }
}
