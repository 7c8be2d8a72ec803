import Credentials
import Foundation
import InMemoryLogging
import Logging
import Postgres
import PushFormat
import Running
import SwiftProtobuf
import TestSupport
import Testing

@testable import PushDispatcher

/// Tokens with recognisable values pass through registrations and waves, in success and in failure. None of them may appear
/// in the log, in a metric, in an answer or in a stolen copy of the database.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct PushSecretTests {
    private static let instance = "5EC2E7ED-1D00-4BAD-A5C0-DEADBEEF0001"
    private static let token = "5ec2e7ed" + String(repeating: "0dd1", count: 14)
    private static let android = "planted:token-of-an-Android-phone"

    /// As text of either case, as bytes, in hexadecimal and in Base64, in pieces too long to occur by chance.
    private static func isThere(_ secret: String, in text: String) -> Bool {
        let bytes = [Array(secret.utf8), Array(secret.uppercased().utf8), [UInt8](hex: secret) ?? []]
            .filter { !$0.isEmpty }
        let forms =
            [secret, secret.uppercased(), secret.replacing("-", with: "").lowercased(), String(secret.prefix(12))]
            + bytes.flatMap { [$0.hex, String(Data($0).base64EncodedString().prefix(16))] }
        return forms.contains { text.contains($0) }
    }

    @Test("the search finds a token in every form")
    func finder() {
        let hex = Array(Self.token.utf8).hex
        for form in [Self.token, Self.token.uppercased(), hex, Data(Self.token.utf8).base64EncodedString()] {
            #expect(Self.isThere(Self.token, in: "…\(form)…"))
        }
        #expect(!Self.isThere(Self.token, in: "5ec2"))
    }

    @Test("no token of a registration reaches the log, a metric or an answer, whatever goes wrong")
    func registrations() async throws {
        let handler = InMemoryLogHandler()
        var logger = Logger(label: "push-dispatcher") { _ in handler }
        logger.logLevel = .trace
        try await DispatcherStage.run(logger: logger) { stage in
            var answers = "\(try await stage.register(Self.instance, Self.token))"
            answers += "\(try await stage.register(Self.instance, Self.android, .and))"
            answers += "\(try await stage.register(Self.instance, Self.token + "zz"))"
            answers += "\(try await stage.post("/v3/register", Data(Self.token.utf8)))"
            answers += "\(try await stage.post("/v3/\(Self.token)", Data(Self.token.utf8), media: Self.token))"
            // The database refuses, and would quote the row that it refuses.
            try await stage.asSuperuser { session in
                try session.script(
                    "ALTER TABLE push_dispatcher.registration ADD CHECK (registered_hour < 0) NOT VALID")
            }
            answers += "\(try await stage.register(Self.instance, Self.token))"
            answers += "\(try await stage.register(Self.instance, ""))"
            let logged = handler.entries.map { "\($0.level) \($0.message) \($0.metadata)" }.joined(separator: "\n")
            let metrics = stage.runtime.metrics.text
            for secret in [Self.instance, Self.token, Self.android] {
                for hash in [stage.vault.hash(instance: Secret(secret)), stage.vault.hash(token: Secret(secret))] {
                    #expect(!Self.isThere(hash.hex, in: logged + metrics + answers))
                }
                #expect(!Self.isThere(secret, in: logged), "in the log")
                #expect(!Self.isThere(secret, in: metrics), "in the metrics")
                #expect(!Self.isThere(secret, in: answers), "in an answer")
            }
            // The test saw something.
            #expect(logged.contains("a handler failed"))
            #expect(metrics.contains(#"route="/v3/register",status="500"}"#))
        }
    }

    @Test("no token of a wave reaches the log or a metric, whatever APNs replies")
    func waves() async throws {
        let handler = InMemoryLogHandler()
        var logger = Logger(label: "push-dispatcher") { _ in handler }
        logger.logLevel = .trace
        try await WaveStage.run { [logger] stage in
            try await stage.register(0..<30)
            for outcome: PushOutcome in [
                .accepted, .givenUp, .wrongToken, .refused(.invalidProviderToken), .unregistered(stage.clock.now),
            ] {
                stage.apns.answer(outcome, for: 0..<30)
                let report = try await stage.engine(logger: logger).runDue()
                logger.info("job done", metadata: report?.metadata)
                stage.clock.advance(by: 7200)
            }
            let said =
                handler.entries.map { "\($0.level) \($0.message) \($0.metadata)" }.joined(separator: "\n")
                + stage.metrics.text
            for number in 0..<30 {
                let token = Secret(WaveStage.token(number))
                #expect(!said.contains(WaveStage.token(number)))
                #expect(!said.contains(stage.vault.hash(token: token).hex))
                #expect(!said.contains(stage.vault.hash(instance: Secret("phone \(number)")).hex))
            }
            #expect(said.contains("APNs refuses pushes"))
        }
    }

    // MARK: A stolen database

    @Test("a copy of the database contains no token, and without the key none can be decrypted")
    func stolen() async throws {
        try await DispatcherStage.run { stage in
            _ = try await stage.register(Self.instance, Self.token)
            _ = try await stage.register("another", Self.android, .and)
            let dump = try await Self.dump(of: stage)
            let rows = try #require(dump["push_dispatcher.registration"])
            #expect(rows.count == 2)
            let text = dump.values.joined().joined(separator: "\n")
            for secret in [Self.instance, Self.token, Self.android] { #expect(!Self.isThere(secret, in: text)) }
            // Nor unkeyed hashes, which could be tried out.
            for secret in [Self.instance, Self.token, Self.android] {
                #expect(!text.contains(Digest(sha256: secret.utf8).hex))
                if let bytes = [UInt8](hex: secret) { #expect(!text.contains(Digest(sha256: bytes).hex)) }
            }
            let sealed = try await stage.asSuperuser { session in
                try session.rows(
                    "SELECT token_hash, sealed_token FROM push_dispatcher.registration", as: [UInt8].self, [UInt8].self)
            }
            for (hash, sealed) in sealed {
                let hash = try #require(Digest(bytes: hash))
                #expect(stage.vault.open(sealed, hash: hash) != nil)
                for thief in 0..<100 {
                    let guess = TokenVault(secret: [UInt8](repeating: UInt8(thief), count: 32))
                    if thief != 0x5a { #expect(guess.open(sealed, hash: hash) == nil) }
                }
            }
        }
    }

    @Test("no stored value of a phone appears elsewhere in the database, so nothing can be joined with it")
    func joinsToNothing() async throws {
        try await DispatcherStage.run { stage in
            for number in 0..<50 { _ = try await stage.register("phone \(number)", WaveStage.token(number)) }
            let values = try await stage.asSuperuser { session in
                try session.rows(
                    """
                    SELECT encode(value, 'hex') FROM push_dispatcher.registration
                    CROSS JOIN LATERAL (VALUES (instance_hash), (token_hash), (sealed_token)) AS columns (value)
                    """, as: String.self)
            }
            #expect(Set(values).count == 150)
            // A running wave stores its position; one that has ended doesn't (WaveTests).
            let others = try await Self.dump(of: stage).filter {
                !["push_dispatcher.registration", "push_dispatcher.wave"].contains($0.key)
            }
            #expect(others.count > 5)
            for (table, rows) in others {
                for value in values { #expect(!rows.contains { $0.contains(value) }, "\(table)") }
            }
            // The columns that other tables have too say nothing of a single phone.
            let types = try await stage.asSuperuser { session in
                try session.rows(
                    """
                    SELECT format('%s %s', column_name, data_type) FROM information_schema.columns
                    WHERE table_schema = 'push_dispatcher' AND table_name = 'registration' ORDER BY ordinal_position
                    """, as: String.self)
            }
            #expect(
                types == [
                    "instance_hash bytea", "token_hash bytea", "sealed_token bytea", "kind smallint",
                    "registered_hour integer", "standing smallint",
                ])
        }
    }

    /// Every row of every table as text.
    private static func dump(of stage: DispatcherStage) async throws -> [String: [String]] {
        try await stage.asSuperuser { session in
            let names = try session.rows(
                """
                SELECT schemaname::text, tablename::text FROM pg_tables
                WHERE schemaname NOT IN ('pg_catalog', 'information_schema')
                """, as: String.self, String.self)
            var dump: [String: [String]] = [:]
            for (schema, table) in names {
                guard let schemaName = Identifier(validating: schema), let name = Identifier(validating: table) else {
                    continue
                }
                dump["\(schema).\(table)"] = try session.rows(
                    "SELECT whole::text FROM \(identifier: schemaName).\(identifier: name) AS whole", as: String.self)
            }
            return dump
        }
    }
}
