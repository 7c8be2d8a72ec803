import ArgumentParser
import Credentials
import ExposureKeys
import Foundation
import Phone
import VerificationAPI

/// Phones of a country, with what a simulated one recorded: flows of three requests each, of which almost all are dummies. Each flow has a
/// new connection, as a phone's has, but follows without a pause.
struct CountryLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "country-flows", abstract: "Requests of phones' flows that were answered, per second.")

    @OptionGroup var load: ServiceLoad

    @Option(help: "The report of `vigil-dev country`, whose proportions the flows have.")
    var report: String

    func run() async throws {
        let report = try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(filePath: report)))
        let shares = try Shares(report.requestsPerPhone)
        let cipher = try Seeded.cipher(in: load.folder)
        let numbers = Numbers(limit: Int(Seeded.count))
        let keys = Self.keysOfOnePhone()
        try await load.run { task, random in
            let apps = try AppClient(
                base: load.base[task % load.base.count], authorities: "\(load.folder)/authority.pem")
            let outcome: Result<Void, any Error>
            do {
                switch shares.flow(using: &random) {
                case .registration:
                    let token = try await apps.register(.guid(HashedGUID(hashing: "\(random.next())")))
                    _ = try await apps.testResult(token)
                    try await apps.pretendToUpload()
                case .result:
                    let number = UInt64.random(in: 0..<Seeded.count, using: &random)
                    _ = try await apps.testResult(RegistrationToken(try Seeded.identifier("session", number)))
                    try await apps.pretendToAskForTAN()
                    try await apps.pretendToUpload()
                case .upload:
                    guard let number = numbers.next() else { throw ValidationError("No TAN is left.") }
                    try await apps.pretendToAskForResult()
                    // The seeded results are negative: the TAN is one that the server would have given.
                    try await apps.pretendToAskForTAN()
                    try await apps.upload(keys, tan: Seeded.tan(number, by: cipher))
                case .dummy:
                    try await apps.pretendToAskForResult()
                    try await apps.pretendToAskForTAN()
                    try await apps.pretendToUpload()
                }
                outcome = .success(())
            } catch {
                outcome = .failure(error)
            }
            await apps.close()
            try outcome.get()
            return 3
        }
    }

    private static func keysOfOnePhone() -> [DiagnosisKey] {
        var random = SystemRandomNumberGenerator()
        return Phone(at: Date(), using: &random).diagnosisKeys()
    }

    /// The part of the country's report that is read.
    private struct Report: Decodable {
        /// By the names of `Traffic.Class`.
        let requestsPerPhone: [String: Double]
    }

    /// How many of all flows are of each kind.
    private struct Shares {
        enum Flow { case registration, result, upload, dummy }

        private let registrations: Double
        private let results: Double
        private let uploads: Double

        /// - Parameter requests: for each class, how many.
        init(_ requests: [String: Double]) throws {
            func count(_ name: String) -> Double { requests[name] ?? 0 }
            let classes = ["registration", "result", "tan", "upload", "dummy"]
            let flows = classes.map(count).reduce(0, +) / 3
            guard flows > 0, count("upload") > 0 else { throw ValidationError("In the country nobody uploaded.") }
            registrations = count("registration") / flows
            // A registration is followed by the first question for its result.
            results = max(0, count("result") - count("registration")) / flows
            uploads = count("upload") / flows
        }

        func flow(using random: inout FastRandom) -> Flow {
            let number = Double.random(in: 0..<1, using: &random)
            return if number < registrations {
                .registration
            } else if number < registrations + results {
                .result
            } else if number < registrations + results + uploads {
                .upload
            } else {
                .dummy
            }
        }
    }
}
