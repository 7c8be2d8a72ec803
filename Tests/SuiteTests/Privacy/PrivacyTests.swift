import Calling
import Credentials
import DevelopmentSuite
import ExposureKeys
import Foundation
import HTTPContract
import InMemoryLogging
import Logging
import Phone
import Postgres
import Running
import TestResultAPI
import TestSupport
import Testing
import VerificationAPI

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct PrivacyTests {
    @Test("no secret of a whole journey is in a log, a metric, or a table that the schema doesn't allow it in")
    func journey() async throws {
        let handler = InMemoryLogHandler()
        var logger = Logger(label: "suite") { _ in handler }
        logger.logLevel = .trace
        let start = Day(number: 20_600).firstHour.advanced(by: 12).start
        try await InProcessSuite.run(clock: .offset(by: start.timeIntervalSinceNow), logger: logger) { suite in
            let secrets = try await suite.withStage { try await Self.travel(on: $0) }

            let inbox = try await Self.tables(of: suite)
            Self.expectNothing(of: secrets, in: inbox.filter { !Self.mayKnowGUIDs($0.table) })
            Self.expectNothing(of: secrets.without(secrets.guids), in: inbox)

            try await suite.fold(asOf: suite.clock.now.addingTimeInterval(3600))
            let folded = try await Self.tables(of: suite)
            Self.expectNothing(
                of: secrets.without(secrets.guids + secrets.keys), in: folded)
            // The search works: it finds what is allowed to be there.
            #expect(Self.finds(secrets.keys, in: folded.filter { $0.table.hasPrefix("submission.diagnosis_key") }))
            #expect(Self.finds(secrets.guids, in: folded.filter { $0.table == "test_results.result" }))

            let logged = handler.entries.map { "\($0.level) \($0.message) \($0.metadata)" }.joined(separator: "\n")
            Self.expectNothing(of: secrets, in: [(table: "log", text: logged)])
            Self.expectNothing(of: secrets, in: [(table: "metrics", text: suite.metrics)])
            #expect(logged.contains("folded"))
            #expect(suite.metrics.contains("http_requests_total"))
        }
    }

    /// Every secret of a journey, as text or bytes.
    private struct Secrets {
        var guids: [[UInt8]] = []
        var keys: [[UInt8]] = []
        var others: [[UInt8]] = []

        var all: [[UInt8]] { guids + keys + others }

        func without(_ allowed: [[UInt8]]) -> Secrets {
            let allowed = Set(allowed)
            return Secrets(others: all.filter { !allowed.contains($0) })
        }
    }

    /// Goes through a journey that includes every success and every failure.
    private static func travel(on stage: StoryStage) async throws -> Secrets {
        var secrets = Secrets()
        let guid = HashedGUID(hashing: "planted")
        secrets.guids = [Array(guid.text.utf8)]
        let token = try await stage.apps.register(.guid(guid))
        await #expect(throws: CallError.self) { _ = try await stage.apps.register(.guid(guid)) }
        await #expect(throws: CallError.self) { _ = try await stage.apps.tan(token) }
        _ = try await stage.lab.call(
            TestResultAPI.labResults,
            LabResults(
                testResults: [LabResults.Result(id: ResultID(guid), result: .pcrPositive, sampleCollected: nil)],
                labID: nil))
        _ = try await stage.apps.testResult(token)
        let tan = try await stage.apps.tan(token)
        let phone = Phone(at: stage.clock.now)
        let keys = phone.diagnosisKeys()
        try await stage.apps.upload(keys, tan: tan)
        await #expect(throws: CallError.self) {
            try await stage.apps.upload(Phone(at: stage.clock.now).diagnosisKeys(), tan: tan)
        }
        let code = try await stage.portal.call(
            VerificationAPI.teleTAN, TeleTANRequest(officerToken: stage.officerToken, kind: .test)
        ).value
        await #expect(throws: CallError.self) {
            _ = try await stage.portal.call(
                VerificationAPI.teleTAN, TeleTANRequest(officerToken: stage.officerToken + "x", kind: .test))
        }
        let second = try await stage.apps.register(.teleTAN(code))
        await #expect(throws: CallError.self) { _ = try await stage.apps.register(.teleTAN(code)) }

        // Keys whose level is published are always folded; this keeps the others, too.
        secrets.keys = keys.map(\.data.bytes)
        for identifier in [token.identifier, second.identifier, tan.identifier] {
            secrets.others += [identifier.bytes, Array(identifier.text.utf8)]
        }
        secrets.others += [code.text, stage.officerToken, "officer-1", "officer@"].map { Array($0.utf8) }
        return secrets
    }

    private static func mayKnowGUIDs(_ table: String) -> Bool {
        ["test_results.result", "verification.session"].contains(table)
    }

    /// Every table of every service, as text.
    private static func tables(of suite: InProcessSuite) async throws -> [(table: String, text: String)] {
        try await TestPostgres.withClient(suite.database.superuserConnection) { client in
            try await client.session { session in
                let names = try session.rows(
                    """
                    SELECT schemaname::text, tablename::text FROM pg_tables
                    WHERE schemaname IN ('verification', 'test_results', 'submission', 'distribution', 'push_dispatcher')
                    """, as: String.self, String.self)
                return try names.compactMap { schema, table in
                    guard let schemaName = Identifier(validating: schema), let name = Identifier(validating: table)
                    else {
                        return nil
                    }
                    let rows = try session.rows(
                        """
                        SELECT whole::text FROM \(identifier: schemaName).\(identifier: name) AS whole
                        """, as: String.self)
                    return (table: "\(schema).\(table)", text: rows.joined(separator: "\n"))
                }
            }
        }
    }

    private static func expectNothing(of secrets: Secrets, in places: [(table: String, text: String)]) {
        for (place, text) in places {
            let found = secrets.all.contains { contains($0, in: text) }
            #expect(!found, "a secret is in \(place)")
        }
    }

    private static func finds(_ secrets: [[UInt8]], in places: [(table: String, text: String)]) -> Bool {
        places.contains { place in secrets.contains { contains($0, in: place.text) } }
    }

    /// Searches for text, for hexadecimal, and for Base64 at each of the three alignments.
    private static func contains(_ secret: [UInt8], in text: String) -> Bool {
        var forms = [secret.hex]
        if let plain = String(validating: secret, as: UTF8.self), secret.allSatisfy({ $0 >= 0x20 }) {
            forms.append(plain)
        }
        for shift in 0..<3 {
            let encoded = Data([UInt8](repeating: 0, count: shift) + secret).base64EncodedString()
            forms.append(String(encoded.dropFirst(shift == 0 ? 0 : 4).dropLast(4)))
        }
        return forms.contains { $0.count >= 4 && text.contains($0) }
    }
}
