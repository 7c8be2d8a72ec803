package import FoundationEssentials

/// Who signed which keys of a batch, found out from the gateway's audit without believing the gateway.
///
/// Every entry has a verdict of its own, so that one country's mistake holds back nobody else's keys. A key that
/// belongs to no entry with the verdict ``Outcome/verified`` must not be published.
package struct BatchAudit: Hashable, Sendable {
    /// One for each entry, in the audit's order.
    package let verdicts: [Verdict]
    /// The keys that no entry accounts for, by their position in the batch.
    package let unclaimed: [Int]

    /// What became of one upload.
    package struct Verdict: Hashable, Sendable {
        /// The country that the entry names; nil if it names none.
        package let country: CountryCode?
        /// Its keys, by their position in the batch.
        package let keys: [Int]
        /// Whether its country signed them.
        package let outcome: Outcome
    }

    /// The result of checking one entry.
    package enum Outcome: Hashable, Sendable {
        /// The country signed exactly these keys.
        case verified
        /// It is the caller's own upload, whose keys the gateway leaves out.
        case own
        /// The keys can't be trusted.
        case failed(AuditFlaw)
    }

    /// Checks an audit of a batch.
    ///
    /// An entry's keys are the next ones of its country, as many as it says, in the batch's order. Counting per country
    /// gives the same as counting over the whole batch, and also holds if the gateway interleaved uploads of two
    /// countries, or leaves out the caller's keys; and a wrong number harms its own country only. That a certificate's
    /// country equals the origin of all keys follows.
    /// - Parameters:
    ///   - own: the caller's country.
    ///   - instant: at which signing certificates have to be valid.
    ///   - smallestRSA: bits of signing keys of RSA; nil for the usual ones, at least 2048.
    ///   - isDenied: whether its country, or the gateway's operator, has withdrawn a certificate. The gateway goes on to show those that it
    ///     has revoked (`CertificateService` of efgs-federation-gateway).
    package init(
        of batch: ReceivedBatch, _ entries: [AuditEntry], trusting anchor: TrustAnchor, own: CountryCode,
        at instant: Date, smallestRSA: Int? = nil,
        denying isDenied: @escaping (FederationCertificate) -> Bool = { _ in false }
    ) {
        var left = Self.positions(in: batch)
        var checks = CertificateChecks(
            anchor: anchor, instant: instant, smallestRSA: smallestRSA, isDenied: isDenied)
        var verdicts: [Verdict] = []
        for entry in entries {
            guard let country = entry.country.flatMap({ CountryCode($0) }) else {
                verdicts.append(Verdict(country: nil, keys: [], outcome: .failed(.country)))
                continue
            }
            guard country != own else {
                verdicts.append(Verdict(country: country, keys: [], outcome: .own))
                continue
            }
            let amount = entry.amount ?? 0
            let rest = left[country] ?? []
            let keys = Array(rest.prefix(max(amount, 0)))
            left[country] = rest.dropFirst(keys.count)
            let outcome: Outcome
            do throws(AuditFlaw) {
                guard amount > 0, keys.count == amount else { throw .amount }
                try checks.check(entry, of: country, batch.records, keys)
                outcome = .verified
            } catch {
                outcome = .failed(error)
            }
            verdicts.append(Verdict(country: country, keys: keys, outcome: outcome))
        }
        self.verdicts = verdicts
        var isClaimed = [Bool](repeating: false, count: batch.entries.count)
        for verdict in verdicts { for key in verdict.keys { isClaimed[key] = true } }
        unclaimed = batch.entries.indices.filter { !isClaimed[$0] }
    }

    /// Each country's keys, in the batch's order. Most of them follow one another.
    private static func positions(in batch: ReceivedBatch) -> [CountryCode: ArraySlice<Int>] {
        var positions: [CountryCode: ArraySlice<Int>] = [:]
        var rest = batch.entries[...]
        while let first = rest.first {
            let end = rest.firstIndex { $0.origin != first.origin } ?? rest.endIndex
            if let origin = first.origin { positions[origin, default: []] += rest.startIndex..<end }
            rest = rest[end...]
        }
        return positions
    }

    /// The keys of verified entries, in the batch's order.
    package var verified: [Int] { verdicts.filter { $0.outcome == .verified }.flatMap(\.keys).sorted() }
}

