import Credentials
import Foundation
import HTTPContract
import Logging
import Postgres
import Running
import Synchronization
import TestResultAPI
import TestSupport
import Testing

/// Recognisable ids and names pass through every route, in success and in failure. None of them may appear in the log, in
/// metrics or in an error.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct PlantedSecretTests {
    /// Log lines as in production, at every level.
    private final class CapturedLog: Sendable {
        private let captured = Mutex<[String]>([])
        var text: String { captured.withLock { $0.joined() } }

        var logger: Logger {
            Logger(label: "test-result-server") { label in
                JSONLogHandler(label: label, level: .trace) { line in self.captured.withLock { $0.append(line) } }
            }
        }
    }

    /// One secret in the forms in which it might appear.
    private struct Secret {
        let name: String
        private let forms: [String]

        init(_ name: String, _ text: String) {
            self.name = name
            forms =
                [text, text.uppercased(), text.lowercased()]
                + [Array(text.utf8), Digest(hex: text)?.bytes ?? []].filter { !$0.isEmpty }.flatMap { bytes in
                    let base64 = Data(bytes).base64EncodedString().replacing("=", with: "")
                    return [
                        bytes.hex, base64, base64.replacing("+", with: "-").replacing("/", with: "_"), "\(bytes)",
                    ]
                }
        }

        func isIn(_ text: String) -> Bool { forms.contains { text.contains($0) } }
    }

    private static let labID = "planted-laboratory"
    private static let certificateName = "planted-certificate"

    private static let routes: [(role: Role, path: String, code: Int)] = [
        (.lab, "/api/v1/lab/results", 2), (.quickTest, "/api/v1/quicktest/results", 7),
        (.quickTest, "/api/v1/quicktest/result", 7), (.pocnat, "/api/v1/pocnat/results", 12),
        (.pocnat, "/api/v1/pocnat/result", 12), (.verificationServer, "/api/v1/app/result", 0),
    ]

    /// Every kind of success and failure, with secrets wherever a caller can put one.
    /// - Returns: what was sent; successful answers without the body, which contains the name.
    private static func everywhere(_ texts: [String], on stage: ResultStage) async throws -> [String] {
        var answers: [String] = []
        for (role, path, code) in routes {
            try await stage.raw(role, name: certificateName, inner: role == .verificationServer) { client in
                for text in texts {
                    let fields = [
                        "authorization": "Bearer \(text)", "cookie": text, "user-agent": text, "x-forwarded-for": text,
                    ]
                    let result = #"{"id":"\#(text)","result":\#(code)}"#
                    let other = #"{"id":"\#(text)","result":\#((code + 5) % 15)}"#
                    var got: [RawAnswer] = []
                    for body in [
                        #"{"testResults":[\#(result)],"labId":"\#(labID)"}"#, #"{"id":"\#(text)"}"#,
                        #"{"testResults":[\#(result),\#(other)],"labId":"\#(labID)"}"#,
                        #"{"testResults":[\#(result)],"labId":"\#(labID)\u0000"}"#,
                        #"{"testResults":[\#(result)],"labId":"\#(text)\#(labID)"}"#, #"{"id":"\#(text)""#, text,
                        #"{"\#(text)":"\#(labID)"}"#,
                    ] {
                        got.append(try await client.post(path, body, fields: fields))
                    }
                    got.append(try await client.send("POST", path, fields: ["content-type": text], .text(text)))
                    got.append(try await client.send("PUT", "\(path)?id=\(text)", .text(text)))
                    got.append(try await client.send("GET", "\(path)/\(text)"))
                    answers += got.map { answer in
                        "\(answer.status) \(answer.fields.map { "\($0.name): \($0.value)" }) "
                            + (answer.status == 200 ? "" : answer.body)
                    }
                }
            }
        }
        return answers
    }

    @Test("no id and no name of a laboratory reaches the log, a metric or an error")
    func planted() async throws {
        let log = CapturedLog()
        try await ResultStage.run(logger: log.logger) { stage in
            let id = try CentreTestID.numbered(1)
            let variant = "x" + id.scanned.text.dropFirst()
            let texts = [id.text, id.scanned.text, variant]
            var answers = try await Self.everywhere(texts, on: stage)
            // The database refuses, and would quote the row that it refuses.
            try await stage.execute(
                "ALTER TABLE test_results.result ADD CHECK (created_at < '2000-01-01') NOT VALID")
            answers += try await Self.everywhere(texts, on: stage)
            stage.clock.advance(by: 22 * 86_400)
            await #expect(throws: PostgresError.self) { try await stage.applyRetention() }

            let admin = "http://127.0.0.1:\(try await stage.runtime.adminPort)"
            let metrics = try await RawClient.with(admin, tls: nil) { try await $0.send("GET", "/metrics").body }
            var secrets = [Secret("laboratory", Self.labID), Secret("certificate", Self.certificateName)]
            for text in texts {
                secrets.append(Secret("id", text))
                secrets.append(Secret("hash of an id", HashedGUID(hashing: text).text))
            }
            for secret in secrets {
                #expect(!secret.isIn(log.text), "\(secret.name) in the log")
                #expect(!secret.isIn(metrics), "\(secret.name) in the metrics")
                #expect(!answers.contains { secret.isIn($0) }, "\(secret.name) in an answer")
            }
            // The test saw something: each route succeeded and was counted, and each upload failed in the database.
            for (_, path, _) in Self.routes {
                let isUpload = path.hasSuffix("results")
                #expect(metrics.contains(#"route="\#(path)",status="\#(isUpload ? 204 : 200)"}"#), "\(path)")
                #expect(metrics.contains(#"route="\#(path)",status="400"}"#), "\(path)")
                if isUpload {
                    #expect(log.text.contains(#""http.route":"\#(path)","http.status":500"#), "\(path)")
                }
            }
        }
    }

    @Test("the search recognises a line with a planted id or name, in every form")
    func finder() throws {
        let log = CapturedLog()
        let id = try CentreTestID.numbered(1)
        let secret = Secret("id", id.text)
        let name = Secret("laboratory", Self.labID)
        log.logger.info("Stored", metadata: ["id": "redacted"])
        #expect(!secret.isIn(log.text) && !name.isIn(log.text))
        for form in [id.text, id.text.uppercased(), "\(Digest(hex: id.text)?.bytes ?? [])"] {
            let leak = CapturedLog()
            leak.logger.info("Stored", metadata: ["id": "\(form)", "lab": "\(Self.labID)"])
            #expect(secret.isIn(leak.text))
            #expect(name.isIn(leak.text))
        }
    }
}
