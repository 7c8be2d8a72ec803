import DevelopmentGateway
import ExposureFormat
import ExposureKeys
import FederationFormat
import Foundation
import Postgres
import Running
import TestSupport
import Testing

@testable import Federation

/// What somebody holds who has all packages of this country and everything that another country downloaded of it, and what only the test
/// knows.
struct BothFeeds: Sendable {
    /// An hour's package at home, in its order.
    struct Package: Sendable {
        let hour: Hour
        var keys: [ExportedKey]
    }

    /// An upload of this country to the gateway as another country downloads it, in its order.
    struct Batch: Sendable {
        /// The last hour of the slot.
        let slot: Hour
        var keys: [FederatedKey]
    }

    /// Where a key was folded.
    struct Folded: Hashable, Sendable {
        let hour: Hour
        let stream: KeyStream
    }

    /// In the order of the hours.
    var packages: [Package]
    /// In the order of the download.
    var batches: [Batch]
    /// Only the test knows them.
    let uploads: [SimulatedUpload]
    /// All keys, also fillers. The attacker knows it of most keys: only those of the day of the upload wait, and their periods say for
    /// which hour.
    private(set) var folded: [KeyData: Folded]

    /// Which upload a key is from; none for a filler.
    var owners: [KeyData: Int] {
        Dictionary(
            uniqueKeysWithValues: uploads.enumerated().flatMap { number, upload in upload.keys.map { ($0.data, number) }
            })
    }

    // MARK: What follows from what

    /// Whether every key had been published at home when it left, with the same period.
    var isPublicBefore: Bool {
        let published = Dictionary(
            uniqueKeysWithValues: packages.flatMap { package in package.keys.map { ($0.data, (package.hour, $0)) } })
        return batches.allSatisfy { batch in
            batch.keys.allSatisfy { key in
                published[key.data].map { $0 <= batch.slot && $1.rollingPeriod == key.rollingPeriod } ?? false
            }
        }
    }

    /// Whether the sizes of a slot's batches follow from how many keys it took.
    var isDividedEvenly: Bool {
        Dictionary(grouping: batches, by: \.slot).values.allSatisfy { batches in
            let sizes = batches.map(\.keys.count)
            let keys = sizes.reduce(0, +)
            let most = (keys + sizes.count - 1) / sizes.count
            return (sizes.count - 1) * Self.largestBatch < keys && most <= Self.largestBatch
                && sizes.allSatisfy { most - $0 <= 1 }
        }
    }

    /// In how many ways the keys of each level look abroad: in one, if batches tell no more than packages.
    var looksAbroad: [TransmissionRiskLevel: Int] {
        struct Look: Hashable {
            let countries: [CountryCode]
            let origin: CountryCode
            let riskLevel: FederatedRiskLevel
            let type: ReportType
            let onset: Int32
        }
        let home = Dictionary(uniqueKeysWithValues: packages.flatMap(\.keys).map { ($0.data, $0) })
        var looks: [TransmissionRiskLevel: Set<Look>] = [:]
        for key in batches.flatMap(\.keys) {
            guard let published = home[key.data] else { continue }
            looks[published.transmissionRiskLevel, default: []].insert(
                Look(
                    countries: key.visitedCountries, origin: key.origin, riskLevel: key.riskLevel, type: key.reportType,
                    onset: key.daysSinceOnset))
        }
        return looks.mapValues(\.count)
    }

    // MARK: Recording

    static let slotHours = 4
    static let largestBatch = 500
    static let countries = ["FR", "NL"]

    /// Lives through two days, from 04:00 to 04:00, with the real fold, distribution and exchange, and a simulated gateway from which France
    /// downloads.
    static func recorded(seed: UInt64) async throws -> BothFeeds {
        let settings = [
            "upload.countries": countries.joined(separator: ","), "upload.largestBatch": "\(largestBatch)",
        ]
        return try await GatewayStage.run(settings: settings) { stage in
            let first = Day(containing: stage.clock.now).advanced(by: 1).firstHour.advanced(by: slotHours)
            let hours = first..<first.advanced(by: 48)
            let uploads = SimulatedUpload.inHours(hours, seed: seed)
            let database = stage.database.database
            return try await HomeFold.run(on: database, by: stage.clock, from: first) { fold in
                try await HomePackages.run(of: database, by: stage.clock) { packages in
                    var abroad = try Abroad(stage)
                    var feeds = BothFeeds(packages: [], batches: [], uploads: uploads.flatMap(\.self), folded: [:])
                    for (hour, uploads) in zip(hours, uploads) {
                        stage.clock.set(hour.end.addingTimeInterval(2))
                        try await fold.fold(hour, uploads)
                        guard (hour.ofDay + 1).isMultiple(of: slotHours) else { continue }
                        try await packages.publish(asOf: hour.end)
                        for hour in hour.advanced(by: 1 - slotHours)...hour {
                            feeds.packages.append(Package(hour: hour, keys: try packages.keys(of: hour)))
                        }
                        stage.clock.set(hour.end.addingTimeInterval(UploadPlan.delay))
                        try await stage.run()
                        feeds.batches += try await abroad.download().map { Batch(slot: hour, keys: $0) }
                    }
                    feeds.folded = try await stage.database.folded()
                    // Its content is all that a batch's name tells.
                    let tags = try feeds.batches.map { try #require(KeyBatch($0.keys)).tag(of: try .home).text }
                    #expect(Set(tags) == Set(try await stage.database.tags()))
                    return feeds
                }
            }
        }
    }
}

/// France, which downloads what is new.
private struct Abroad {
    private let stage: GatewayStage
    private let client: GatewayClient
    private var last: BatchTag?

    init(_ stage: GatewayStage) throws {
        self.stage = stage
        client = try GatewayClient(
            GatewayPlan(stage.france), metrics: PrometheusMetrics(), logger: stage.runtime.logger)
    }

    /// The keys of each upload, in the order of the batches.
    mutating func download() async throws -> [[FederatedKey]] {
        stage.gateway.batch()
        var uploads: [[FederatedKey]] = []
        var next = last
        repeat {
            let download = try await client.download(next?.day ?? Day(containing: stage.clock.now), next)
            if download.tag != last {
                let batch = try ReceivedBatch(protobuf: download.body, limit: GatewayClient.largestBatch)
                var keys = batch.entries[...]
                for entry in try await client.audit(try #require(download.tag.day), download.tag) {
                    let amount = try #require(entry.amount)
                    uploads.append(try keys.prefix(amount).map { try $0.key.get() })
                    keys = keys.dropFirst(amount)
                }
                #expect(keys.isEmpty)
            }
            last = download.tag
            if case .next(let tag)? = download.link { next = tag } else { next = nil }
        } while next != nil
        return uploads
    }
}

extension FederationStage {
    /// The names of all batches.
    fileprivate func tags() async throws -> [String] {
        try await superuser.session { session in
            try session.rows("SELECT tag FROM federation.outgoing_batch", as: String.self)
        }
    }

    /// Where each key was folded.
    fileprivate func folded() async throws -> [KeyData: BothFeeds.Folded] {
        try await superuser.session { session in
            let rows = try session.rows(
                "SELECT key_data, hour, is_federated FROM submission.diagnosis_key", as: [UInt8].self, Int32.self,
                Bool.self)
            return try Dictionary(
                uniqueKeysWithValues: rows.map { data, hour, isFederated in
                    let folded = BothFeeds.Folded(
                        hour: Hour(number: hour), stream: isFederated ? .federated : .home)
                    return (try #require(KeyData(data)), folded)
                })
        }
    }
}
