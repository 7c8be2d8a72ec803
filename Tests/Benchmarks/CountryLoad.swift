import ArgumentParser
import Credentials
import ExposureKeys
import Foundation
import Phone
import VerificationAPI

/// Phones that send what those of a simulated country sent: flows of three requests each, of which almost all are dummies. Each flow has a
/// new connection, as a phone's has, but its requests follow each other without a pause.
struct CountryLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "country-flows", abstract: "Answered requests of phones' flows, per second.")

    @OptionGroup var load: ServiceLoad

    @Option(help: "The report.json of `vigil-dev country`, whose proportions the flows have.")
    var report: String

    func run() async throws {
        let report = try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(filePath: report)))
        let shares = Shares(report.requestsPerPhone)
        let cipher = try Seeded.cipher(in: load.folder)
        let numbers = Numbers(limit: Int(Seeded.count))
        var randomness = SystemRandomNumberGenerator()
        let keys = Phone(at: Date(), using: &randomness).diagnosisKeys()
        try await load.run { task, random in
            let apps = try AppClient(
                base: load.base[task % load.base.count], authorities: "\(load.folder)/authority.pem")
            let outcome: Result<Void, any Error>
            do {
                switch shares.draw(using: &random) {
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
                    // The seeded results are negative, so the server gives no TAN for them. The upload's is made here.
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

    /// The part of the country's report that is read.
    private struct Report: Decodable {
        let requestsPerPhone: Requests
    }

    /// How many requests a phone sent on a day, by the names of `Traffic.Class`.
    private struct Requests: Decodable {
        let registration: Double
        let result: Double
        let tan: Double
        let upload: Double
        let dummy: Double
    }

    /// How many of all flows are of each kind; the others are dummies.
    private struct Shares {
        enum Flow { case registration, result, upload, dummy }

        private let registrations: Double
        private let results: Double
        private let uploads: Double

        init(_ requests: Requests) {
            let flows = (requests.registration + requests.result + requests.tan + requests.upload + requests.dummy) / 3
            registrations = requests.registration / flows
            // A registration is followed by the first question for its result.
            results = max(0, requests.result - requests.registration) / flows
            uploads = requests.upload / flows
        }

        func draw(using random: inout FastRandom) -> Flow {
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