/// Why an upload in a batch isn't trusted.
package enum AuditFlaw: Error, Hashable, Sendable {
    /// The entry names no country, or can't be read.
    case country
    /// It has no keys, or more than the batch has of its country.
    case amount
    /// The gateway shows no certificate: it has been removed.
    case missing(Certificate)
    /// What it shows isn't one certificate in PEM.
    case unreadable(Certificate)
    /// The certificate isn't the one that the entry names.
    case thumbprint(Certificate)
    /// The certificate's country isn't the entry's.
    case otherCountry(Certificate)
    /// The trust anchor hasn't signed it.
    case operatorSignature(Certificate)
    /// The certificate is among those that are denied here.
    case denied(Certificate)
    /// The signing certificate isn't valid at this time.
    case validity
    /// The batch's signature isn't accepted.
    case signature(SignatureFlaw)

    /// A country has two.
    package enum Certificate: String, Hashable, Sendable {
        /// For TLS.
        case uploader
        /// For batches.
        case signing
    }

    /// A metric's label.
    package var label: String {
        switch self {
        case .country: "country"
        case .amount: "amount"
        case .missing(let certificate): "missing_\(certificate.rawValue)"
        case .unreadable(let certificate): "unreadable_\(certificate.rawValue)"
        case .thumbprint(let certificate): "thumbprint_\(certificate.rawValue)"
        case .otherCountry(let certificate): "other_country_\(certificate.rawValue)"
        case .operatorSignature(let certificate): "operator_signature_\(certificate.rawValue)"
        case .denied(let certificate): "denied_\(certificate.rawValue)"
        case .validity: "validity"
        case .signature(let flaw): "signature_\(flaw.rawValue)"
        }
    }
}

/// The checks of entries, which remember certificates: a country has two, and many uploads.
private struct CertificateChecks {
    let anchor: TrustAnchor
    let instant: Date
    let smallestRSA: Int?
    let isDenied: (FederationCertificate) -> Bool
    private var known: [TrustAnchor.Question: Result<FederationCertificate, AuditFlaw>] = [:]

    init(
        anchor: TrustAnchor, instant: Date, smallestRSA: Int?, isDenied: @escaping (FederationCertificate) -> Bool
    ) {
        self.anchor = anchor
        self.instant = instant
        self.smallestRSA = smallestRSA
        self.isDenied = isDenied
    }

    mutating func check(
        _ entry: AuditEntry, of country: CountryCode, _ records: KeyRecords, _ keys: [Int]
    ) throws(AuditFlaw) {
        _ = try certificate(
            .uploader, of: country, entry.uploaderCertificate, entry.uploaderThumbprint,
            entry.uploaderOperatorSignature)
        let signing = try certificate(
            .signing, of: country, entry.signingCertificate, entry.uploaderSigningThumbprint,
            entry.signingCertificateOperatorSignature)
        guard signing.validity.contains(instant) else { throw .validity }
        do throws(SignatureFlaw) {
            let signature = try BatchSignature(field: entry.batchSignature ?? "")
            try signature.verify(records.signedBytes(of: keys), by: signing, smallestRSA: smallestRSA)
        } catch {
            throw .signature(error)
        }
    }

    private mutating func certificate(
        _ kind: AuditFlaw.Certificate, of country: CountryCode, _ pem: String?, _ thumbprint: String?,
        _ signature: String?
    ) throws(AuditFlaw) -> FederationCertificate {
        guard let pem, let thumbprint, let signature else { throw .missing(kind) }
        let question = TrustAnchor.Question(
            kind: kind, country: country, pem: pem, thumbprint: thumbprint, signature: signature)
        if let answer = known[question] { return try answer.get() }
        var answer = answer(to: question)
        if case .success(let certificate) = answer, isDenied(certificate) { answer = .failure(.denied(kind)) }
        known[question] = answer
        return try answer.get()
    }

    private func answer(to question: TrustAnchor.Question) -> Result<FederationCertificate, AuditFlaw> {
        if let certificate = anchor.accepted[question] { return .success(certificate) }
        let kind = question.kind
        guard let certificate = try? FederationCertificate(pem: question.pem) else {
            return .failure(.unreadable(kind))
        }
        guard question.thumbprint.lowercased() == certificate.thumbprint else { return .failure(.thumbprint(kind)) }
        guard certificate.country == question.country else { return .failure(.otherCountry(kind)) }
        guard anchor.signed(question.pem, signature: question.signature) else {
            return .failure(.operatorSignature(kind))
        }
        anchor.accepted[question] = certificate
        return .success(certificate)
    }
}
