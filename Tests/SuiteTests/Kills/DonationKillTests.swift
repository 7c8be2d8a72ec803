import Calling
import Catalogue
import Credentials
import Crypto
import DevelopmentAttestation
import DevelopmentSuite
import DonationAPI
import DonationFormat
import ExposureKeys
import Foundation
import HTTPContract
import HTTPTypes
import PlayIntegrity
import Postgres
import Synchronization
import TestSupport
import Testing
import Vigil

/// Kills data-donation, its fold and PostgreSQL repeatedly, while apps ask for passwords, servers redeem them and apps donate.
///
/// A phone gets one self-report, a password is redeemed once, and every donation is folded exactly once.
@Suite(
    .serialized, .enabled(if: TestPostgres.isAvailable, "needs PostgreSQL's programs"),
    .timeLimit(.minutes(KillPlan.minutes)))
struct DonationKillTests {
    private enum Victim: CaseIterable {
        case dataDonation, fold, postgres, foldProcess
    }

    @Test func `no kill gives a phone a second share, redeems a password twice, or loses or doubles a donation`()
        async throws
    {
        try await KillableSuite.run([.donationFold, .dataDonation]) { suite in
            let donors = try Donors(suite)
            var hour = Hour(containing: Date())
            var randomness = SeededGenerator(seed: KillPlan.seed)
            let journeys = try await donors.run(4) {
                for number in 0..<KillPlan.kills {
                    try await Task.sleep(for: .milliseconds(.random(in: 50...700, using: &randomness)))
                    switch Victim.allCases[number % Victim.allCases.count] {
                    case .dataDonation: try await suite.restart(.dataDonation)
                    case .foldProcess: try await suite.restart(.donationFold)
                    case .postgres: try await suite.restart(.postgres)
                    case .fold:
                        hour = hour.advanced(by: 1)
                        _ = try await suite.foldDonations(
                            asOf: hour.start, killingAfter: .milliseconds(.random(in: 0...400, using: &randomness)))
                    }
                }
                try await suite.restart(.postgres) { donors.callers.unanswered > 0 }
            }
            for _ in 0..<2 {
                hour = hour.advanced(by: 1)
                #expect(try await suite.foldDonations(asOf: hour.start))
            }
            let folded = try await suite.asSuperuser { session in
                try session.rows("SELECT district FROM donation.user_group ORDER BY 1", as: Int32.self)
            }
            #expect(folded == journeys.map(\.district).sorted(), "seed \(KillPlan.seed)")
            #expect(journeys.flatMap(\.violations) == [], "seed \(KillPlan.seed)")
            #expect(journeys.count > KillPlan.kills)
            #expect(donors.callers.unanswered > 0)
            print(
                "\(KillPlan.kills) kills, seed \(KillPlan.seed): \(journeys.count) phones, \(donors.callers.unanswered) calls "
                    + "without an answer.")
        }
    }

    @Test
    func `the judge notices a second share, a password that two redeemed or nobody, and a donation that was refused`() {
        let good = Donors.Journey(district: 1, isRivalGiven: false, redeemed: 1, isDonated: true)
        #expect(good.violations == [])
        #expect(Donors.Journey(district: 1, isRivalGiven: true, redeemed: 1, isDonated: true).violations.count == 1)
        for redeemed in [0, 2] {
            let journey = Donors.Journey(district: 1, isRivalGiven: false, redeemed: redeemed, isDonated: true)
            #expect(journey.violations.count == 1)
        }
        #expect(Donors.Journey(district: 1, isRivalGiven: false, redeemed: 1, isDonated: false).violations.count == 1)
    }
}

/// Phones and verification servers.
private final class Donors: Sendable {
    /// What became of one phone's requests.
    struct Journey: Sendable {
        /// It names the phone among the donated data.
        let district: Int32
        /// Whether a second self-report of the phone got a password, too.
        let isRivalGiven: Bool
        /// How many of two servers redeemed the first one's password.
        let redeemed: Int
        /// Acknowledged, or refused after an attempt without an answer, which may have been stored.
        let isDonated: Bool

        var violations: [String] {
            (isRivalGiven ? ["phone \(district) reported itself twice"] : [])
                + (redeemed == 1 ? [] : ["the password of phone \(district) was redeemed by \(redeemed)"])
                + (isDonated ? [] : ["phone \(district) was refused its donation"])
        }
    }

