import DevelopmentGatewayAPI
import ExposureKeys
import FederationFormat
import FoundationEssentials
import HTTPTypes
import Running

/// A batch without the caller's own keys.
struct Download: Sendable {
    let tag: BatchTag
    let next: BatchLink
    let keys: [FederatedKey]
}

/// `GET /diagnosiskeys/download/{date}` (efgs-federation-gateway, `DownloadController`).
extension SimulatedGateway {
    /// - Parameter tag: the header field; nil for the first batch of the day.
    func download(
        _ date: String, _ tag: String?, for country: CountryCode, _ fault: GatewayBehaviour.Fault = .none
    ) throws(Refusal) -> Download {
        let now = clock.now
        let day = try requested(date, at: now)
        return try state.with(at: now) { contents throws(Refusal) in
            guard let batch = tag.map({ contents.batch($0) }) ?? contents.firstBatch(of: day) else {
                if fault == .endlessChain { return Self.link(of: tag, on: day) }
                throw Refusal(
                    .notFound,
                    tag == nil
                        ? "Could not find any batches for given date" : "Could not find batch with given BatchTag")
            }
            let created = Day(containing: batch.created)
            guard contents.mode == .efgs ? created >= day : created == day else {
                throw Refusal(.badRequest, "Given date does is not after or equals the requested batchTag")
            }
            let uploads = batch.uploads.lazy.filter { $0.uploader.country != country }
            let keys = uploads.flatMap(\.keys)
            let next = batch.next.map { BatchLink.next($0) } ?? .end
            switch fault {
            case .endlessChain:
                return Download(tag: batch.tag, next: Self.link(of: nil, on: day).next, keys: Array(keys))
            case .loop: return Download(tag: batch.tag, next: .next(batch.tag), keys: Array(keys))
            case .otherTag:
                let other = contents.batches.last { $0.tag != batch.tag }?.tag
                return Download(tag: other ?? .made(on: created, number: 9_999), next: next, keys: Array(keys))
            case .interleaved:
                let places = uploads.flatMap { Array($0.keys.enumerated()) }.sorted { $0.offset < $1.offset }
                return Download(tag: batch.tag, next: next, keys: places.map(\.element))
            case .foreignOrigin: return Download(tag: batch.tag, next: next, keys: keys.map(renamed))
            default: return Download(tag: batch.tag, next: next, keys: Array(keys))
            }
        }
    }

    /// The day of a download or audit.
    func requested(_ date: String, at now: Date) throws(Refusal) -> Day {
        guard let day = Day(name: date) else { throw Refusal(.badRequest, "Failed to convert 'date'") }
        guard day >= Day(containing: now).advanced(by: -mode.days) else {
            throw Refusal(.gone, "Requested date is too old!")
        }
        return day
    }

    // MARK: Faults

    /// An empty batch that leads to another one.
    private static func link(of tag: String?, on day: Day) -> Download {
        let next = BatchTag.made(on: day, number: .random(in: 100_000..<1_000_000_000))
        return Download(tag: tag.flatMap { BatchTag($0) } ?? next, next: .next(next), keys: [])
    }

    /// A key with another simulated country as its origin.
    private func renamed(_ key: FederatedKey) -> FederatedKey {
        let others = countries.keys.sorted().filter { $0 != key.origin }
        return others.first.map { key.renamed($0) } ?? key
    }

    /// Puts the caller's own keys into the batch, or those of its newest upload, as another country's: with that country's name and
    /// signature, of which the real gateway knows no better.
    func plantOwnKeys(_ date: String, _ tag: String?, of country: CountryCode) async throws {
        let batch = try download(date, tag, for: country).tag
        guard let thief = countries.values.filter({ $0.code != country }).min(by: { $0.code < $1.code }) else { return }
        let uploads = state.with(at: clock.now) { contents in
            let inBatch = contents.batch(batch.text)?.uploads ?? []
            return (contents.batches.flatMap(\.uploads) + contents.waiting + inBatch).filter {
                $0.uploader.country == country
            }
        }
        guard let keys = uploads.last?.keys.prefix(100).map({ $0.renamed(thief.code) }),
            let planted = KeyBatch(keys)
        else { return }
        let signature = try await BatchSignature.make(over: planted.records.signedBytes, by: thief.signing.signer)
        let upload = StoredUpload(
            tag: planted.tag(of: thief.code).text, uploader: thief.caller,
            signingThumbprint: thief.signing.certificate.thumbprint, signature: signature.field, keys: planted.keys,
            uploaded: clock.now)
        state.with(at: clock.now) { $0.insert(upload, into: batch) }
    }
}

extension FederatedKey {
    /// The same key from another country.
    fileprivate func renamed(_ origin: CountryCode) -> FederatedKey {
        FederatedKey(
            data: data, rollingPeriod: rollingPeriod, riskLevel: riskLevel, visitedCountries: visitedCountries,
            origin: origin, reportType: reportType, daysSinceOnset: daysSinceOnset) ?? self
    }
}

extension SimulatedCountry {
    /// The country as the gateway would know it if it called.
    var caller: AuthenticatedCaller {
        AuthenticatedCaller(country: code, thumbprint: authentication.certificate.thumbprint)
    }
}
