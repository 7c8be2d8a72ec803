import Calling
import Catalogue
import DevelopmentAPNsAPI
import DevelopmentSuite
import ExposureFormat
import ExposureKeys
import Foundation
import HTTPContract
import Phone
import Running
import Synchronization
import TestSupport
import Testing
import Vigil

@Suite(
    .serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct StoryTests {
    /// A running clock that shows `instant` now.
    private static func running(from instant: Date) -> WallClock {
        .offset(by: instant.timeIntervalSinceNow)
    }

    private static let day = Day(number: 20_600)

    struct Start: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let instant: Date
    }

    static let starts = [
        Start(testDescription: "at noon", instant: day.firstHour.advanced(by: 12).start),
        Start(testDescription: "at midnight UTC, while the day changes", instant: day.firstHour.start - 0.7),
        Start(testDescription: "in the embargo of yesterday's key", instant: day.firstHour.start + 3601),
        Start(testDescription: "while the hour changes", instant: day.firstHour.advanced(by: 15).start - 1),
    ]

    @Test("one positive test travels from the lab to a stranger's phone", arguments: starts)
    func story(start: Start) async throws {
        let clock = Self.running(from: start.instant)
        try await InProcessSuite.run(clock: clock) { suite in
            try await Self.play(on: suite)
        }
    }

    @Test("the story can be played repeatedly on the same suite")
    func repeated() async throws {
        try await InProcessSuite.run(clock: Self.running(from: Self.day.firstHour.advanced(by: 22).start)) { suite in
            // The third run publishes the first hour of the next day.
            for _ in 0..<3 { try await Self.play(on: suite) }
        }
    }

    private static func play(on suite: InProcessSuite) async throws {
        let told = Mutex<[String]>([])
        try await suite.withStage { stage in
            try await Story(on: stage) { sentence in told.withLock { $0.append(sentence) } }.play()
        }
        let sentences = told.withLock { $0 }
        #expect(sentences.contains("Phone C found nothing."))
        #expect(sentences.contains { $0.hasPrefix("Phone E found on the device that it met phone A's owner") })
        #expect(sentences.contains { $0.hasPrefix("Phone K found the same of phone H's owner") })
        #expect(sentences.contains { $0.hasPrefix("The same assertion once more") && $0.hasSuffix("(403).") })
        #expect(sentences.contains { $0.hasSuffix("can't take them back (401).") })
        #expect(sentences.contains { $0.contains("phones Q and R told their owners, once,") })
        #expect(sentences.contains { $0.hasPrefix("Phone G downloaded the European package") })
    }
}

extension InProcessSuite {
    /// Calls `body` with all participants of the story, connected to this suite.
    func withStage<Result: Sendable>(_ body: (StoryStage) async throws -> Result) async throws -> Result {
        let pem = try String(contentsOfFile: SuiteSecrets.signingPublicKeyFile(in: folder), encoding: .utf8)
        let apps = try AppClient(base: url(of: .metadataProxy, .listen), authorities: authorities)
        let packages = try PackageClient(
            base: url(of: .downloadServer, .listen), authorities: authorities, region: "DE",
            trusted: [try VerificationKey(pem: pem)])
        let europe = try PackageClient(
            base: url(of: .downloadServer, .listen), authorities: authorities, region: "EUR",
            trusted: [try VerificationKey(pem: pem)])
        let gateway = try ServiceClient(
            base: url(of: .developmentGateway, .control), tls: nil, name: "development-gateway")
        let vouchers = try ServiceClient(
            base: url(of: .developmentAttestation, .control), tls: nil, name: "development-attestation")
        let surveys = try ServiceClient(
            base: url(of: .dataDonation, .redemption), tls: certificate(.surveyServer), name: "data-donation")
        let lab = try ServiceClient(
            base: url(of: .testResultServer, .laboratories), tls: certificate(.lab), name: "test-result-server")
        let portal = try ServiceClient(
            base: url(of: .verificationServer, .portal), tls: certificate(.portal), name: "verification-server")
        let tracing = try ServiceClient(
            base: url(of: .healthPortal, .tracing), tls: certificate(.contactTracing), name: "health-portal")
        let tokens = try OfficerIssuer(in: folder, issuer: issuer)
        let clock = self.clock
        let apns = try ServiceClient(base: url(of: .developmentAPNs, .control), tls: nil, name: "development-apns")
        let identity = try ServiceClient(
            base: url(of: .developmentIdentity, .control), tls: nil, name: "development-identity")
        let officer = PortalVisit(portal: portalOrigin, authorities: authorities) {
            try await identity.oneTimeCode(of: $0)
        }
        let stage = StoryStage(
            apps: apps, packages: packages, europe: europe, lab: lab, officer: officer, portal: portal,
            tracing: tracing,
            traceKeyToken: { try tokens.traceKeyToken(at: clock.now) },
            wakes: { try await apns.call(DevelopmentAPNsAPI.wakes, WakeQuery(token: $0)).count },
            officerToken: try tokens.token(role: .test, at: clock.now, lifetime: 300),
            clock: clock, minimumKeys: PublicationPolicy.smallestPackage,
            closing: HourClosing(packages: packages, clock: clock, fold: fold, publish: publish),
            gateway: gateway, vouchers: vouchers, surveys: surveys,
            runs: { _ in true }, exchange: exchange, publishReports: publishReports,
            publishedFiles: { try publishedFiles() }, inspect: { try inspect($0) })
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body(stage))
        } catch {
            result = .failure(error)
        }
        await apps.close()
        await packages.close()
        await europe.close()
        await gateway.close()
        await vouchers.close()
        await surveys.close()
        await lab.close()
        await portal.close()
        await tracing.close()
        await apns.close()
        await identity.close()
        return try result.get()
    }

    private func publishedFiles() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.published) {
            let url = URL(filePath: folder.published).appending(path: path)
            guard try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
            files[path] = try Data(contentsOf: url)
        }
        return files
    }

    private func inspect(_ archive: Data) throws -> (output: String, exitStatus: Int32) {
        let copy = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString).zip")
        defer { try? FileManager.default.removeItem(at: copy) }
        try archive.write(to: copy)
        do {
            let inspection = try Inspection(
                file: copy.path, publicKeyFile: SuiteSecrets.signingPublicKeyFile(in: folder))
            return (inspection.text, 0)
        } catch let failure as CommandFailure {
            return (failure.description, failure.exitStatus)
        }
    }
}
