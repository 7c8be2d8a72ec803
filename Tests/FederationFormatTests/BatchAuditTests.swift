import ExposureKeys
import FederationFormat
import Foundation
import TestSupport
import Testing

/// An audit that another program made: DE with five keys, AT (the caller), FR with seven, DE with three, PL with four.
@Suite(.heavy) struct BatchAuditTests {
    private static let now = Date(timeIntervalSince1970: 1_795_521_600)

    private let vectors: Vectors
    private let batch: ReceivedBatch
    private let entries: [AuditEntry]
    private let anchor: TrustAnchor
    private let own: CountryCode

    init() throws {
        vectors = try Vectors.read()
        batch = try ReceivedBatch(protobuf: Array(vectors.download), limit: 10_000)
        entries = vectors.audit
        anchor = try TrustAnchor(FederationCertificate(pem: vectors.anchor))
        own = try #require(CountryCode("AT"))
    }

    private func audit(
        _ entries: [AuditEntry]? = nil, of other: ReceivedBatch? = nil, anchor otherAnchor: TrustAnchor? = nil,
        at instant: Date = now
    ) -> BatchAudit {
        BatchAudit(
            of: other ?? batch, entries ?? self.entries, trusting: otherAnchor ?? anchor, own: own, at: instant)
    }

    private func changed(_ position: Int, _ change: (inout AuditEntry) -> Void) -> [AuditEntry] {
        var entries = entries
        change(&entries[position])
        return entries
    }

    private static let good: [BatchAudit.Outcome] = [.verified, .own, .verified, .verified, .verified]

    private func expect(
        _ audit: BatchAudit, _ failed: [Int: AuditFlaw], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var expected = Self.good
        for (position, flaw) in failed { expected[position] = .failed(flaw) }
        #expect(audit.verdicts.map(\.outcome) == expected, sourceLocation: sourceLocation)
    }

    @Test func `every key belongs to an upload that its country signed`() {
        let audit = audit()
        #expect(audit.verdicts.map(\.outcome) == Self.good)
        #expect(audit.verdicts.map { $0.country?.text } == ["DE", "AT", "FR", "DE", "PL"])
        #expect(audit.verdicts.map(\.keys) == [[0, 1, 2, 3, 4], [], Array(5..<12), [12, 13, 14], Array(15..<19)])
        #expect(audit.verified == Array(0..<19))
        #expect(audit.unclaimed == [])
    }

