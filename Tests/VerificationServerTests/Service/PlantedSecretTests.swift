import Calling
import Credentials
import Foundation
import HTTPContract
import HTTPTypes
import Logging
import Postgres
import Running
import Synchronization
import TestSupport
import Testing
import VerificationAPI

/// Secrets with recognisable values pass through every request, in success and in failure. None of them may appear in the
/// log, in metrics, or in a table of digests.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct PlantedSecretTests {
    /// Log lines as in production, at every level.
    private final class CapturedLog: Sendable {
        private let captured = Mutex<[String]>([])
        var text: String { captured.withLock { $0.joined() } }

        var logger: Logger {
            Logger(label: "verification-server") { label in
                JSONLogHandler(label: label, level: .trace) { line in self.captured.withLock { $0.append(line) } }
            }
        }
    }

    /// One secret in the forms in which it might appear.
    private struct Secret {
        let name: String
        let forms: [String]

        /// - Parameter bytes: where the text isn't the only form of it.
        init(_ name: String, _ text: String, bytes: [UInt8]? = nil) {
            let raw = [Array(text.utf8), Array(text.uppercased().utf8), bytes ?? []].filter { !$0.isEmpty }
            self.name = name
            forms =
                [text, text.uppercased(), text.lowercased(), text.replacing("-", with: "")]
                + raw.flatMap { bytes in
                    let base64 = Data(bytes).base64EncodedString().replacing("=", with: "")
                    return [
                        bytes.hex, bytes.hex.uppercased(), base64,
                        base64.replacing("+", with: "-").replacing("/", with: "_"), "\(bytes)",
                    ]
                }
        }

        func isIn(_ text: String) -> Bool { forms.contains { text.contains($0) } }
    }

    private static let officer = "dr-planted-officer"
    private static let subject = "planted-subject-of-the-officer"

    @Test("no secret of a request reaches the log, a metric, an error or a table")
    func planted() async throws {
        let log = CapturedLog()
        try await VerificationStage.run(logger: log.logger) { stage in
            let guid = HashedGUID(hashing: "planted")
            var claims = OfficerTokens.Claims()
            claims.username = Self.officer
            claims.sub = "\"\(Self.subject)\""
            let key = IdempotencyKey.fresh
            let officerToken = try stage.officers.token(claims)
            let code = try await stage.portal.call(
                VerificationAPI.teleTAN, TeleTANRequest(officerToken: officerToken, kind: .test)
            ).value
            let token = try await stage.registered(guid)
            let teleToken = try await stage.register(.teleTAN(code), key)
            let tan = try await stage.tan(token)
            let teleTAN = try await stage.tan(teleToken)
            _ = try await stage.testResult(token)
            #expect(try await stage.reserve(tan, .tag(1)) == .granted)
            #expect(try await stage.confirm(tan, .tag(1)) == .granted)
            let password = stage.passwords.give()
            #expect(try await stage.reserve(password, .tag(1), .selfReport) == .granted)
            #expect(try await stage.confirm(password, .tag(1)) == .granted)
            var secrets = [
                Secret("token", token.text, bytes: token.identifier.bytes),
                Secret("token of a teleTAN", teleToken.text, bytes: teleToken.identifier.bytes),
                Secret("TAN", tan.text, bytes: tan.identifier.bytes),
                Secret("TAN of a teleTAN", teleTAN.text, bytes: teleTAN.identifier.bytes),
                Secret("password", password.text, bytes: password.identifier.bytes),
                Secret("teleTAN", code.text), Secret("officer", Self.officer), Secret("officer's token", officerToken),
                Secret("officer's subject", Self.subject), Secret("idempotency key", key.text),
            ]
            for row in try await stage.rows() {
                for secret in secrets { #expect(!secret.isIn(row), "\(secret.name) in a table") }
            }

            let texts = [guid.text, token.text, tan.text, password.text, code.text, officerToken, key.text]
            let answers = try await Self.failures(texts, on: stage)
            // The session's table may hold the GUID's hash; log and metrics may not.
            secrets.append(Secret("GUID", guid.text, bytes: Digest(hex: guid.text)?.bytes))
            secrets += [
                Secret("digest of the GUID", guid.digest.hex, bytes: guid.digest.bytes),
                Secret("digest of the token", token.digest.hex, bytes: token.digest.bytes),
                Secret(
                    "hash of the TAN", Digest(sha256: tan.text.utf8).hex, bytes: Digest(sha256: tan.text.utf8).bytes),
                Secret("tag", Digest.tag(1).hex, bytes: Digest.tag(1).bytes),
            ]
            let admin = "http://127.0.0.1:\(try await stage.runtime.adminPort)"
            let metrics = try await RawClient.with(admin, tls: nil) { try await $0.send("GET", "/metrics").body }
            for secret in secrets {
                #expect(!secret.isIn(log.text), "\(secret.name) in the log")
                #expect(!secret.isIn(metrics), "\(secret.name) in the metrics")
                #expect(!answers.contains { secret.isIn($0) }, "\(secret.name) in an answer")
            }
            // The test saw something: requests were logged and counted.
            #expect(log.text.contains(#""http.route":"/version/v1/tan","http.status":503"#))
            #expect(metrics.contains(#"route="/version/v1/registrationToken",status="500"}"#))
            #expect(metrics.contains(#"route="/version/v1/tan/teletan",status="401"}"#))
        }
    }

    @Test("the search recognises each form of a secret")
    func finder() {
        let secret = Secret("token", "63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f", bytes: [0x63, 0xb4, 0xd3, 0xff, 1])
        for form in ["63B4D3FF-E0DE", "63b4d3ffe0de", "63b4d3ff01", "Y7TT/wE", "Y7TT_wE", "[99, 180, 211, 255, 1]"] {
            #expect(secret.forms.contains { $0.contains(form) }, "\(form)")
        }
        #expect(secret.isIn("…63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f…"))
        #expect(!secret.isIn("63b4d3fe"))
    }

    /// Every kind of failure, with secrets wherever a caller can put one.
    private static func failures(_ texts: [String], on stage: VerificationStage) async throws -> [String] {
        var answers: [String] = []
        func note(_ answer: RawAnswer) {
            answers.append("\(answer.status) \(answer.fields.map { "\($0.name): \($0.value)" }) \(answer.body)")
        }
        func everywhere(_ client: RawClient, _ paths: [String]) async throws {
            for text in texts {
                let fields = [
                    "authorization": "Bearer \(text)", "cookie": text, "user-agent": text, "x-forwarded-for": text,
                    "cwa-header-padding": text, "idempotency-key": text,
                    "x-\(text.filter(\.isLetter).prefix(40))": text,
                ]
                for path in paths {
                    for body in [
                        #"{"key":"\#(text)","keyType":"GUID"}"#, #"{"key":"\#(text)","keyType":"TELETAN"}"#,
                        #"{"registrationToken":"\#(text)"}"#, #"{"registrationToken":"\#(text)""#, text,
                        #"{"\#(text)":"\#(text)"}"#,
                    ] {
                        note(try await client.post(path, body, fields: fields))
                    }
                    note(try await client.send("POST", path, fields: ["content-type": text], .text(text)))
                    note(try await client.send("PUT", "\(path)?token=\(text)", .text(text)))
                    note(try await client.send("GET", "\(path)/\(text)"))
                    note(try await client.send("POST", path, fields: fields))
                }
            }
        }
        let appPaths = ["/version/v1/registrationToken", "/version/v1/testresult", "/version/v1/tan"]
        let innerPaths = ["/version/v1/tan/reservations", "/version/v1/tan/confirmations"]
        try await stage.raw { try await everywhere($0, appPaths) }
        try await stage.rawInternal(.submissionServer) { try await everywhere($0, innerPaths) }
        try await stage.rawPortal(.portal) { try await everywhere($0, ["/version/v1/tan/teletan"]) }
        stage.results.fail(with: Problem(.internalServerError))
        try await stage.raw { try await everywhere($0, appPaths) }
        // The database refuses, and would quote the row that it refuses.
        try await TestPostgres.withClient(stage.database.superuserConnection) { client in
            try await client.session { session in
                try session.script(
                    """
                    ALTER TABLE verification.session ADD CHECK (created_hour < 0) NOT VALID;
                    ALTER TABLE verification.used_tan ADD CHECK (day < 0) NOT VALID;
                    DELETE FROM verification.registered_guid;
                    UPDATE verification.tele_tan SET redeemed = false;
                    """)
            }
        }
        try await stage.raw { try await everywhere($0, appPaths) }
        return answers
    }
}
