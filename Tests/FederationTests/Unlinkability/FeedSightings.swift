import ExposureFormat
import ExposureKeys
import FederationFormat
import Foundation

/// Where an attacker sees each key in both feeds, and the clues that he takes from it.
struct FeedSightings {
    /// A key in a package at home.
    struct AtHome {
        let key: ExportedKey
        /// From 0 for the package's first key to 1.
        let place: Double
        /// The same among the keys of the package that are in no batch, or among those that are.
        let placeInPart: Double
    }

    /// A key in a batch.
    struct Abroad {
        let key: FederatedKey
        /// Which of the slot's batches it is in.
        let batch: Int
        let batchSize: Int
        /// From 0 for the batch's first key to 1.
        let place: Double
        /// Among all keys of the slot.
        let number: Int
        /// The same among those of the same package, from 0 to 1.
        let placeInPart: Double
    }

    let home: [KeyData: AtHome]
    let abroad: [KeyData: Abroad]

    init(_ feeds: BothFeeds) {
        var abroad: [KeyData: Abroad] = [:]
        var home: [KeyData: AtHome] = [:]
        var packageOf: [KeyData: Hour] = [:]
        for package in feeds.packages {
            for key in package.keys { packageOf[key.data] = package.hour }
        }
        let slots = Dictionary(grouping: feeds.batches, by: \.slot)
        for batches in slots.values {
            let parts = Dictionary(grouping: batches.flatMap(\.keys)) { packageOf[$0.data] }.mapValues(Self.places)
            var number = 0
            for (position, batch) in batches.enumerated() {
                let places = Self.places(batch.keys)
                for key in batch.keys {
                    abroad[key.data] = Abroad(
                        key: key, batch: position, batchSize: batch.keys.count, place: places[key.data] ?? 0,
                        number: number, placeInPart: parts[packageOf[key.data]]?[key.data] ?? 0)
                    number += 1
                }
            }
        }
        for package in feeds.packages {
            let places = Self.places(package.keys)
            let parts = Dictionary(grouping: package.keys) { abroad[$0.data] != nil }.mapValues(Self.places)
            for key in package.keys {
                home[key.data] = AtHome(
                    key: key, place: places[key.data] ?? 0,
                    placeInPart: parts[abroad[key.data] != nil]?[key.data] ?? 0)
            }
        }
        (self.home, self.abroad) = (home, abroad)
    }

    /// From 0 to 1.
    private static func places(_ keys: [some HasKeyData]) -> [KeyData: Double] {
        let last = Double(max(1, keys.count - 1))
        return Dictionary(keys.enumerated().map { ($1.data, Double($0) / last) }) { first, _ in first }
    }

    // MARK: Clues

    private static let contentClues = ["first byte", "bits"]
    private static let homeClues = ["place at home", "place in its part at home", "age", "period", "level", "type"]
    private static let abroadClues = [
        "is in a batch", "batch", "size of the batch", "place in the batch", "place in its part abroad", "countries",
        "level abroad", "type abroad", "days since onset",
    ]

    /// The names of ``clues(_:)``.
    static let clues = contentClues + homeClues + abroadClues

    /// What both feeds say of one key.
    func clues(_ data: KeyData) -> [Double] {
        let content = [
            Double(data.bytes[0]), Double(data.bytes.reduce(0) { $0 + $1.nonzeroBitCount }),
        ]
        guard let home = home[data] else { preconditionFailure("the question is about published keys") }
        let atHome = [
            home.place, home.placeInPart, Double(home.key.rollingPeriod.start.rawValue / IntervalNumber.perDay),
            Double(home.key.rollingPeriod.length), Double(home.key.transmissionRiskLevel.rawValue),
            Double(home.key.reportType.rawValue),
        ]
        guard let abroad = abroad[data] else {
            return content + atHome + Self.abroadClues.map { _ in 0 }
        }
        return content + atHome + [
            1, Double(abroad.batch), Double(abroad.batchSize), abroad.place, abroad.placeInPart,
            Double(abroad.key.visitedCountries.count), Double(abroad.key.riskLevel.rawValue),
            Double(abroad.key.reportType.rawValue), Double(abroad.key.daysSinceOnset),
        ]
    }

    private static let commonContentClues = ["common beginning", "different bits"]
    private static let homePairClues = ["distance at home", "distance in their part at home", "order at home"]
    private static let abroadPairClues = [
        "batches between them", "distance in the batch", "distance in the slot", "distance in their part abroad",
        "order abroad", "place at home and abroad", "place abroad and at home", "countries", "days since onset",
    ]

    /// The names of ``clues(_:_:)``.
    static let pairClues = commonContentClues + homePairClues + abroadPairClues

    /// What both feeds say of two keys.
    func clues(_ one: KeyData, _ other: KeyData) -> [Double] {
        let pairs = Array(zip(one.bytes, other.bytes))
        let content = [
            Double(pairs.prefix { $0.0 == $0.1 }.count),
            Double(pairs.reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount }),
        ]
        guard let home = home[one], let otherHome = self.home[other] else {
            preconditionFailure("the question is about published keys")
        }
        let atHome = [
            abs(home.place - otherHome.place), abs(home.placeInPart - otherHome.placeInPart),
            home.place < otherHome.place ? 1 : 0,
        ]
        guard let abroad = abroad[one], let otherAbroad = self.abroad[other] else {
            return content + atHome + Self.abroadPairClues.map { _ in 0 }
        }
        let countries = Set(abroad.key.visitedCountries).symmetricDifference(otherAbroad.key.visitedCountries)
        return content + atHome + [
            Double(abs(abroad.batch - otherAbroad.batch)), abs(abroad.place - otherAbroad.place),
            Double(abs(abroad.number - otherAbroad.number)), abs(abroad.placeInPart - otherAbroad.placeInPart),
            abroad.number < otherAbroad.number ? 1 : 0, abs(home.placeInPart - otherAbroad.placeInPart),
            abs(abroad.placeInPart - otherHome.placeInPart), Double(countries.count),
            Double(abs(abroad.key.daysSinceOnset - otherAbroad.key.daysSinceOnset)),
        ]
    }
}

/// What both feeds have.
protocol HasKeyData {
    var data: KeyData { get }
}

extension ExportedKey: HasKeyData {}
extension FederatedKey: HasKeyData {}