    private let apps: ServiceClient
    private let verification: ServiceClient
    private let mint: PlayIntegrityMint
    let callers = RepeatingCallers()

    init(_ suite: KillableSuite) throws {
        apps = try ServiceClient(
            base: suite.url(of: .dataDonation, .app), tls: suite.certificate("metadata-proxy"), name: "apps",
            deadline: .seconds(4))
        verification = try ServiceClient(
            base: suite.url(of: .dataDonation, .redemption), tls: suite.certificate("verification-server"),
            name: "verification", deadline: .seconds(4))
        let folder = suite.folder
        let secret = try String(
            contentsOfFile: folder.secret(SuiteSecrets.playIntegrityDecryptionKey), encoding: .utf8)
        let key = try #require(Data(base64Encoded: secret.trimmingCharacters(in: .whitespacesAndNewlines)))
        mint = PlayIntegrityMint(
            encryption: SymmetricKey(data: key),
            signing: try SuiteSecrets.privateKey(SuiteSecrets.playIntegritySigningKey, in: folder))
    }

    /// Runs phones, each worker one after another, while `body` runs; then lets them finish.
    func run(_ workers: Int, _ body: () async throws -> Void) async throws -> [Journey] {
        let result: Result<[Journey], any Error>
        do {
            result = .success(try await callers.run(workers, { try await self.journey(Int32($0)) }, while: body))
        } catch {
            result = .failure(error)
        }
        await apps.close()
        await verification.close()
        return try result.get()
    }

    // MARK: One phone

    private func journey(_ district: Int32) async throws -> Journey {
        let id = withUnsafeBytes(of: Int64(district)) { Array($0) }
        var random = SystemRandomNumberGenerator()
        let (first, second) = (OneTimePassword(using: &random), OneTimePassword(using: &random))
        _ = try await given(first, id)
        async let one = redeem(first)
        async let other = redeem(first)
        async let rival = given(second, id)
        async let donated = donate(district)
        let redeemed = [try await one, try await other].count { $0 }
        return Journey(
            district: district, isRivalGiven: try await rival, redeemed: redeemed, isDonated: try await donated)
    }

    private func given(_ password: OneTimePassword, _ id: [UInt8]) async throws -> Bool {
        let payload = try PasswordRequest(password, androidID: AndroidID(id)).encoded()
        let body = try body(payload)
        return try await callers.outcome { _ = try await self.apps.call(DonationAPI.reportOnAndroid, body) }.isOK
    }

    private func redeem(_ password: OneTimePassword) async throws -> Bool {
        let request = ReportRedemptions([ReportRedemption(password.text, idempotencyKey: .fresh)])
        let redeemed = Mutex<[Bool]>([])
        _ = try await callers.outcome {
            let answer = try await self.verification.call(DonationAPI.reportRedemptions, request)
            redeemed.withLock { $0 = answer.redeemed }
        }
        return redeemed.withLock { $0 } == [true]
    }

    private func donate(_ district: Int32) async throws -> Bool {
        let payload = try AnalyticsData(
            client: .init(
                version: .init(3, 2, 0), system: .android(apiLevel: 33, exposureNotifications: 16_172_301_000)),
            user: UserGroup(federalState: 13, district: district, age: .to29)
        ).encoded()
        let body = try body(payload)
        let outcome = try await callers.outcome { _ = try await self.apps.call(DonationAPI.analyticsOnAndroid, body) }
        return outcome.isOK || outcome.wasUnknown
    }

    private func body(_ payload: [UInt8]) throws -> DonationBody {
        var random = SystemRandomNumberGenerator()
        let salt = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let signer = SimulatedAccount.androidSigner.replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
        var verdict = SimulatedVerdict(
            packageName: SimulatedAccount.topic, certificateDigests: [signer], at: Date())
        verdict.requestDetails.nonce = PlayIntegrityPolicy.binding(salt: salt, payload: payload)
        let evidence = AndroidEvidence(
            salt: Data(salt).base64EncodedString(), playIntegrity: try mint.token(verdict))
        return DonationBody(
            Data(try DonationRequest(authentication: evidence.encoded(), payload: payload).encoded(length: 16_384)))
    }
}
