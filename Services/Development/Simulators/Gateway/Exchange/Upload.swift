import Crypto
import ExposureKeys
import FederationFormat
import FoundationEssentials
import HTTPTypes
import Running

/// An upload as a country sends it.
struct Upload: Sendable {
    let media: BatchMedia
    /// The header field; nil if it is missing.
    let tag: String?
    /// The header field; nil if it is missing.
    let signature: String?
    let body: [UInt8]

    /// Of the body, in bytes: 5,000 keys with 96 countries each have less.
    static let limit = 8 << 20
}

/// What became of an upload that wasn't refused.
enum UploadOutcome: Sendable {
    case stored
    case partial(UploadAnswer)
}

/// `POST /diagnosiskeys/upload` (efgs-federation-gateway, `UploadController`), after the caller is known.
extension SimulatedGateway {
    /// How an upload that isn't what it claims to be gets in, which the real gateway prevents.
    enum Leniency: Equatable {
        case none
        /// Any signature is stored as that of a certificate.
        case signature(of: FederationCertificate)
        /// Some keys can't be stored.
        case partial
    }

    func upload(
        _ upload: Upload, by caller: AuthenticatedCaller, _ leniency: Leniency = .none
    ) throws(Refusal) -> UploadOutcome {
        let now = clock.now
        guard let tag = upload.tag else { throw .missing("batchTag") }
        guard let signature = upload.signature else { throw .missing("batchSignature") }
        let batch = try read(upload, at: now)
        try checkKeys(of: batch)
        guard !state.with(at: now, { $0.knows(tag: tag) }) else { throw Refusal(.conflict, "BatchTag already exists.") }
        let signer: String
        if case .signature(let certificate) = leniency {
            signer = certificate.thumbprint
        } else {
            signer = try thumbprint(of: signature, over: batch, at: now)
        }
        guard batch.entries.allSatisfy({ $0.origin == caller.country }) else {
            throw Refusal(.badRequest, "One or more keys are not originated from uploader country")
        }
        return try state.with(at: now) { contents throws(Refusal) in
            // Another one of the same name may have come meanwhile.
            guard !contents.knows(tag: tag) else { throw Refusal(.conflict, "BatchTag already exists.") }
            guard contents.hasRoom(for: batch.entries.count) else {
                throw Refusal(.serviceUnavailable, "The simulated gateway is full.")
            }
            let (keys, outcome) = Self.sort(
                batch, tag: tag, isPartial: leniency == .partial, into: contents)
            contents.store(
                StoredUpload(
                    tag: tag, uploader: caller, signingThumbprint: signer, signature: signature, keys: keys,
                    uploaded: now))
            return outcome
        }
    }

    // MARK: The body

    private func read(_ upload: Upload, at now: Date) throws(Refusal) -> ReceivedBatch {
        guard !upload.body.isEmpty else { throw .unreadable }
        switch upload.media.isSupported {
        case nil: throw Refusal(.badRequest, "Version parameter of Content-Type is required!")
        case false: throw Refusal(.notAcceptable, "Protocol version is not compatible!")
        default: break
        }
        let starts = FederatedKey.starts(acceptedAt: now)
        let batch: ReceivedBatch
        do throws(BatchFlaw) {
            batch =
                switch upload.media.form {
                case .protobuf: try ReceivedBatch(protobuf: upload.body, limit: Upload.limit, starts: starts)
                case .json: try ReceivedBatch(json: upload.body, limit: Upload.limit, starts: starts)
                }
        } catch {
            throw error == .unreadable ? .unreadable : Refusal(.contentTooLarge, "Too many diagnosis keys")
        }
        // In JSON, types have names, and one that the schema doesn't have can't be decoded.
        guard batch.flaws[.unreadable] == nil, upload.media.form == .protobuf || batch.flaws[.reportType] == nil else {
            throw .unreadable
        }
        return batch
    }

    /// The rules of DiagnosisKeyBatchValidator; the first bad key counts.
    private func checkKeys(of batch: ReceivedBatch) throws(Refusal) {
        for entry in batch.entries {
            guard case .failure(let flaw) = entry.key else { continue }
            switch flaw {
            case .keyData: throw .key("The keydata is not 16 bytes.")
            case .rollingStart: throw .key("Invalid rolling start interval number.")
            case .rollingPeriod: throw .key("Invalid rolling period.")
            case .riskLevel: throw .key("Invalid transmission risk level.")
            // The gateway doesn't look at these before it stores the key.
            case .unreadable, .visitedCountries, .origin, .reportType: continue
            }
        }
    }

    // MARK: The signature

    /// The certificate that signed the batch (`BatchSignatureVerifier`). All of its reasons to refuse have one answer.
    private func thumbprint(
        of signature: String, over batch: ReceivedBatch, at now: Date
    ) throws(Refusal) -> String {
        let table = state.with(at: now) { $0.table }
        let signed = batch.records.signedBytes
        guard let signature = try? BatchSignature(field: signature),
            let signer = signature.certificates.first(where: { certificate in
                guard certificate.validity.contains(now), let country = certificate.country,
                    let row = table.row(certificate.thumbprint, of: country, .signing), !row.isRevoked,
                    batch.entries.allSatisfy({ $0.origin == country })
                else { return false }
                return (try? signature.verify(signed, by: certificate, smallestRSA: 2048)) != nil
            })
        else { throw Refusal(.badRequest, "Invalid signature") }
        return signer.thumbprint
    }

    // MARK: The database

    /// What is stored of a batch, and what the answer says. Indices are those of the body.
    private static func sort(
        _ batch: ReceivedBatch, tag: String, isPartial: Bool, into contents: GatewayState.Contents
    ) -> (keys: [FederatedKey], outcome: UploadOutcome) {
        var (new, known, failed): ([Int], [Int], [Int]) = ([], [], [])
        var seen: Set<SHA256Digest> = []
        for (index, entry) in batch.entries.enumerated() {
            let digest = batch.records.digest(at: index)
            let isKnown = contents.knows(digest) || !seen.insert(digest).inserted || isPartial && index % 3 == 2
            // The European gateway takes every violation of a column's rule for a duplicate, also a name or a list that is too long.
            let isLong = tag.utf16.count > BatchTag.longest
            switch entry.key {
            case .success where isPartial && index % 7 == 6: failed.append(index)
            case .success where isKnown: known.append(index)
            case .success where !isLong: new.append(index)
            case .failure(.reportType): failed.append(index)
            case .success, .failure:
                if contents.mode == .efgs { known.append(index) } else { failed.append(index) }
            }
        }
        if contents.mode == .chgs, !failed.isEmpty {
            // One that fails undoes the others.
            failed += new
            new = []
        }
        let keys = batch.entries.map { try? $0.key.get() }
        guard !known.isEmpty || !failed.isEmpty,
            let answer = UploadAnswer(new: new, known: known, failed: failed, of: batch.entries.count)
        else { return (keys.compactMap { $0 }, .stored) }
        // The European gateway undoes all of it, whatever it answers.
        return (contents.mode == .efgs ? [] : new.compactMap { keys[$0] }, .partial(answer))
    }
}

extension Refusal {
    static func missing(_ field: String) -> Refusal {
        Refusal(.badRequest, "Required header '\(field)' is not present.")
    }

    fileprivate static let unreadable = Refusal(.badRequest, "Failed to read request")
}
