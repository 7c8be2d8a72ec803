package import DevelopmentGatewayAPI
import ExposureKeys
import FederationFormat
import FoundationEssentials
import HTTPContract
import HTTPTypes
import Running

/// What developers and tests ask for, beside the gateway's own operations.
extension SimulatedGateway {
    /// Lets a simulated country upload keys, by the same code as an upload over the network.
    /// - Throws: `Problem.badRequest` for an unknown country, keys that aren't any, or a replay without an earlier upload.
    package func upload(_ wish: CountryUpload) async throws -> CountryUploaded {
        guard let code = CountryCode(wish.country), let country = countries[code] else { throw Problem.badRequest }
        let keys = try keys(of: wish, from: code)
        // One that is too large is two of the ordinary kind, one behind the other; its signature isn't looked at.
        let parts = [keys.prefix(ReceivedBatch.mostKeys), keys.dropFirst(ReceivedBatch.mostKeys)].compactMap {
            $0.isEmpty ? nil : KeyBatch($0)
        }
        let records = parts.first?.records ?? KeyRecords()
        let signature = try await signature(over: records.signedBytes, of: country, wish.kind)
        let upload = Upload(
            media: try media, tag: BatchTag(of: records, from: code).text, signature: signature,
            body: try parts.flatMap { try $0.protobuf() })
        let isFalse = wish.kind == .forged || wish.kind == .replayed
        let status: Int
        do throws(Refusal) {
            let caller = try state.with(at: clock.now) { contents throws(Refusal) in
                try contents.table.caller(country.caller.thumbprint)
            }
            let outcome = try self.upload(
                upload, by: caller, isFalse ? .signature(of: country.signing.certificate) : .none)
            if case .stored = outcome { status = 201 } else { status = 207 }
            if !isFalse { state.with(at: clock.now) { $0.lastSignatures[code] = signature } }
        } catch {
            status = error.status.code
        }
        return CountryUploaded(status: status, keys: parts.flatMap(\.keys).map(\.data.base64))
    }

    private var media: BatchMedia {
        get throws {
            guard let media = BatchMedia(contentType: "application/protobuf; version=1.0") else {
                throw Refusal.internalError
            }
            return media
        }
    }

    private func signature(
        over signed: [UInt8], of country: SimulatedCountry, _ kind: CountryUpload.Kind
    ) async throws -> String {
        switch kind {
        case .good, .bad, .oversized:
            return try await BatchSignature.make(over: signed, by: country.signing.signer).field
        case .forged:
            // A certificate that anybody can make, with the country's name.
            let forger = try FederationIdentity.make(
                .signing, country: country.code, name: "Simulated batch signing \(country.code)",
                validity: clock.now - 3600..<clock.now + 86_400)
            return try await BatchSignature.make(over: signed, by: forger.signer).field
        case .replayed:
            guard let last = state.with(at: clock.now, { $0.lastSignatures[country.code] }) else {
                throw Problem.badRequest
            }
            return last
        }
    }

    // MARK: Keys

    private func keys(of wish: CountryUpload, from country: CountryCode) throws -> [FederatedKey] {
        let yesterday = Day(containing: clock.now).advanced(by: -1)
        guard let start = UInt32(exactly: wish.rollingStart ?? Int(yesterday.firstInterval.rawValue)) else {
            throw Problem.badRequest
        }
        let visited = wish.visited ?? [home.text]
        let countries = visited.compactMap { CountryCode($0) }
        guard countries.count == visited.count else { throw Problem.badRequest }
        return try data(of: wish).enumerated().map { number, data in
            let flaw = wish.kind == .bad ? number % 4 : 0
            guard
                let period = RollingPeriod(
                    start: IntervalNumber(rawValue: flaw == 1 ? start &+ 7 : start), length: IntervalNumber.perDay),
                let key = FederatedKey(
                    data: data, rollingPeriod: period, riskLevel: .unset, visitedCountries: countries, origin: country,
                    reportType: flaw == 3 ? .selfReport : .confirmedTest,
                    // 77 is in no class. The others are infectious enough for everybody.
                    daysSinceOnset: flaw == 2 ? 77 : Int32(number % 4))
            else { throw Problem.badRequest }
            return key
        }
    }

    private func data(of wish: CountryUpload) throws -> [KeyData] {
        if wish.kind != .oversized, let data = wish.data {
            return try data.map { text in
                guard let data = Data(base64Encoded: text).flatMap({ KeyData($0) }) else { throw Problem.badRequest }
                return data
            }
        }
        let count = wish.kind == .oversized ? ReceivedBatch.mostKeys + 1 : wish.keys
        guard (0...ReceivedBatch.mostKeys + 1).contains(count) else { throw Problem.badRequest }
        return (0..<count).map { _ in KeyData(high: .random(in: .min ... .max), low: .random(in: .min ... .max)) }
    }

    // MARK: What became of them

    /// The uploads that a country would download, batch by batch.
    /// - Throws: `Problem.badRequest` for text that is no country.
    package func received(_ query: ReceivedQuery) throws -> ReceivedKeys {
        guard let country = CountryCode(query.country) else { throw Problem.badRequest }
        return state.with(at: clock.now) { contents in
            ReceivedKeys(
                uploads: contents.batches.flatMap { batch in
                    batch.uploads.filter { $0.uploader.country != country }.map { upload in
                        ReceivedKeys.Upload(
                            batch: batch.tag.text, country: upload.uploader.country.text,
                            keys: upload.keys.map(\.data.base64))
                    }
                })
        }
    }

    /// Says how the gateway misbehaves.
    /// - Throws: `Problem.badRequest` for a fault that the operation can't have.
    package func misbehave(_ behaviour: GatewayBehaviour) throws {
        guard state.with(at: clock.now, { $0.faults.add(behaviour) }) else { throw Problem.badRequest }
    }
}

extension KeyData {
    fileprivate var base64: String { Data(bytes).base64EncodedString() }
}
