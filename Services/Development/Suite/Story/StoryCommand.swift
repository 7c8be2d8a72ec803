import ArgumentParser
import Calling
import Catalogue
import DevelopmentAPNsAPI
import DevelopmentIdentityAPI
import ExposureFormat
import ExposureKeys
import Foundation
import Phone
import Running
import TLS
import Vigil

/// `vigil-dev story`: plays the story on the suite that `vigil-dev up` started.
struct StoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "story", abstract: "Send one positive test through a running suite, from the lab to a phone.",
        discussion: "Ends with 0, or with the number of the step that failed. It can be repeated on the same suite.")

    @OptionGroup var state: StateOption

    @Option(help: ArgumentHelp("The identity provider's issuer, if not that of the suite.", valueName: "url"))
    var issuer: String?

    func run() async throws {
        let folder = state.folder
        let suite = try RunningSuite(in: folder)
        let clients = try StoryClients(folder, suite)
        let outcome: Story.Failure?
        do {
            try await Story(
                on: try await clients.stage(folder, suite, issuer: issuer ?? suite.issuer), say: Console.say
            ).play()
            outcome = nil
        } catch let failure as Story.Failure {
            outcome = failure
        }
        await clients.close()
        if let outcome {
            Console.complain(outcome.description)
            throw ExitCode(Int32(outcome.step))
        }
    }
}

/// The connections of all participants.
private struct StoryClients {
    let apps: AppClient
    let packages: PackageClient
    let europe: PackageClient
    let lab: ServiceClient
    let portal: ServiceClient
    let tracing: ServiceClient
    let apns: ServiceClient
    let provider: ServiceClient
    let gateway: ServiceClient
    let vouchers: ServiceClient
    let surveys: ServiceClient

    init(_ folder: StateFolder, _ suite: RunningSuite) throws {
        let authority = folder.certificate(SuiteCertificates.authority)
        func identity(_ name: String) -> TLSFiles {
            TLSFiles(
                certificate: folder.certificate(name), key: folder.certificateKey(name), authorities: authority)
        }
        apps = try suite.appClient(in: folder)
        packages = try suite.packageClient(in: folder)
        europe = try suite.packageClient(in: folder, region: "EUR")
        lab = try ServiceClient(
            base: suite.url(of: .testResultServer, .laboratories), tls: identity("lab"), name: "test-result-server")
        portal = try ServiceClient(
            base: suite.url(of: .verificationServer, .portal), tls: identity("portal"), name: "verification-server")
        tracing = try ServiceClient(
            base: suite.url(of: .healthPortal, .tracing), tls: identity("contact-tracing"), name: "health-portal")
        apns = try ServiceClient(
            base: suite.url(of: .developmentAPNs, .control), tls: nil, name: "development-apns")
        provider = try ServiceClient(
            base: suite.url(of: .developmentIdentity, .control), tls: nil, name: "development-identity")
        gateway = try ServiceClient(
            base: suite.url(of: .developmentGateway, .control), tls: nil, name: "development-gateway")
        vouchers = try ServiceClient(
            base: suite.url(of: .developmentAttestation, .control), tls: nil, name: "development-attestation")
        surveys = try ServiceClient(
            base: suite.url(of: .dataDonation, .redemption), tls: identity("survey-server"), name: "data-donation")
    }

    func close() async {
        await apps.close()
        await packages.close()
        await europe.close()
        await lab.close()
        await portal.close()
        await tracing.close()
        await apns.close()
        await provider.close()
        await gateway.close()
        await vouchers.close()
        await surveys.close()
    }

    func stage(_ folder: StateFolder, _ suite: RunningSuite, issuer name: String) async throws -> StoryStage {
        let clock = try suite.clock.clock(in: folder)
        let jobs = HourlyJobs(folder: folder, suite: suite, log: "story")
        let issuer = try OfficerIssuer(in: folder, issuer: name)
        let officerToken = try issuer.token(role: .test, at: clock.now, lifetime: 300)
        let officer = PortalVisit(
            portal: try suite.url(of: .healthPortal, .listen),
            authorities: folder.certificate(SuiteCertificates.authority),
            oneTimeCode: { [provider] in try await provider.oneTimeCode(of: $0) })
        return StoryStage(
            country: suite.country, apps: apps, packages: packages, europe: europe, lab: lab, officer: officer,
            portal: portal,
            tracing: tracing,
            traceKeyToken: { try issuer.traceKeyToken(at: clock.now) },
            wakes: { try await apns.call(DevelopmentAPNsAPI.wakes, WakeQuery(token: $0)).count },
            officerToken: officerToken, clock: clock, minimumKeys: PublicationPolicy.smallestPackage,
            closing: HourClosing(packages: packages, clock: clock, fold: jobs.fold, publish: jobs.publish),
            gateway: gateway, vouchers: vouchers, surveys: surveys, runs: suite.runs, exchange: jobs.exchange,
            publishReports: jobs.publishReports,
            publishedFiles: { try Self.files(below: folder.published) },
            inspect: { try await Self.inspect($0, in: folder) })
    }

    /// Runs `vigil inspect` on a copy of an archive.
    private static func inspect(_ archive: Data, in folder: StateFolder) async throws -> (String, Int32) {
        let copy = FileManager.default.temporaryDirectory.appending(path: "vigil-story-\(UUID().uuidString).zip")
        let log = copy.appendingPathExtension("log")
        defer {
            try? FileManager.default.removeItem(at: copy)
            try? FileManager.default.removeItem(at: log)
        }
        try archive.write(to: copy)
        let exit = try await ChildProcess.run(
            ChildProcess.Program(
                try SuiteProgram.path(of: "vigil"), ["inspect", copy.path, "--state", folder.path], log: log.path))
        guard case .status(let status) = exit else { throw CommandFailure("vigil inspect \(exit).") }
        let output = try String(contentsOf: log, encoding: .utf8)
        return (output.replacing(copy.path, with: "FILE.zip"), status)
    }

    /// All published files by their path below the root.
    private static func files(below root: String) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: root) {
            let url = URL(filePath: root).appending(path: path)
            guard try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
            files[path] = try Data(contentsOf: url)
        }
        return files
    }
}
