import AuditFormat
import Credentials
import Foundation
import Postgres
import Running
import Schema
import TestSupport
import Testing

/// Who made a code is kept for the authority's auditor, and for nobody else.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(10)))
struct AuditTests {
    private let auditor = AuditorKey()

    private func run(_ body: @Sendable (PortalStage) async throws -> Void) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString).pub")
        try Data(auditor.publicKey.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined().utf8)
            .write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await PortalStage.run(settings: ["audit.key": file.path], body)
    }

    /// The rows as the service's role sees them.
    private func rows(_ stage: PortalStage) async throws -> [(day: Int32, sealed: SealedEntry)] {
        try await TestPostgres.withClient(stage.database.connection(as: .healthPortal)) { service in
            try await service.session { session in
                try session.rows("SELECT day, sealed FROM health_portal.audit", as: Int32.self, [UInt8].self)
            }
        }.map { ($0.0, try #require(SealedEntry(bytes: $0.1))) }
    }

    @Test("each code has one entry, which the auditor opens and nothing that the service has does")
    func entries() async throws {
        let auditor = auditor
        try await run { stage in
            var browser = try await stage.officer()
            let form = try await browser.form()
            for _ in 0..<3 { _ = try await browser.post("/codes", ["kind": "TEST", "form": form]) }
            var other = try await stage.officer(
                .init(subject: String(repeating: "long", count: 50), name: "Grace Hopper", session: "session-2"))
            let event = try await other.form("EVENT")
            _ = try await other.post("/codes", ["kind": "EVENT", "authority": "1.01.0.01.", "form": event])

            let rows = try await rows(stage)
            let opened = rows.compactMap { auditor.open($0.sealed, day: $0.day) }
            let day = Int32(PortalStage.start.timeIntervalSince1970 / 86_400)
            #expect(
                Set(opened) == [
                    AuditEntry(day: day, kind: "TEST", authority: "", subject: "officer-1"),
                    AuditEntry(
                        day: day, kind: "EVENT", authority: "1.01.0.01.", subject: String(repeating: "long", count: 50)),
                ])
            #expect(rows.count == 2)
            // The service's keys and everything in its tables.
            let secret = try String(contentsOfFile: stage.sessionKey, encoding: .utf8)
            let keys = [
                AuditorKey(bytes: try #require(Settings.bytes(hexadecimal: Data(secret.utf8)))),
                AuditorKey(bytes: auditor.publicKey.bytes), AuditorKey(),
            ].compactMap(\.self)
            #expect(keys.count == 3)
            #expect(keys.allSatisfy { key in rows.allSatisfy { key.open($0.sealed, day: $0.day) == nil } })
            let names = ["officer-1", "longlong", "1.01.0.01."]
            #expect(rows.allSatisfy { row in names.allSatisfy { !Data(row.sealed.bytes).contains(Data($0.utf8)) } })
        }
    }

    @Test("training leaves no entry, and a code whose entry can't be stored isn't shown")
    func order() async throws {
        try await run { stage in
            var browser = try await stage.officer()
            let training = try await browser.form(training: true)
            _ = try await browser.post("/codes", ["kind": "TEST", "form": training, "training": "1"])
            #expect(try await browser.code() != nil)
            #expect(try await rows(stage).isEmpty)
            try await TestPostgres.withClient(stage.database.superuserConnection) { superuser in
                _ = try await superuser.session { session in
                    try session.execute("REVOKE INSERT ON health_portal.audit FROM vigil_health_portal")
                }
            }
            let form = try await browser.form()
            #expect(try await browser.post("/codes", ["kind": "TEST", "form": form]).status >= 500)
            let shown = try await browser.code()
            #expect(shown == nil || !stage.verification.codes.map(\.text).contains(shown ?? ""))
            try await TestPostgres.withClient(stage.database.superuserConnection) { superuser in
                _ = try await superuser.session { session in
                    try session.execute("GRANT INSERT ON health_portal.audit TO vigil_health_portal")
                }
            }
            // The same form again: the code that was made, with its entry.
            #expect(try await browser.post("/codes", ["kind": "TEST", "form": form]).status == 303)
            #expect(try await browser.code() == stage.verification.codes.last?.text)
            #expect(stage.verification.codes.count == 1)
            #expect(try await rows(stage).count == 1)
        }
    }

    @Test(
        "without the auditor's key the service works, keeps no audit and says so when it is asked whether it is ready")
    func none() async throws {
        try await PortalStage.run { stage in
            var browser = try await stage.officer()
            let form = try await browser.form()
            #expect(try await browser.post("/codes", ["kind": "TEST", "form": form]).status == 303)
            #expect(try await rows(stage).isEmpty)
            let admin = "http://127.0.0.1:\(try await stage.runtimes[0].admin.value)"
            let ready = try await RawClient.with(admin, tls: nil) { try await $0.send("GET", "/ready") }
            #expect(ready.status == 200)
            #expect(ready.body.contains("audit.key"))
        }
    }
}
