import Credentials
import Crypto
import ExposureFormat
import ExposureKeys
import Foundation
import HTTPContract
import HTTPTypes
import Phone
import Serving
import SubmissionAPI
import Synchronization
import TestSupport
import Testing
import Venues
import VerificationAPI

/// A request for a file, by entity tag or without.
private struct FileRequest: WireMessage {
    let tag: String?

    static var mediaType: MediaType? { nil }
    static var headerNames: [HTTPField.Name] { [.ifNoneMatch] }

    init(fields: HTTPFields, body: Data) throws(MalformedMessage) { tag = fields[.ifNoneMatch] }

    func encoded() -> EncodedMessage { EncodedMessage() }
}

/// A file with its entity tag and lifetime.
private struct TaggedFile: WireMessage {
    let body: Data
    let tag: String

    init(_ bytes: some Sequence<UInt8>) {
        body = Data(bytes)
        tag = "\"\(Digest(sha256: body).hex.prefix(16))\""
    }

    static var mediaType: MediaType? { .json }
    static var headerNames: [HTTPField.Name] { [.eTag, .cacheControl] }

    init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
        self.body = body
        tag = fields[.eTag] ?? ""
    }

    func encoded() -> EncodedMessage {
        EncodedMessage(fields: [.eTag: tag, .cacheControl: "public, max-age=300"], body: body)
    }
}

