import ArgumentParser
import Crypto
import ExposureKeys
import FederationFormat
import FoundationEssentials

/// The batches of the rows `federation-…`. `Tests/Benchmarks/Rows/federation/reference.cpp` makes the same.
enum FederationBatches {
    static let countries = [
        "AT", "BE", "CH", "CY", "CZ", "DK", "EE", "ES", "FI", "FR", "HR", "IE", "IT", "LT", "LV", "NL", "NO", "PL",
        "SI",
    ]

    /// As a country shares keys: the same countries for all, and no levels.
    static func keys(_ count: Int, from origin: String, seed: UInt64) throws -> [FederatedKey] {
        var random = FastRandom(repeatable: seed)
        let countries = countries.compactMap { CountryCode($0) }
        guard let origin = CountryCode(origin) else { throw ExitCode.failure }
        return try (0..<count).map { _ in
            let data = KeyData(high: random.next(), low: random.next())
            let facts = random.next()
            let start = IntervalNumber(rawValue: 2_966_400 + 144 * UInt32(facts % 14))
            guard let period = RollingPeriod(start: start, length: 144),
                let key = FederatedKey(
                    data: data, rollingPeriod: period, riskLevel: .unset, visitedCountries: countries, origin: origin,
                    reportType: .confirmedTest, daysSinceOnset: Int32(facts >> 32 & 15) - 7)
            else { throw ExitCode.failure }
            return key
        }
    }

    /// A number that follows from bytes.
    static func digest(_ bytes: [UInt8]) -> String {
        SHA256.hash(data: bytes).prefix(8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    static func read(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }
    static func text(_ path: String) throws -> String { String(decoding: try read(path), as: UTF8.self) }
}

/// A country that makes batches of its keys and signs them, again and again.
struct FederationUpload: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Keys that were serialised, sorted and signed, per second.")

    @Option(help: "A folder with p256.key, p256.pem, rsa.key and rsa.pem.")
    var folder: String

    @Option(help: "How long; all batches are made once at least.")
    var seconds = 4.0

    private static let batches = 4
    private static let keysOfBatch = 4000

    func run() async throws {
        let signers = try ["p256", "rsa"].map { name in
            try BatchSigningKey(
                pem: FederationBatches.text("\(folder)/\(name).key"),
                certificate: FederationCertificate(pem: FederationBatches.text("\(folder)/\(name).pem")))
        }
        let workload = try (0..<Self.batches).map {
            try FederationBatches.keys(Self.keysOfBatch, from: "DE", seed: 300 + UInt64($0))
        }
        func upload(_ number: Int) async throws -> (body: [UInt8], signed: [UInt8]) {
            guard let batch = KeyBatch(workload[number % workload.count]) else { throw ExitCode.failure }
            let signed = batch.records.signedBytes
            let signature = try await BatchSignature.make(over: signed, by: signers[number % signers.count])
            guard !signature.field.isEmpty else { throw ExitCode.failure }
            return (try batch.protobuf(), signed)
        }
        var made: [UInt8] = []
        for number in 0..<Self.batches {
            let (body, signed) = try await upload(number)
            made += body + signed
        }
        let begin = ContinuousClock.now
        let measurement = try await Measurement.of {
            var number = 0
            repeat {
                _ = try await upload(number)
                number += 1
            } while ContinuousClock.now - begin < .seconds(seconds) || number < Self.batches
            return number * Self.keysOfBatch
        }
        print("matches \(Self.batches * Self.keysOfBatch) \(FederationBatches.digest(made))")
        try measurement.report()
    }
}

/// A country that reads batches of two uploads and finds out who signed which keys, again and again.
struct FederationAudit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Keys that were read and audited, per second.")

    @Option(help: "A folder with what Rows/federation.sh puts there.")
    var folder: String

    @Option(help: "How long; one batch is audited at least.")
    var seconds = 4.0

    @Flag(help: "Only writes the batch, and what each country has to sign.")
    var prepare = false

    private static let uploads = [("FR", 2600), ("PL", 2400)]

    func run() async throws {
        let keys = try Self.uploads.enumerated().map { number, upload in
            try FederationBatches.keys(upload.1, from: upload.0, seed: 400 + UInt64(number))
        }
        if prepare {
            var body: [UInt8] = []
            for (upload, keys) in zip(Self.uploads, keys) {
                guard let batch = KeyBatch(keys) else { throw ExitCode.failure }
                // In no order, as the gateway has them.
                body += try KeyBatch.protobuf(keys)
                try Data(batch.records.signedBytes).write(to: URL(filePath: "\(folder)/\(upload.0).content"))
            }
            try Data(body).write(to: URL(filePath: "\(folder)/batch"))
            return
        }
        let anchor = try TrustAnchor(FederationCertificate(pem: FederationBatches.text("\(folder)/anchor.pem")))
        guard let own = CountryCode("DE") else { throw ExitCode.failure }
        let body = try FederationBatches.read("\(folder)/batch")
        let audit = try AuditEntry.json(Self.uploads.map(entry))
        let now = Date()

        /// Storing the verified keys in PostgreSQL comes after this in the row `federation-download`.
        func verified() throws -> [FederatedKey] {
            guard let entries = AuditEntry.list(json: audit, limit: audit.count) else { throw ExitCode.failure }
            let batch = try ReceivedBatch(protobuf: body, limit: body.count)
            let audit = BatchAudit(of: batch, entries, trusting: anchor, own: own, at: now)
            return try audit.verified.map { try batch.entries[$0].key.get() }
        }
        guard try verified().count == Self.uploads.map(\.1).reduce(0, +) else { throw ExitCode.failure }
        let begin = ContinuousClock.now
        let measurement = try await Measurement.of {
            var operations = 0
            repeat { operations += try verified().count } while ContinuousClock.now - begin < .seconds(seconds)
            return operations
        }
        print("matches \(try verified().count)")
        try measurement.report()
    }

    /// Of an upload whose certificates and signatures lie in the folder.
    private func entry(_ upload: (country: String, keys: Int)) throws -> AuditEntry {
        func base64(_ name: String) throws -> String {
            Data(try FederationBatches.read("\(folder)/\(name)")).base64EncodedString()
        }
        let country = upload.country
        let (caller, signer) = (
            try FederationBatches.text("\(folder)/\(country)-tls.pem"),
            try FederationBatches.text("\(folder)/\(country).pem")
        )
        return AuditEntry(
            country: country, uploaderThumbprint: try FederationCertificate(pem: caller).thumbprint,
            uploaderCertificate: caller, uploaderSigningThumbprint: try FederationCertificate(pem: signer).thumbprint,
            uploaderOperatorSignature: try base64("\(country)-tls.operator"), signingCertificate: signer,
            signingCertificateOperatorSignature: try base64("\(country).operator"), amount: upload.keys,
            batchSignature: try base64("\(country).signature"))
    }
}
