import Calling
import Catalogue
import Credentials
import DevelopmentSuite
import DonationAPI
import DonationFormat
import ExposureFormat
import ExposureKeys
import Foundation
import HTTPContract
import Logging
import Metrics
import Phone
import Postgres
import PushAPI
import PushFormat
import Running
import Schema
import SubmissionAPI
import TestResultAPI
import TestSupport
import Testing
import VerificationAPI

/// Reading every metric and database statistic before and after a request reveals no more about it than its status.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct CounterTests {
    /// How often each act is repeated. By chance, one pair of identical distributions in 10⁵ differs by ``difference`` or more.
    private static let rounds = 15
    private static let difference = 0.8

    /// What a caller may do. Acts of one group must look alike, except that a refusal shows its status.
    private struct Act {
        let group: String
        let name: String
        var isRefused = false
        let run: @Sendable () async throws -> Void
    }

    @Test("no metric or database statistic tells a real request from a fake or refused one")
    func figures() async throws {
        let noon = Day(number: 20_600).firstHour.advanced(by: 12).start + 300
        try await InProcessSuite.run(clock: .offset(by: noon.timeIntervalSinceNow)) { suite in
            let planted = Counter(
                label: "planted_total", factory: try #require(suite.runtime("submission-server")).metrics)
            try await Callers.with(suite) { callers in
                var acts: [Act] = []
                for _ in 0..<Self.rounds { acts += try await callers.acts(planting: planted) }
                acts.shuffle()
                // The first requests open connections and create series, so they aren't measured.
                for act in try await callers.acts(planting: planted) { try await act.run() }
                let changes = try await Self.changes(by: acts, on: suite)
                let kinds = Dictionary(acts.map { ($0.name, $0) }) { first, _ in first }.values
                var found: Set<String> = []
                for (series, byAct) in changes.sorted(by: { $0.key < $1.key }) {
                    for act in kinds where act.name.hasSuffix("fake") {
                        for other in kinds where other.group == act.group && other.name != act.name {
                            // The operator sees how many requests were refused, where callers are answered.
                            if other.isRefused, Self.answers.contains(where: series.hasPrefix) { continue }
                            guard let some = byAct[act.name], let others = byAct[other.name],
                                Self.distance(some, others) >= Self.difference
                            else { continue }
                            found.insert("\(series): \(other.name)")
                        }
                    }
                }
                #expect(found == Self.planted)
            }
        }
    }

    /// How much each run of an act changed a series, by series and act.
    private static func changes(
        by acts: [Act], on suite: InProcessSuite
    ) async throws -> [String: [String: [Double]]] {
        var changes: [String: [String: [Double]]] = [:]
        try await Figures.with(suite) { figures in
            for act in acts {
                let before = try await figures.read()
                try await act.run()
                for (series, value) in try await figures.read() {
                    changes[series, default: [:]][act.name, default: []].append(value - (before[series] ?? 0))
                }
            }
        }
        return changes
    }

    private static let answers = ["app", "listen"].map { "http_requests_total{listener=\"\($0)\"," }

    /// The controls: a figure, and for the database's statistics a row count that only a superuser sees.
    private static let planted: Set = [
        "planted_total submission-server: upload, real", "rows of submission.inbox: upload, real",
        "rows of submission.inbox: self-report, real",
    ]

    /// The largest difference between two empirical distribution functions (Kolmogorov and Smirnov).
    private static func distance(_ some: [Double], _ others: [Double]) -> Double {
        Set(some + others).map { bound in
            let shares = [some, others].map { values in
                Double(values.count { $0 <= bound }) / Double(values.count)
            }
            return abs(shares[0] - shares[1])
        }.max() ?? 0
    }

    // MARK: Reading

    /// Every figure that any certificate or database role gives access to.
    private struct Figures {
        private let admins: [String: String]
        private let services: [PostgresClient]
        private let superuser: PostgresClient

        static func with(_ suite: InProcessSuite, _ body: (Figures) async throws -> Void) async throws {
            func client(_ connection: String) -> PostgresClient {
                PostgresClient(
                    PostgresConfiguration(
                        connection: connection, applicationName: "reader", maximumConnections: 1,
                        acquireDeadline: .seconds(30)), logger: Logger(label: "reader"))
            }
            let figures = Figures(
                admins: try await suite.adminURLs,
                services: DatabaseRole.allCases.map { client(suite.database.connection(as: $0)) },
                superuser: client(suite.database.superuserConnection))
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(figures))
            } catch {
                result = .failure(error)
            }
            for client in figures.services + [figures.superuser] { await client.close() }
            try result.get()
        }

        func read() async throws -> [String: Double] {
            var all: [String: Double] = [:]
            for (service, url) in admins {
                let answer = try await send(.GET, url + "/metrics")
                for line in answer.body.split(separator: "\n") where !line.hasPrefix("#") {
                    guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...])
                    else { continue }
                    // All services of a test share this one process.
                    if line.hasPrefix("process_") { continue }
                    all["\(line[..<space]) \(service)"] = value
                }
            }
            for (role, client) in zip(DatabaseRole.allCases, services) {
                for probe in Self.probes {
                    for (name, value) in try await Self.rows(probe, of: client) {
                        all["\(name), for \(role.rawValue)"] = value
                    }
                }
            }
            for (name, value) in try await Self.rows(Self.control, of: superuser) { all[name] = value }
            return all
        }

        /// PostgreSQL's statistics about tables, its log and transactions.
        private static let probes: [SQL] = [
            """
            SELECT format('%s of %s.%s', key, j ->> 'schemaname', j ->> 'relname'), value::bigint
            FROM pg_stat_all_tables AS t, to_jsonb(t) AS j, jsonb_each_text(j) WHERE value ~ '^[0-9]+$'
            """,
            "SELECT format('size of %s', oid::regclass), pg_relation_size(oid)::bigint FROM pg_class WHERE relkind = 'r'",
            "SELECT 'log', (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint",
            "SELECT 'transactions', pg_snapshot_xmax(pg_current_snapshot())::text::bigint",
        ]
        private static let control: SQL = "SELECT 'rows of submission.inbox', count(*)::bigint FROM submission.inbox"

        /// The rows of a probe; none if the role lacks the privilege.
        private static func rows(_ probe: SQL, of client: PostgresClient) async throws -> [(String, Double)] {
            do {
                return try await client.session { try $0.rows(probe, as: String.self, Int64.self) }.map {
                    ($0.0, Double($0.1))
                }
            } catch let error as PostgresError where error.sqlState == .insufficientPrivilege {
                return []
            }
        }
    }

    // MARK: Acting

    /// Callers with the certificates of the proxy, a laboratory and the portal.
    private struct Callers {
        let verification: ServiceClient
        let submission: ServiceClient
        let push: ServiceClient
        let donation: ServiceClient
        let stage: StoryStage

        static func with(_ suite: InProcessSuite, _ body: (Callers) async throws -> Void) async throws {
            try await suite.withStage { stage in
                let urls = [
                    try suite.url(of: .verificationServer, .app), try suite.url(of: .submissionServer, .listen),
                    try suite.url(of: .pushDispatcher, .listen), try suite.url(of: .dataDonation, .app),
                ]
                let clients = try urls.map {
                    try ServiceClient(
                        base: $0, tls: suite.certificate(.metadataProxy), name: "direct", deadline: .seconds(20))
                }
                let result: Result<Void, any Error>
                do {
                    result = .success(
                        try await body(
                            Callers(
                                verification: clients[0], submission: clients[1], push: clients[2],
                                donation: clients[3], stage: stage)))
                } catch {
                    result = .failure(error)
                }
                for client in clients { await client.close() }
                try result.get()
            }
        }

        /// One act of each kind, with its prerequisites already created.
        func acts(planting planted: Counter) async throws -> [Act] {
            let (guid, code) = (Self.guid(), try await code())
            let (known, positive, told) = (
                try await register(.guid(Self.guid())), try await positive(), try await told()
            )
            let used = Self.guid()
            _ = try await register(.guid(used))
            let tan = try await self.tan(of: try await self.told())
            let password = Self.password()
            try await ask(for: password)
            let wish = try await wish(for: Self.password())
            let device = AppInstanceToken().text
            try await push(device: device, token: Self.token())
            return [
                Act(group: "registration", name: "registration, GUID") { _ = try await register(.guid(guid)) },
                Act(group: "registration", name: "registration, teleTAN") { _ = try await register(.teleTAN(code)) },
                Act(group: "registration", name: "registration, fake") {
                    var request = RegistrationTokenRequest(.guid(Self.guid()))
                    request.isFake = true
                    _ = try await verification.call(VerificationAPI.registrationToken, request)
                },
                Act(group: "registration", name: "registration, refused", isRefused: true) {
                    await Self.refused { _ = try await register(.guid(used)) }
                },
                Act(group: "poll", name: "poll, GUID") { try await poll(known) },
                Act(group: "poll", name: "poll, teleTAN") { try await poll(told) },
                Act(group: "poll", name: "poll, fake") { try await poll(.fresh(), isFake: true) },
                Act(group: "poll", name: "poll, refused", isRefused: true) {
                    await Self.refused { try await poll(.fresh()) }
                },
                Act(group: "TAN", name: "TAN, GUID") { _ = try await self.tan(of: positive) },
                Act(group: "TAN", name: "TAN, teleTAN") { _ = try await self.tan(of: told) },
                Act(group: "TAN", name: "TAN, fake") { _ = try await self.tan(of: .fresh(), isFake: true) },
                Act(group: "TAN", name: "TAN, refused", isRefused: true) {
                    await Self.refused { _ = try await self.tan(of: .fresh()) }
                },
                Act(group: "upload", name: "upload, real") {
                    try await upload(tan)
                    planted.increment()
                },
                Act(group: "upload", name: "upload, fake") { try await upload(.fresh(), isFake: true) },
                Act(group: "upload", name: "upload, refused", isRefused: true) {
                    await Self.refused { try await upload(.fresh()) }
                },
                Act(group: "upload", name: "self-report, real") { try await report(password) },
                Act(group: "upload", name: "self-report, fake") { try await report(Self.password(), isFake: true) },
                Act(group: "upload", name: "self-report, refused", isRefused: true) {
                    await Self.refused { try await report(Self.password()) }
                },
                Act(group: "password", name: "password, real") {
                    _ = try await donation.call(DonationAPI.reportOnAndroid, wish)
                },
                Act(group: "password", name: "password, fake") {
                    let nothing = try DonationRequest(authentication: [], payload: []).encoded(length: 16_384)
                    _ = try await donation.call(DonationAPI.reportOnAndroid, DonationBody(Data(nothing), isFake: true))
                },
                Act(group: "push", name: "push, wanted") {
                    try await push(device: AppInstanceToken().text, token: Self.token())
                },
                Act(group: "push", name: "push, taken back") { try await push(device: device, token: "") },
                Act(group: "push", name: "push, fake") {
                    try await push(device: AppInstanceToken().text, token: "")
                },
                Act(group: "push", name: "push, refused", isRefused: true) {
                    await Self.refused { try await push(device: "", token: "") }
                },
            ]
        }

        private func register(_ proof: RegistrationTokenRequest.Proof) async throws -> RegistrationToken {
            try await verification.call(VerificationAPI.registrationToken, RegistrationTokenRequest(proof))
                .registrationToken
        }

        private func poll(_ token: RegistrationToken, isFake: Bool = false) async throws {
            var request = RegisteredTestRequest(token)
            request.isFake = isFake
            _ = try await verification.call(VerificationAPI.testResult, request)
        }

        private func tan(of token: RegistrationToken, isFake: Bool = false) async throws -> TAN {
            var request = RegisteredTestRequest(token)
            request.isFake = isFake
            return try await verification.call(VerificationAPI.tan, request).tan
        }

        private func upload(_ tan: TAN, isFake: Bool = false) async throws {
            var payload = payload()
            payload.consentToFederation = true
            _ = try await submission.call(
                SubmissionAPI.diagnosisKeys,
                UploadRequest(authorization: tan.text, isFake: isFake, payload: Data(try payload.encoded())))
        }

        private func report(_ password: OneTimePassword, isFake: Bool = false) async throws {
            var payload = payload()
            payload.submissionType = .srsSelfTest
            _ = try await submission.call(
                SubmissionAPI.diagnosisKeys,
                UploadRequest(
                    authorization: nil, password: password.text, isFake: isFake, payload: Data(try payload.encoded())))
        }

        private func payload() -> SubmissionPayload {
            var payload = SubmissionPayload()
            payload.keys = Phone(at: stage.clock.now).diagnosisKeys().map(TemporaryExposureKey.init(uploading:))
            payload.origin = "DE"
            return payload
        }

        private struct NoEvidence: Error {}

        /// A new phone's request for a password.
        private func wish(for password: OneTimePassword) async throws -> DonationBody {
            let id = (0..<8).map { _ in UInt8.random(in: .min ... .max) }
            let wish = try PasswordRequest(password, androidID: AndroidID(id)).encoded()
            guard case .android(let evidence) = try await GenuineApps(stage.vouchers).android(for: wish) else {
                throw NoEvidence()
            }
            return DonationBody(
                Data(try DonationRequest(authentication: evidence.encoded(), payload: wish).encoded(length: 16_384)))
        }

        private func ask(for password: OneTimePassword) async throws {
            _ = try await donation.call(DonationAPI.reportOnAndroid, try await wish(for: password))
        }

        private static func password() -> OneTimePassword {
            var randomness = SystemRandomNumberGenerator()
            return OneTimePassword(using: &randomness)
        }

        private func push(device: String, token: String) async throws {
            var registration = PushRegistration()
            registration.version = 1
            registration.deviceID = device
            registration.pushToken = token
            _ = try await push.call(PushAPI.register, PushRegistrationRequest(payload: try registration.padded()))
        }

        private func code() async throws -> TeleTAN {
            try await stage.portal.call(
                VerificationAPI.teleTAN, TeleTANRequest(officerToken: stage.officerToken, kind: .test)
            ).value
        }

        private func told() async throws -> RegistrationToken { try await register(.teleTAN(try await code())) }

        private func positive() async throws -> RegistrationToken {
            let guid = Self.guid()
            _ = try await stage.lab.call(
                TestResultAPI.labResults,
                LabResults(
                    testResults: [LabResults.Result(id: ResultID(guid), result: .pcrPositive, sampleCollected: nil)],
                    labID: nil))
            return try await register(.guid(guid))
        }

        private static func guid() -> HashedGUID { HashedGUID(hashing: UUID().uuidString) }

        private static func token() -> String {
            (0..<32).map { _ in
                let byte = String(UInt8.random(in: .min ... .max), radix: 16)
                return byte.count == 1 ? "0" + byte : byte
            }.joined()
        }

        private static func refused(_ call: () async throws -> Void) async {
            await #expect(throws: CallError.self) { try await call() }
        }
    }
}

extension RegistrationToken {
    /// A token that belongs to nobody.
    fileprivate static func fresh() -> RegistrationToken {
        var randomness = SystemRandomNumberGenerator()
        return RegistrationToken(RandomIdentifier(using: &randomness))
    }
}

extension TAN {
    /// A TAN that belongs to nobody.
    fileprivate static func fresh() -> TAN {
        var randomness = SystemRandomNumberGenerator()
        return TAN(RandomIdentifier(using: &randomness))
    }
}