    @Test func `an audit is read as it is sent`() throws {
        let json = try AuditEntry.json(entries)
        #expect(AuditEntry.list(json: json, limit: json.count) == entries)
        #expect(AuditEntry.list(json: json, limit: json.count - 1) == nil)
        for text in ["", "{}", "7", "[", #"{"entries":[]}"#] {
            #expect(AuditEntry.list(json: Array(text.utf8), limit: 100) == nil)
        }
        #expect(AuditEntry.list(json: Array("[]".utf8), limit: 100) == [])
        let strange = try #require(
            AuditEntry.list(json: Array(#"[7,{"amount":"5"},{"country":"DE","more":1}]"#.utf8), limit: 100))
        #expect(strange == [AuditEntry(), AuditEntry(), AuditEntry(country: "DE")])
        let missing = String(decoding: try AuditEntry.json([AuditEntry(country: "DE")]), as: UTF8.self)
        #expect(missing.contains(#""signingCertificate":null"#))
        let many = "[" + [String](repeating: "{}", count: 5001).joined(separator: ",") + "]"
        #expect(AuditEntry.list(json: Array(many.utf8), limit: 100_000) == nil)
    }

    // MARK: Certificates

    @Test func `one country's mistake holds back nobody else's keys`() {
        let audits: [(AuditFlaw, (inout AuditEntry) -> Void)] = [
            (.missing(.uploader), { $0.uploaderCertificate = nil }),
            (.missing(.signing), { $0.signingCertificate = nil }),
            (.missing(.signing), { $0.signingCertificateOperatorSignature = nil }),
            (.unreadable(.uploader), { $0.uploaderCertificate = "-----BEGIN CERTIFICATE-----" }),
            (.unreadable(.signing), { $0.signingCertificate? += $0.uploaderCertificate ?? "" }),
            (.thumbprint(.uploader), { $0.uploaderThumbprint = $0.uploaderSigningThumbprint }),
            (.thumbprint(.signing), { $0.uploaderSigningThumbprint = "" }),
            (.operatorSignature(.uploader), { $0.uploaderOperatorSignature = $0.signingCertificateOperatorSignature }),
            (.operatorSignature(.signing), { $0.signingCertificateOperatorSignature = "" }),
            (.operatorSignature(.signing), { $0.signingCertificateOperatorSignature = "*" }),
            (.operatorSignature(.signing), { $0.signingCertificate? += "x" }),
            (.signature(.unreadable), { $0.batchSignature = nil }),
            (.signature(.unreadable), { $0.batchSignature = "AAAA" }),
        ]
        for (flaw, change) in audits {
            let audit = audit(changed(2, change))
            expect(audit, [2: flaw])
            #expect(audit.verified == Array(0..<5) + Array(12..<19), "\(flaw)")
            #expect(!flaw.label.isEmpty)
        }
    }

    @Test func `a certificate that is denied signs nothing, though the anchor's signature is good`() throws {
        let certificates = try [entries[2].uploaderCertificate, entries[2].signingCertificate].map {
            try FederationCertificate(pem: #require($0))
        }
        for (denied, kind) in zip(certificates, [AuditFlaw.Certificate.uploader, .signing]) {
            // Also one that was accepted before.
            expect(audit(), [:])
            let audit = BatchAudit(of: batch, entries, trusting: anchor, own: own, at: Self.now) { $0 == denied }
            expect(audit, [2: .denied(kind)])
        }
    }

    @Test func `thumbprints may be in capitals, and line ends of two characters`() {
        let changed = changed(2) { entry in
            entry.uploaderSigningThumbprint = entry.uploaderSigningThumbprint?.uppercased()
            entry.signingCertificate = entry.signingCertificate?.replacing("\n", with: "\r\n")
            entry.uploaderCertificate = entry.uploaderCertificate.map { String($0.dropLast()) }
        }
        expect(audit(changed), [:])
    }

    @Test func `only the pinned anchor counts`() throws {
        let other = try TrustAnchor(FederationCertificate(pem: vectors.otherAnchor))
        let flaw = AuditFlaw.operatorSignature(.uploader)
        expect(audit(anchor: other), [0: flaw, 2: flaw, 3: flaw, 4: flaw])
        // A signature by the other one, which is on P-256.
        let pem = try #require(entries[0].signingCertificate)
        #expect(other.signed(pem, signature: vectors.otherAnchorsSignature))
        #expect(!anchor.signed(pem, signature: vectors.otherAnchorsSignature))
        let weak = try #require(vectors.signatures.first { $0.name == "RSA 2048" })
        let certificate = try FederationCertificate(pem: weak.certificate)
        #expect(throws: SignatureFlaw.key) { try TrustAnchor(certificate) }
        #expect(throws: Never.self) { try TrustAnchor(certificate, smallestRSA: 0) }
    }

    @Test func `a certificate has to be valid when the audit is made`() {
        for year in [2025, 2047] {
            let audit = audit(at: Date(timeIntervalSince1970: Double(year - 1970) * 365.25 * 86_400))
            expect(audit, [0: .validity, 2: .validity, 3: .validity, 4: .validity])
            #expect(audit.verified == [])
        }
    }

    @Test func `another country's certificate and signature don't speak for a country`() {
        let audit = audit(
            changed(2) { entry in
                let amount = entry.amount
                entry = entries[0]
                entry.country = "FR"
                entry.amount = amount
            })
        expect(audit, [2: .otherCountry(.uploader)])
    }

    // MARK: Keys

    @Test func `a signature over another upload isn't this one's`() {
        let audit = audit(changed(0) { $0.batchSignature = entries[3].batchSignature })
        expect(audit, [0: .signature(.mismatch)])
    }

    @Test(arguments: [4, 6]) func `a wrong amount harms its own country only`(_ amount: Int) {
        let audit = audit(changed(0) { $0.amount = amount })
        expect(audit, [0: .signature(.mismatch), 3: amount == 4 ? .signature(.mismatch) : .amount])
        #expect(audit.verified == Array(5..<12) + Array(15..<19))
    }

    @Test(arguments: [nil, -1, 0, 8, Int.max, Int.min]) func `an amount that can't be is refused`(_ amount: Int?) {
        expect(audit(changed(2) { $0.amount = amount }), [2: .amount])
    }

    @Test(arguments: [nil, "", "fr", "FRA"]) func `an entry without a country has no keys`(_ country: String?) {
        let audit = audit(changed(2) { $0.country = country })
        expect(audit, [2: .country])
        #expect(audit.unclaimed == Array(5..<12))
    }

    @Test func `keys of uploads that the gateway interleaved are told apart by their country`() throws {
        let keys = batch.keys
        let mixed = [keys[5], keys[0], keys[15], keys[6], keys[1]] + keys[2..<5] + keys[7..<15] + keys[16...]
        let other = try ReceivedBatch(protobuf: message(mixed), limit: 10_000)
        let audit = audit(of: other)
        #expect(audit.verdicts.map(\.outcome) == Self.good)
        #expect(audit.verified.count == 19)
    }

    @Test func `a key that nobody signed is in no upload`() throws {
        var random = SeededGenerator(seed: 1)
        for country in ["AT", "IE", "PL"] {
            let forged = try Sample.key(&random, origin: CountryCode(country))
            let audit = audit(of: try ReceivedBatch(protobuf: message(batch.keys + [forged]), limit: 10_000))
            #expect(audit.verdicts.map(\.outcome) == Self.good)
            #expect(audit.unclaimed == [19])
        }
    }

    @Test func `a key that was changed or left out spoils its upload only`() throws {
        var keys = batch.keys.map { UncheckedKey($0) }
        keys[6].daysSinceOnset += 1
        let changed = try ReceivedBatch(protobuf: message(keys.map { try FederatedKey($0) }), limit: 10_000)
        expect(audit(of: changed), [2: .signature(.mismatch)])
        var fewer = batch.keys
        fewer.remove(at: 15)
        expect(audit(of: try ReceivedBatch(protobuf: message(fewer), limit: 10_000)), [4: .amount])
    }

    @Test func `a bad key counts, and doesn't hide the good ones of its upload`() throws {
        // The latest start is one too late.
        let last = try #require(batch.keys.map(\.rollingPeriod.start).max())
        let narrow = try ReceivedBatch(
            protobuf: Array(vectors.download), limit: 10_000,
            starts: IntervalNumber(rawValue: 0)...IntervalNumber(rawValue: last.rawValue - 1))
        #expect(narrow.flaws.values.reduce(0, +) >= 1)
        let audit = audit(of: narrow)
        #expect(audit.verified == Array(0..<19))
    }

    /// A message that keeps the order.
    private func message(_ keys: [FederatedKey]) throws -> [UInt8] {
        try keys.flatMap { try #require(KeyBatch([$0])).protobuf() }
    }
}
