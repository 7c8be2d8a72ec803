import Crypto
import ExposureKeys
import FederationFormat
import Foundation
import TestPrograms
import TestSupport
import Testing

/// Batches that a program without any of this module's code reads and computes anew (`batch.py`), and signatures between this module and
/// `openssl cms` over what that program computed.
@Suite(
    .heavy, .timeLimit(.minutes(5)), .enabled(if: TestPython.isAvailable, "VIGIL_TEST_PYTHON is not set"))
struct IndependentBatchTests {
    private static func key(
        _ data: [UInt8], start: UInt32 = 2_960_000, period: UInt32 = 144, level: FederatedRiskLevel = .unset,
        _ countries: [String] = [], type: ReportType = .confirmedTest, days: Int32 = 0
    ) throws -> FederatedKey {
        let key = FederatedKey(
            data: try #require(KeyData(data)),
            rollingPeriod: try #require(RollingPeriod(start: IntervalNumber(rawValue: start), length: period)),
            riskLevel: level, visitedCountries: try countries.map { try #require(CountryCode($0)) },
            origin: try #require(CountryCode("DE")), reportType: type, daysSinceOnset: days)
        return try #require(key)
    }

    private static let levels = [0, 8, Int32.max].compactMap { FederatedRiskLevel(rawValue: $0) }

    /// What goes wrong most easily.
    static let batches: [(name: String, keys: @Sendable () throws -> [FederatedKey])] = [
        ("no keys", { [] }),
        ("one key whose values are zeros", { [try key([UInt8](repeating: 0, count: 16), start: 0, period: 1)] }),
        (
            "no countries, one, and as many as there can be",
            {
                try [0, 1, 2, 96].map {
                    try key([UInt8](repeating: 1, count: 16), [String](repeating: "PL", count: $0))
                }
            }
        ),
        (
            "negative days, and the limits of 32 bits",
            {
                try [Int32.min, -15, -14, -1, 0, 1, 3986, 4000, Int32.max].map {
                    try key([UInt8](repeating: 2, count: 16), days: $0)
                }
            }
        ),
        (
            "levels and types",
            {
                try levels.flatMap { level in
                    try ReportType.allCases.map { try key([UInt8](repeating: 3, count: 16), level: level, type: $0) }
                }
            }
        ),
        (
            "keys that begin alike",
            {
                try (UInt8.min...UInt8.max).flatMap { last in
                    try [UInt32(1), 63, 64, 144].map {
                        try key([UInt8](repeating: 255, count: 15) + [last], start: 2_960_000 + $0, period: $0)
                    }
                }
            }
        ),
        (
            "starts and periods at the limits",
            {
                try [0, 1, 2_960_017, 0x7FFF_FF00].map {
                    try key([UInt8](repeating: 4, count: 16), start: $0, period: 1)
                }
            }
        ),
        ("five thousand keys", { try Sample.keys(5000, seed: 9) }),
    ]

    /// What `batch.py` says the signature covers. It refuses a body in another order, or in another form.
    private static func signedBytes(of batch: KeyBatch, in folder: OpenSSLProgram) throws -> [UInt8] {
        try folder.write(batch.protobuf(), "batch")
        let failure = try failure(of: ["signed", "batch", "content"], in: folder)
        try #require(failure == nil)
        return try folder.read("content")
    }

    /// What `batch.py` says if it fails.
    private static func failure(of arguments: [String], in folder: OpenSSLProgram) throws -> String? {
        let process = try TestPython.process("../FederationFormatTests/Independent/batch.py", arguments)
        process.currentDirectoryURL = folder.folder
        let errors = Pipe()
        process.standardError = errors
        try process.start()
        let words = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? nil : String(decoding: words, as: UTF8.self)
    }

    @Test(arguments: batches.map(\.name))
    func `another program computes the same from the body of a batch`(_ name: String) async throws {
        let keys = try #require(Self.batches.first { $0.name == name }).keys()
        var random = SeededGenerator(seed: 1)
        let batch = try #require(KeyBatch(keys.shuffled(using: &random)))
        #expect(batch.keys.count == Set(keys).count)
        let content = try Self.signedBytes(of: batch, in: OpenSSLProgram())
        #expect(content == batch.records.signedBytes)
    }

    @Test func `the other program refuses keys in another order`() async throws {
        let batch = try #require(KeyBatch(try Sample.keys(2, seed: 3)))
        let folder = try OpenSSLProgram()
        try folder.write(try KeyBatch.protobuf(batch.keys.reversed()), "batch")
        let failure = try Self.failure(of: ["signed", "batch", "content"], in: folder)
        #expect(failure == "The keys aren't in the signature's order.\n")
    }

    // MARK: Signatures

    @Test(arguments: SigningKind.allCases)
    func `openssl and this module accept each other's signatures over what the other program computed`(
        _ kind: SigningKind
    ) async throws {
        let openssl = try OpenSSLProgram()
        try openssl.makeKey(kind.rawValue)
        let key = try openssl.signingKey()
        for (number, keys) in try [[], Sample.keys(1, seed: 4), Sample.keys(1000, seed: 5)].enumerated() {
            let batch = try #require(KeyBatch(keys))
            let content = batch.records.signedBytes
            _ = try Self.signedBytes(of: batch, in: openssl)
            try openssl.write(try await BatchSignature.make(over: content, by: key).bytes, "signature")
            #expect(try openssl.verifies())

            // The other way round; and openssl writes no detached signature in BER, but reads what batch.py makes of one.
            for attributes in ["", "-noattr"] {
                let made = try openssl.sign(attributes, to: "made")
                try BatchSignature(made).verify(content, by: key.certificate)
                let failure = try Self.failure(of: ["ber", "made", "signature", "\(number)"], in: openssl)
                try #require(failure == nil)
                let inBER = try openssl.read("signature")
                #expect(inBER != made)
                try BatchSignature(inBER).verify(content, by: key.certificate)
                #expect(throws: SignatureFlaw.mismatch) {
                    try BatchSignature(inBER).verify(content + [0], by: key.certificate)
                }
                #expect(try openssl.verifies())
            }
        }
    }
}

/// Messages that no good program writes and every good one reads: `strange.json`, by `batch.py strange`.
@Suite(.heavy) struct StrangeBatchTests {
    private struct Vector: Decodable {
        let name: String
        let batch: Data
        let keys: Int
        let digest: String
    }

    @Test func `a message in another form has the records that the gateway computes`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "strange.json")
        let vectors = try JSONDecoder().decode([Vector].self, from: Data(contentsOf: file))
        #expect(vectors.count >= 11)
        for vector in vectors {
            let batch = try ReceivedBatch(protobuf: Array(vector.batch), limit: 10_000)
            #expect(batch.records.count == vector.keys, "\(vector.name)")
            #expect(
                hexadecimal(SHA256.hash(data: batch.records.signedBytes)) == vector.digest, "\(vector.name)")
            #expect(batch.flaws[.unreadable] == nil, "\(vector.name)")
        }
    }
}
