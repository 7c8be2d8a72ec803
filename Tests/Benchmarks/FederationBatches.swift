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

    /// The first day of keys whose age doesn't matter.
    static let anyDay = IntervalNumber(rawValue: 2_966_400)

    /// As a country shares keys: the same countries for all, and no levels. The days since onset are such that everybody imports them.
    /// - Parameter first: of fourteen days on which keys begin.
    static func keys(
        _ count: Int, from origin: String, since first: IntervalNumber = anyDay, seed: UInt64
    ) throws -> [FederatedKey] {
        var random = FastRandom(repeatable: seed)
        let countries = countries.compactMap { CountryCode($0) }
        guard let origin = CountryCode(origin) else { throw ExitCode.failure }
        return try (0..<count).map { _ in
            let data = KeyData(high: random.next(), low: random.next())
            let facts = random.next()
            let start = IntervalNumber(rawValue: first.rawValue + 144 * UInt32(facts % 14))
            guard let period = RollingPeriod(start: start, length: 144),
                let key = FederatedKey(
                    data: data, rollingPeriod: period, riskLevel: .unset, visitedCountries: countries, origin: origin,
                    reportType: .confirmedTest, daysSinceOnset: Int32(facts >> 32 & 7) - 3)
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

/// The batches that a gateway gives out, each with keys of its own of two countries, and its audits.
struct FederationPreparation: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "federation-batches",
        abstract: "Make a gateway's batches and audits, and for each country what it signed, and its signature in DER.")

    @Option(help: "A folder with what Rows/federation.sh puts there.")
    var folder: String

    @Option(help: "How many.")
    var batches: Int

    private static let uploads = [("FR", 2600), ("PL", 2400)]

    func run() async throws {
        let countries = try Self.uploads.map { try Country($0.0, keys: $0.1, folder) }
        for name in ["batches", "audits"] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: false)
        }
        // None of them becomes too old when the day ends.
        let first = Day(containing: Date()).advanced(by: -13).firstInterval
        for number in 1...batches {
            var body: [UInt8] = []
            var audit: [AuditEntry] = []
            for (place, country) in countries.enumerated() {
                let seed = 1000 * UInt64(place + 1) + UInt64(number) << 32
                let keys = try FederationBatches.keys(country.keys, from: country.name, since: first, seed: seed)
                guard let batch = KeyBatch(keys) else { throw ExitCode.failure }
                let content = batch.records.signedBytes
                let signature = try await BatchSignature.make(over: content, by: country.signer)
                audit.append(country.entry(signature))
                // In no order, as a gateway has them.
                body += try KeyBatch.protobuf(keys)
                try write(content, "\(number)-\(country.name).content")
                try write(signature.bytes, "\(number)-\(country.name).signature")
            }
            try write(body, "batches/batch-\(number)")
            try write(try AuditEntry.json(audit), "audits/batch-\(number)")
        }
    }

    private func write(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)"))
    }

    /// An uploader, from files with its name.
    private struct Country {
        let name: String
        let keys: Int
        let signer: BatchSigningKey
        private let common: AuditEntry

        init(_ name: String, keys: Int, _ folder: String) throws {
            func base64(_ file: String) throws -> String {
                Data(try FederationBatches.read("\(folder)/\(file)")).base64EncodedString()
            }
            let (caller, certificate) = (
                try FederationBatches.text("\(folder)/\(name)-tls.pem"),
                try FederationBatches.text("\(folder)/\(name).pem")
            )
            self.name = name
            self.keys = keys
            let signing = try FederationCertificate(pem: certificate)
            signer = try BatchSigningKey(pem: FederationBatches.text("\(folder)/\(name).key"), certificate: signing)
            common = AuditEntry(
                country: name, uploaderThumbprint: try FederationCertificate(pem: caller).thumbprint,
                uploaderCertificate: caller, uploaderSigningThumbprint: signing.thumbprint,
                uploaderOperatorSignature: try base64("\(name)-tls.operator"), signingCertificate: certificate,
                signingCertificateOperatorSignature: try base64("\(name).operator"), amount: keys)
        }

        /// In the audit of a batch.
        func entry(_ signature: BatchSignature) -> AuditEntry {
            var entry = common
            entry.batchSignature = signature.field
            return entry
        }
    }
}
