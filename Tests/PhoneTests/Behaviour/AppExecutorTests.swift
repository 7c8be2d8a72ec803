import Credentials
import Crypto
import ExposureFormat
import ExposureKeys
import Exposures
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

    private static func key(_ number: UInt8, level: Int = 1) throws -> DiagnosisKey {
        let period = RollingPeriod(start: day.advanced(by: -2).firstInterval, length: IntervalNumber.perDay)
        return DiagnosisKey(
            data: try #require(KeyData([UInt8](repeating: number, count: 16))), rollingPeriod: try #require(period),
            transmissionRiskLevel: try #require(TransmissionRiskLevel(rawValue: level)),
            daysSinceOnsetOfSymptoms: try #require(DaysSinceOnset(rawValue: 3998)), reportType: .confirmedTest)
    }

    private static func package(_ keys: [DiagnosisKey], _ hours: Range<Hour>) throws -> [UInt8] {
        let header = ExportHeader(hours: hours, region: "DE")
        let files = try KeyExport.files(of: KeySet(keys), headers: [header], signers: [signer.identity])
        let file = try #require(files.first)
        return try file.archive(signatures: [try signer.sign(file.digest)])
    }

    /// The configuration of `deploy/static`, with some of its text replaced.
    private static func configuration(_ message: StaticMessage, _ changes: [String: String]) throws -> [UInt8] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let system = message == .applicationConfigurationIOS ? "ios" : "android"
        let file = root.appending(path: "deploy/static/version/v2/app_config_\(system).json")
        var json = try String(contentsOf: file, encoding: .utf8).replacing(#""ORIGIN""#, with: #""DE""#)
        for (old, new) in changes {
            try #require(json.contains(old))
            json = json.replacing(old, with: new)
        }
        return try SignedArchive(signing: try message.encode(json: Array(json.utf8)), with: [signer]).zipped()
    }

    private static func files(changes: [String: String]) throws -> [String: [UInt8]] {
        let (yesterday, first) = (day.advanced(by: -1), day.firstHour)
        let keys = "/version/v1/diagnosis-keys/country/DE/date"
        return [
            "/version/v2/app_config_ios": try configuration(.applicationConfigurationIOS, changes),
            "/version/v2/app_config_android": try configuration(.applicationConfigurationAndroid, changes),
            keys: Array("[\"\(yesterday.name)\"]".utf8),
            "\(keys)/\(yesterday.name)": try package(
                [try key(1), try key(2, level: 3)], yesterday.firstHour..<first),
            "\(keys)/\(day.name)/hour": Array("[0,1]".utf8),
            "\(keys)/\(day.name)/hour/0": try package(
                [try key(2, level: 8), try key(3)], first..<first.advanced(by: 1)),
            // Signed by nobody that the phone knows.
            "\(keys)/\(day.name)/hour/1": Array("no package".utf8),
        ]
    }

    private func with(
        _ server: Server, changes: [String: String] = [:], _ body: (AppClient, PackageClient) async throws -> Void
    ) async throws {
        let certificates = try TestCertificates()
        let files = try Self.files(changes: changes).mapValues(TaggedFile.init)
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
            for operation in [SubmissionAPI.diagnosisKeys, SubmissionAPI.venueReports] {
                routes.on(operation) { upload, _ in
                    server.state.withLock { $0.uploads.append(upload) }
                    return UploadAccepted()
                }
            }
        }
        // The server's clock is a minute behind the phone's.
        try await withService(listeners: [listener], clock: ManualClock(Self.now - 60).clock) { _ in
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

    @Test("an app downloads, compares each package once, asks by entity tag, and uploads what was agreed")
    func lives() async throws {
        let server = Server()
        try await with(server) { apps, packages in
            var executor = AppExecutor(apps: apps, packages: packages, instance: AppInstanceToken())
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
            // The second key is in both packages, with another report in each.
            #expect(compared.first?.count == 4)
            #expect(app.downloads.files.map(\.package) == [.hour(Self.day.firstHour), .day(Self.day.advanced(by: -1))])
            #expect(app.rules.downloads.detectionsPerDay == 6)
            // The app was shipped with Android's mapping.
            #expect(AppRules.shipped.keys.reportTypeWhenMissing == .confirmedTest)
            #expect(app.rules.keys.reportTypeWhenMissing == .unknown)
            #expect(app.clockOffset == 60)

            now += 600
            _ = await tell(.opened)
            #expect(server.state.withLock { $0.unchanged } == 1)
            // The server's clock stands still.
            #expect(app.clockOffset == 660)
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

    @Test("a phone whose uploads have Apple's form sends visits of both kinds in one, and has shared both then")
    func bothKindsOfVisits() async throws {
        let server = Server()
        let (venue, location) = (try CheckInStage.code(), try CheckInStage.location())
        try await with(server) { apps, packages in
            var executor = AppExecutor(
                apps: apps, packages: packages, instance: AppInstanceToken(), form: .venueReports)
            var random = SeededGenerator(seed: 2)
            var now = Self.now
            var app = App(
                App.Setup(device: .ios(wakeUps: 4), dummies: .sinceAugust2020), installedAt: now, using: &random)
            func tell(_ event: App.Event) async {
                _ = await executor.tell(event, to: &app, clock: { now }) { _ in
                    [try Self.key(9)]
                } detect: { _ in
                }
            }
            await tell(.checkedIn(venue, minutes: 30))
            await tell(.checkedIn(location, minutes: 30))
            now += 3600
            await tell(.scanned(.guid(HashedGUID(hashing: "3BF1D4")), .pcr))
            await tell(.consented(test: 0, App.Consent(onset: .unknownDay, checkIns: [0, 1])))
            now += 3600
            await tell(.opened)
            now += 3600
            for _ in 0..<20 where !server.state.withLock({ $0.uploads.contains { !$0.isFake } }) {
                now = app.nextWake(after: now)
                await tell(.woken)
            }
            let uploads = server.state.withLock { $0.uploads }
            // Dummies have the size as well.
            #expect(Set(uploads.map(\.payload.count)) == [VenueUpload.size])
            let real = uploads.filter { !$0.isFake }
            #expect(real.map(\.authorization) == [server.tan.text])
            let upload = try VenueUpload(decoding: Array(try #require(real.first).payload))
            let keys = try CheckInStage.keys(venue)
            #expect(upload.reports.compactMap { keys.open($0) }.count == 1)
            let place = try CheckInStage.traceLocation(location)
            #expect(upload.submission?.wellFormedReports.compactMap { place.open($0) }.count == 1)
            #expect(app.diary.checkIns.map(\.isShared) == [true, true])
        }
    }

    @Test("a self-report of one package and its confirmation of the next, compared at once, become a confirmed one")
    func confirmed() async throws {
        let noon = Self.day.advanced(by: -2).firstHour.advanced(by: 12).start
        let data = try Self.key(2).data
        let schedule = KeySchedule(data)
        let metadata = BroadcastMetadata(transmitPower: -20, calibrationConfidence: .high)
        let advertisement = try schedule.advertisement(at: IntervalNumber(containing: noon), metadata)
        try await with(Server()) { apps, packages in
            var store = ExposureStore(platform: .android)
            store.hear([Reception(advertisement, strength: -70)], at: noon)
            var executor = AppExecutor(apps: apps, packages: packages, instance: AppInstanceToken())
            var random = SeededGenerator(seed: 1)
            var app = App(
                App.Setup(device: .android(wifi: .always, dozes: false), dummies: .sinceAugust2020),
                installedAt: Self.now, using: &random)
            var types: [ReportType] = []
            _ = await executor.tell(.opened, to: &app, clock: { Self.now }) { _ in
                []
            } detect: { keys in
                types += keys.filter { $0.data == data }.map(\.reportType)
                try store.provide(keys, at: Self.now)
            }
            #expect(types == [.selfReport, .confirmedTest])
            let windows = store.windows(by: app.rules.keys, at: Self.now, using: &random)
            #expect(windows.map(\.reportType) == [.confirmedTest])
        }
    }

    @Test("an app judges and shares visits by the rules of its configuration, also after it was closed")
    func rules() async throws {
        let server = Server()
        // Visits below five hours aren't shared.
        let changes = [
            #""maxEncounterAgeInDays": 10"#: #""maxEncounterAgeInDays": 7"#,
            #"{"dropIfMinutesInRange": {"min": 0, "max": 10, "#: #"{"dropIfMinutesInRange": {"min": 0, "max": 300, "#,
        ]
        let morning = Self.day.firstHour.start
        try await with(server, changes: changes) { apps, packages in
            var executor = AppExecutor(apps: apps, packages: packages, instance: AppInstanceToken())
            var random = SeededGenerator(seed: 1)
            var now = morning - 6 * 3600
            var app = App(
                App.Setup(device: .ios(wakeUps: 4), dummies: .sinceAugust2020), installedAt: now, using: &random)
            func tell(_ event: App.Event) async {
                _ = await executor.tell(event, to: &app, clock: { now }) { _ in
                    [try Self.key(9)]
                } detect: { _ in
                }
            }
            await tell(.checkedIn(try CheckInStage.location(1), minutes: 60))
            await tell(.checkedIn(try CheckInStage.location(2), minutes: 310))
            now = Self.now
            await tell(.opened)
            #expect(app.rules.risk.maximumDays == 7 && RiskRules.shipped.maximumDays == 10)
            app = try JSONDecoder().decode(App.self, from: JSONEncoder().encode(app))
            await tell(.restarted)
            #expect(app.rules.risk.maximumDays == 7)
            await tell(.scanned(.guid(HashedGUID(hashing: "3BF1D4")), .pcr))
            await tell(.consented(test: 0, App.Consent(checkIns: [0, 1])))
            for _ in 0..<30 where app.diary.checkIns.allSatisfy({ !$0.isShared }) {
                now = app.nextWake(after: now)
                await tell(.woken)
            }
            #expect(app.diary.checkIns.map(\.isShared) == [false, true])
        }
    }
}
