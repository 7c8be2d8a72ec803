import AppAttest
import ArgumentParser
import Calling
import Credentials
import DevelopmentAttestation
import DonationAPI
import DonationFormat
import ExposureKeys
import Foundation
import HTTPContract
import Running
import TLS

/// Donors with a key each, and what each of them sends once: signed before the measurement, because phones do that.
struct DonationPreparation: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "donation-evidence",
        abstract: "Make donors' keys for donation.attested_key, and requests with an assertion of each.")

    @Option(help: "Where data-donation listens for apps: it gives the challenge.")
    var base: String

    @Option(
        help:
            "The folder of certificates, and of data-donation's hash key. The files `donors` and `donations` come there."
    )
    var folder: String

    @Option(help: "The App ID that data-donation takes.")
    var app: String

    @Option(help: "How many donors.")
    var count: Int

    func run() async throws {
        let secret = try Settings(["key": "\(folder)/key"]).secretFile("key")
        guard let hashKey = HashKey(bytes: secret), let app = AppID(app) else { throw ValidationError("no key or app") }
        let challenge = try await challenge()
        let today = Day(containing: Date())
        var random = FastRandom(repeatable: 400)
        // As COPY reads them, and as `DonationLoad` does.
        var (donors, donations) = ("", "")
        for _ in 0..<count {
            var device = AppAttestDevice(app: app)
            let payload = try Self.data(before: today, using: &random).encoded()
            let assertion = try device.assertion(over: challenge + payload)
            let evidence = IOSEvidence(
                appAttest: .init(challenge: challenge, keyID: device.keyID.bytes, assertion: assertion))
            let donor = hashKey.digest(for: "attested key", device.keyID.bytes)
            donors += "\\\\x\(donor.hex)\t\\\\x\(device.publicKey.x963.hex)\n"
            donations += try "\(Self.text(evidence.encoded())) \(Self.text(payload))\n"
        }
        try Data(donors.utf8).write(to: URL(filePath: "\(folder)/donors"))
        try Data(donations.utf8).write(to: URL(filePath: "\(folder)/donations"))
    }

    private func challenge() async throws -> [UInt8] {
        let role = Role.metadataProxy.rawValue
        let client = try ServiceClient(
            base: base,
            tls: TLSFiles(
                certificate: "\(folder)/\(role).pem", key: "\(folder)/\(role).key",
                authorities: "\(folder)/authority.pem"),
            name: "measured", deadline: .seconds(30))
        let answer: Result<ChallengeAnswer, any Error>
        do {
            answer = .success(try await client.call(DonationAPI.challenge, NoContent()))
        } catch {
            answer = .failure(error)
        }
        await client.close()
        return Data(base64Encoded: try answer.get().challenge).map(Array.init) ?? []
    }

    /// A day with two encounters of six scans: it fits into the row that most donations have.
    private static func data(before today: Day, using random: inout FastRandom) -> AnalyticsData {
        let windows = (1...2).map { daysAgo in
            DonatedWindow(
                day: today.advanced(by: -daysAgo), reportType: .confirmedTest, infectiousness: .standard,
                scans: (0..<6).map { _ in
                    .init(
                        typicalAttenuation: .random(in: 30...90, using: &random),
                        minimumAttenuation: .random(in: 20...80, using: &random), seconds: 300)
                }, transmissionRiskLevel: .random(in: 1...8, using: &random), normalizedTime: 12.5)
        }
        return AnalyticsData(
            risk: DonatedRisk(encounters: .init(.low, mostRecentDay: today.advanced(by: -1), dayChanged: true)),
            windows: windows,
            client: AppClient(
                version: SemanticVersion(3, 2, 0), system: .iOS(SemanticVersion(18, 1, 0)),
                configurationTag: #""5f1c8d2a9b3e4f60718293a4b5c6d7e8""#),
            user: UserGroup(
                federalState: .random(in: 1...16, using: &random), district: .random(in: 1...400, using: &random),
                age: .to59))
    }

    private static func text(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}

/// Phones that donate data with an assertion of App Attest, each once.
struct DonationLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "donations", abstract: "Donations that were answered 200, per second, of those that were prepared."
    )

    @OptionGroup var load: ServiceLoad

    /// Bytes of a request with few encounters, as apps pad it.
    private static let size = 16_384

    func run() async throws {
        let lines = try String(contentsOfFile: "\(load.folder)/donations", encoding: .utf8).split(separator: "\n")
        let requests = try lines.map { line in
            let parts = line.split(separator: " ").compactMap { Data(base64Encoded: String($0)) }
            guard parts.count == 2 else { throw ValidationError("the file of donations has another form") }
            return DonationRequest(authentication: Array(parts[0]), payload: Array(parts[1]))
        }
        let numbers = Numbers(limit: requests.count)
        try await load.run(as: .metadataProxy) { client, _ in
            guard let number = numbers.next() else { return nil }
            let body = Data(try requests[Int(number)].encoded(length: Self.size))
            _ = try await client.call(DonationAPI.analyticsOnIOS, DonationBody(body))
            return 1
        }
    }
}
