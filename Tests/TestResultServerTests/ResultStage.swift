import Calling
import Credentials
import FoundationEssentials
import HTTPContract
import Logging
import Postgres
import Running
import Schema
import TLS
import TestResultAPI
import TestResultServer
import TestSupport
import Testing

/// The whole test result server on a database of its own, and its callers.
struct ResultStage: Sendable {
    let clock: ManualClock
    let database: MigratedDatabase
    let certificates: TestCertificates
    let runtime: ServiceRuntime
    /// The ports for laboratories and centres, and for the verification server.
    let doorBase: String
    let innerBase: String
    let lab: ServiceClient
    let quickTest: ServiceClient
    let pocnat: ServiceClient
    let verifier: ServiceClient

    /// 2026-05-26, at noon.
    static let start = Date(timeIntervalSince1970: 1_779_796_800)

    /// - Parameter settings: added to the usual ones, or replacing them.
    static func run<Result: Sendable>(
        settings: [String: String] = [:],
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ body: (ResultStage) async throws -> Result
    ) async throws -> Result {
        let certificates = try TestCertificates()
        let files = try certificates.files(role: .testResultServer)
        let clock = ManualClock(start)
        let ports = (door: TestPort.free(), inner: TestPort.free())
        let doorBase = "https://localhost:\(ports.door)"
        let innerBase = "https://localhost:\(ports.inner)"
        return try await TestPostgres.withMigratedDatabase { database in
            let all = [
                "tls.certificate": files.certificate, "tls.key": files.key,
                "tls.authorities": "\(certificates.directory)/authority.pem",
                "laboratories.port": "\(ports.door)", "internal.port": "\(ports.inner)",
                "postgres.connection": database.connection(as: .testResults),
            ].merging(settings) { $1 }
            return try await withRunningService(
                "test-result-server", settings: all, clock: clock.clock, logger: logger,
                serve: TestResultServer.serve
            ) { runtime in
                func client(_ role: Role, _ base: String = doorBase) throws -> ServiceClient {
                    try ServiceClient(
                        base: base, tls: try certificates.files(role: role), name: "test-result-server",
                        deadline: .seconds(20))
                }
                let stage = ResultStage(
                    clock: clock, database: database, certificates: certificates, runtime: runtime, doorBase: doorBase,
                    innerBase: innerBase, lab: try client(.lab), quickTest: try client(.quickTest),
                    pocnat: try client(.pocnat),
                    verifier: try client(.verificationServer, innerBase))
                let result: Swift.Result<Result, any Error>
                do {
                    result = .success(try await body(stage))
                } catch {
                    result = .failure(error)
                }
                for client in [stage.lab, stage.quickTest, stage.pocnat, stage.verifier] { await client.close() }
                return try result.get()
            }
        }
    }

    /// Posts a batch as the laboratory or centre whose certificate has a name.
    func post<ID>(
        _ results: [ResultBatch<ID>.Result], labID: String? = nil, as name: String, _ role: Role,
        _ endpoint: Endpoint<ResultBatch<ID>, NoContent>
    ) async throws {
        let client = try ServiceClient(
            base: doorBase, tls: try certificates.files(role: role, name: name), name: "test-result-server",
            deadline: .seconds(20))
        let result: Result<NoContent, any Error>
        do {
            result = .success(try await client.call(endpoint, ResultBatch(testResults: results, labID: labID)))
        } catch {
            result = .failure(error)
        }
        await client.close()
        _ = try result.get()
    }

    /// Posts a batch of PCR results as the laboratory of a name.
    func post(_ results: [LabResults.Result], labID: String? = nil, as name: String) async throws {
        try await post(results, labID: labID, as: name, .lab, TestResultAPI.labResults)
    }

    /// Posts a batch as the laboratory.
    func post(_ results: [LabResults.Result], labID: String? = nil) async throws {
        _ = try await lab.call(TestResultAPI.labResults, LabResults(testResults: results, labID: labID))
    }

    /// Posts a batch as a test centre.
    func post(_ results: [CentreResults.Result], labID: String? = nil, from centre: Centre) async throws {
        _ = try await centre.client(self).call(
            centre.results, CentreResults(testResults: results, labID: labID))
    }

    /// The answer to a test centre.
    func ask(_ id: CentreTestID, from centre: Centre) async throws -> ResultAnswer {
        try await centre.client(self).call(centre.result, CentreQuery(id))
    }

    /// The answer to the verification server.
    func ask(_ id: ResultID) async throws -> ResultAnswer {
        try await verifier.call(TestResultAPI.appResult, ResultQuery(id))
    }

    /// The number of stored results.
    func count() async throws -> Int {
        try await TestPostgres.withClient(database.superuserConnection) { client in
            try await client.session { try $0.row("SELECT count(*) FROM test_results.result", as: Int.self) } ?? -1
        }
    }

    /// Runs a statement with all rights.
    func execute(_ statement: SQL) async throws {
        try await TestPostgres.withClient(database.superuserConnection) { client in
            _ = try await client.session { try $0.execute(statement) }
        }
    }

    /// All rows as text.
    func rows() async throws -> [String] {
        try await TestPostgres.withClient(database.superuserConnection) { client in
            try await client.session { try $0.rows("SELECT result::text FROM test_results.result", as: String.self) }
        }
    }

    /// Applies the retention rules as the service does, with its role.
    /// - Returns: results redeemed or deleted.
    @discardableResult
    func applyRetention() async throws -> Int {
        try await TestPostgres.withClient(database.connection(as: .testResults)) { client in
            try await Retention.apply(.testResults, at: clock.now, in: client)
                .filter { $0.rule.hasPrefix("test_results.result:") }.map(\.removed).reduce(0, +)
        }
    }

    /// A client with a role's certificate for arbitrary requests, by default to the laboratories' listener.
    func raw<R>(
        _ role: Role?, name: String? = nil, inner: Bool = false, _ body: (RawClient) async throws -> R
    ) async throws -> R {
        let files = try certificates.files(role: role, name: name)
        return try await RawClient.with(inner ? innerBase : doorBase, tls: files, body)
    }
}

extension ResultID {
    /// The id of a number.
    static func numbered(_ number: Int) throws -> ResultID {
        try #require(ResultID(Digest(sha256: "\(number)".utf8).hex))
    }
}

extension CentreTestID {
    /// The id of a number.
    static func numbered(_ number: Int) throws -> CentreTestID {
        try #require(CentreTestID(Digest(sha256: "unhashed \(number)".utf8).hex))
    }

    /// The id under which the app asks after scanning this one.
    var scanned: ResultID { ResultID(HashedGUID(hashing: text)) }
}

extension CentreResults.Result {
    static func numbered(
        _ number: Int, _ code: TestResultCode, sampleCollected: Int32? = nil
    ) throws -> CentreResults.Result {
        CentreResults.Result(id: try .numbered(number), result: code, sampleCollected: sampleCollected)
    }
}

extension LabResults.Result {
    static func numbered(
        _ number: Int, _ code: TestResultCode = .pcrNegative, sampleCollected: Int32? = nil
    ) throws -> LabResults.Result {
        LabResults.Result(id: try .numbered(number), result: code, sampleCollected: sampleCollected)
    }
}
