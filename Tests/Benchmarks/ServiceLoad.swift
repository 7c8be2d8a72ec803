import ArgumentParser
import Calling
import Credentials
import Crypto
import Foundation
import HTTPContract
import Running
import Serving
import Synchronization
import TLS
import TestResultAPI
import VerificationAPI

/// The options that all loads on a service share.
struct ServiceLoad: ParsableArguments {
    typealias Operation = @Sendable (ServiceClient, inout FastRandom) async throws -> Int?

    @Option(help: "Where the service listens, such as https://localhost:8010; repeated for its replicas.")
    var base: [String]

    @Option(help: "The folder of certificates that `prepare-suite` filled.")
    var folder: String

    @Option(help: "Calls at one time.")
    var tasks = 16

    @Option(help: "How long to measure.")
    var seconds = 4

    /// Repeats `operation`, which returns how much it did, until the time is over or there is no more to do (nil).
    func run(as role: Role, _ operation: @escaping Operation) async throws {
        guard !base.isEmpty else { throw ValidationError("--base is missing.") }
        // A client has so many connections at most.
        let clients = try stride(from: 0, to: tasks, by: 32).enumerated().map { number, _ in
            try ServiceClient(
                base: base[number % base.count],
                tls: TLSFiles(
                    certificate: "\(folder)/\(role.rawValue).pem", key: "\(folder)/\(role.rawValue).key",
                    authorities: "\(folder)/authority.pem"),
                name: "measured", deadline: .seconds(30))
        }
        let outcome: Result<Void, any Error>
        do {
            try await Measurement.of { try await repeating(operation, by: clients) }.report()
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        for client in clients { await client.close() }
        try outcome.get()
    }

    private func repeating(_ operation: @escaping Operation, by clients: [ServiceClient]) async throws -> Int {
        let end = ContinuousClock.now + .seconds(seconds)
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    var random = FastRandom(seed: UInt64(task))
                    var total = 0
                    while ContinuousClock.now < end {
                        guard let done = try await operation(clients[task / 32], &random) else { break }
                        total += done
                    }
                    return total
                }
            }
            return try await group.reduce(0, +)
        }
    }
}

/// Identifiers that the script has put into the tables by the same rule in SQL: MD5 over a word and a number, in the form
/// of a UUID.
enum Seeded {
    /// How many of each there are.
    static let count: UInt64 = 500_000

    static func identifier(_ word: String, _ number: UInt64) throws -> RandomIdentifier {
        let digits = Insecure.MD5.hash(data: Data("\(word) \(number)".utf8)).map { String(format: "%02x", $0) }.joined()
        func part(_ start: Int, _ length: Int) -> Substring { digits.dropFirst(start).prefix(length) }
        let text = "\(part(0, 8))-\(part(8, 4))-4\(part(13, 3))-8\(part(17, 3))-\(part(20, 12))"
        guard let identifier = RandomIdentifier(text) else { throw ValidationError("the rule gives no identifier") }
        return identifier
    }

    /// The cipher of TANs, by the key that the script has put into the folder.
    static func cipher(in folder: String) throws -> TANCipher {
        let key = try Settings(["key": "\(folder)/key"]).secretFile("key")
        guard let hashKey = HashKey(bytes: key) else { throw ValidationError("the key of the TANs has another length") }
        return TANCipher(hashKey)
    }

    /// A TAN that the verification server takes for its own, each number's with a nonce of its own.
    static func tan(_ number: UInt64, by cipher: TANCipher) -> TAN {
        let nonce = Digest(sha256: withUnsafeBytes(of: number) { Array($0) })
        let hour = Int32(Date().timeIntervalSince1970 / 3600)
        return cipher.seal(TANClaims(nonce: nonce, kind: nil, lastHour: hour + 24))
    }
}

/// Gives each number once, from 0 on.
final class Numbers: Sendable {
    private let last = Atomic<Int>(-1)
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    func next() -> UInt64? {
        let number = last.add(1, ordering: .relaxed).newValue
        return number < limit ? UInt64(number) : nil
    }
}

/// Reservations in calls of the largest size: one operation is one TAN.
struct TANReservationLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tan-reservations", abstract: "Reserved TANs per second, 256 a call.")

    @OptionGroup var load: ServiceLoad

    func run() async throws {
        let cipher = try Seeded.cipher(in: load.folder)
        try await load.run(as: .submissionServer) { client, random in
            let reservations = (0..<VerificationAPI.maximumEntries).map { _ in
                let number = UInt64.random(in: 0..<Seeded.count, using: &random)
                let tan = Seeded.tan(number, by: cipher)
                return TANReservation(tan: tan, tag: Digest(sha256: tan.text.utf8), purpose: .diagnosisKeys)
            }
            let outcomes = try await client.call(VerificationAPI.reservations, TANReservations(reservations)).outcomes
            return outcomes.count { $0 == .granted }
        }
    }
}

/// One TAN a call, used up at once.
struct TANVerificationLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tan-verification", abstract: "Verified TANs per second, one a call.")

    @OptionGroup var load: ServiceLoad

    func run() async throws {
        let cipher = try Seeded.cipher(in: load.folder)
        try await load.run(as: .submissionServer) { client, random in
            let tan = Seeded.tan(.random(in: 0..<Seeded.count, using: &random), by: cipher)
            do {
                _ = try await client.call(VerificationAPI.tanVerification, TANVerification(tan))
                return 1
            } catch CallError.refused {
                // The number came a second time.
                return 0
            }
        }
    }
}

/// Phones that poll for their results.
struct ResultPollingLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "result-polling", abstract: "Answered polls per second.")

    @OptionGroup var load: ServiceLoad

    func run() async throws {
        try await load.run(as: .metadataProxy) { client, random in
            let number = UInt64.random(in: 0..<Seeded.count, using: &random)
            let poll = RegisteredTestRequest(RegistrationToken(try Seeded.identifier("session", number)))
            let answer = try await client.call(VerificationAPI.testResult, poll)
            return answer.testResult == .pcrNegative ? 1 : 0
        }
    }
}

/// A laboratory's batches of 100: one operation is one result.
struct LabResultLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lab-results", abstract: "Stored results per second, 100 a call.")

    @OptionGroup var load: ServiceLoad

    func run() async throws {
        try await load.run(as: .lab) { client, random in
            let results = try (0..<100).map { _ in
                let id = HashedGUID(hashing: "\(random.next())")
                guard let id = ResultID(id.text) else { throw ValidationError("not an id") }
                return LabResults.Result(id: id, result: .pcrNegative, sampleCollected: nil)
            }
            _ = try await client.call(TestResultAPI.labResults, LabResults(testResults: results, labID: "lab-7"))
            return 100
        }
    }
}