/// An app against a published tree and a proxy on the network.
@Suite(.timeLimit(.minutes(5))) struct AppExecutorTests {
    private static let day = Day(number: 20_600)
    private static let now = day.firstHour.advanced(by: 2).start + 1200
    private static let signer = SigningKey(
        P256.Signing.PrivateKey(), identity: SigningIdentity(appBundleID: "org.example.app"))

    /// What the server was asked for, and what it has.
    private final class Server: Sendable {
        struct State {
            var asked: [String] = []
            var unchanged = 0
            var uploads: [UploadRequest] = []
        }

        let state = Mutex(State())
        let token: RegistrationToken
        let tan: TAN

        init() {
            var random = SystemRandomNumberGenerator()
            token = RegistrationToken(RandomIdentifier(using: &random))
            tan = TAN(RandomIdentifier(using: &random))
        }
    }

    private static func key(_ number: UInt8) throws -> DiagnosisKey {
        let period = RollingPeriod(start: day.advanced(by: -2).firstInterval, length: IntervalNumber.perDay)
        return DiagnosisKey(
            data: try #require(KeyData([UInt8](repeating: number, count: 16))), rollingPeriod: try #require(period),
            transmissionRiskLevel: .lowest, daysSinceOnsetOfSymptoms: try #require(DaysSinceOnset(rawValue: 3998)),
            reportType: .confirmedTest)
    }

    private static func package(_ keys: [DiagnosisKey], _ hours: Range<Hour>) throws -> [UInt8] {
        let header = ExportHeader(hours: hours, region: "DE")
        let files = try KeyExport.files(of: KeySet(keys), headers: [header], signers: [signer.identity])
        let file = try #require(files.first)
        return try file.archive(signatures: [try signer.sign(file.digest)])
    }

    private static func files() throws -> [String: [UInt8]] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let json = try Data(contentsOf: root.appending(path: "deploy/static/version/v2/app_config_ios.json"))
        let configuration = try StaticMessage.applicationConfigurationIOS.encode(json: Array(json))
        let (yesterday, first) = (day.advanced(by: -1), day.firstHour)
        let keys = "/version/v1/diagnosis-keys/country/DE/date"
        return [
            "/version/v2/app_config_ios": try SignedArchive(signing: configuration, with: [signer]).zipped(),
            keys: Array("[\"\(yesterday.name)\"]".utf8),
            "\(keys)/\(yesterday.name)": try package(
                [try key(1), try key(2)], yesterday.firstHour..<first),
            "\(keys)/\(day.name)/hour": Array("[0,1]".utf8),
            "\(keys)/\(day.name)/hour/0": try package([try key(2), try key(3)], first..<first.advanced(by: 1)),
            // Signed by nobody that the phone knows.
            "\(keys)/\(day.name)/hour/1": Array("no package".utf8),
        ]
    }

    private func with(
        _ server: Server, _ body: (AppClient, PackageClient) async throws -> Void
    ) async throws {
        let certificates = try TestCertificates()
        let files = try Self.files().mapValues(TaggedFile.init)
        let listener = Listener(
            name: "public", host: "127.0.0.1", port: 0, security: .publicTLS(try certificates.files(role: nil))
        ) { routes in
            for (path, file) in files {
                let operation = Endpoint<FileRequest, TaggedFile>(
                    .get, path, callers: [], bodyLimit: 0, summary: "A file.")
                routes.on(operation) { request, _ in
                    server.state.withLock { $0.asked.append(path) }
                    guard request.tag == file.tag else { return file }
                    server.state.withLock { $0.unchanged += 1 }
                    throw Problem(.notModified)
                }
            }
            routes.on(VerificationAPI.registrationToken) { _, _ in RegistrationTokenResponse(server.token) }
            routes.on(VerificationAPI.testResult) { _, _ in
                TestResultResponse(testResult: .pcrPositive, sampleCollected: 1_780_000_000, labID: nil)
            }
            routes.on(VerificationAPI.tan) { request, _ in
                guard request.isFake || request.registrationToken == server.token else { throw Problem.badRequest }
                return TANResponse(server.tan)
            }
            routes.on(SubmissionAPI.diagnosisKeys) { upload, _ in
                server.state.withLock { $0.uploads.append(upload) }
                return UploadAccepted()
            }
        }
        try await withService(listeners: [listener]) { _ in
            let authorities = "\(certificates.directory)/authority.pem"
            let base = "https://localhost:\(try await listener.boundPort)"
            let apps = try AppClient(base: base, authorities: authorities)
            let packages = try PackageClient(
                base: base, authorities: authorities, region: "DE", trusted: [Self.signer.verificationKey])
            do {
                try await body(apps, packages)
                await apps.close()
                await packages.close()
            } catch {
                await apps.close()
                await packages.close()
                throw error
            }
        }
    }

    @Test("an app downloads, compares each key once, asks by entity tag, and uploads what was agreed")
    func lives() async throws {
        let server = Server()
        try await with(server) { apps, packages in
            var executor = AppExecutor(
                apps: apps, packages: packages, instance: AppInstanceToken(), venueRules: .shipped)
            var random = SeededGenerator(seed: 1)
            var now = Self.now
            var app = App(
                App.Setup(device: .ios(wakeUps: 4), dummies: .sinceAugust2020), installedAt: now, using: &random)
            var compared: [[KeyData]] = []
            var days: [ClosedRange<Day>] = []
            func tell(_ event: App.Event) async -> [App.Request.Kind] {
                await executor.tell(event, to: &app, clock: { now }) { upload in
                    days.append(upload.days)
                    return [try Self.key(9)]
                } detect: { keys in
                    compared.append(keys.map(\.data))
                }.map(\.kind)
            }
            #expect(await tell(.opened) == [])
            let published = Set(try [1, 2, 3].map { try Self.key($0).data })
            #expect(compared.map(Set.init) == [published])
            #expect(compared.first?.count == 3)
            #expect(app.downloads.files.map(\.package) == [.hour(Self.day.firstHour), .day(Self.day.advanced(by: -1))])
            #expect(app.rules.detectionsPerDay == 6)

            now += 600
            _ = await tell(.opened)
            #expect(server.state.withLock { $0.unchanged } == 1)
            // The damaged package is asked for again, and nothing else that the phone has.
            let hours = server.state.withLock { $0.asked.filter { $0.contains("/hour/") } }
            #expect(hours.map { $0.suffix(1) } == ["0", "1", "1"])

            let proof = RegistrationTokenRequest.Proof.guid(HashedGUID(hashing: "3BF1D4"))
            #expect(await tell(.scanned(proof, .pcr)) == [.show(.result(test: 0, .pcrPositive))])
            _ = await tell(.consented(test: 0, App.Consent(onset: .unknownDay)))
            now += 3600
            _ = await tell(.opened)
            now += 3600
            for _ in 0..<20 where days.isEmpty {
                now = app.nextWake(after: now)
                _ = await tell(.woken)
            }
            #expect(days == [Self.day.advanced(by: -14)...Self.day.advanced(by: -1)])
            let uploads = server.state.withLock { $0.uploads }
            #expect(Set(uploads.map(\.payload.count)).count == 1)
            #expect(uploads.filter { !$0.isFake }.map(\.authorization) == [server.tan.text])
        }
    }
}
