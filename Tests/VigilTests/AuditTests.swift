import ArgumentParser
import AuditFormat
import Foundation
import Postgres
import Running
import Schema
import TestSupport
import Testing

@testable import Vigil

/// The auditor's commands, as operator and auditor run them.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct AuditTests {
    private func run(_ arguments: String...) async throws {
        var command = try VigilCommand.parseAsRoot(["audit"] + arguments)
        if var command = command as? any AsyncParsableCommand {
            try await command.run()
        } else {
            try command.run()
        }
    }

    @Test("keys, export and open lead from the table to the auditor, and the export is on record")
    func path() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (name, file) = (folder.appending(path: "auditor").path, folder.appending(path: "audit.txt").path)
        try await run("keys", name)
        await #expect(throws: CommandFailure.self) { try await run("keys", name) }
        let mode = try FileManager.default.attributesOfItem(atPath: name + ".key")[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let key = try #require(AuditorPublicKey(bytes: try bytes(name + ".pub")))
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.connection(as: .healthPortal)) { service in
                for (number, day) in [20_781, 20_780, 20_780].enumerated() as EnumeratedSequence<[Int32]> {
                    let entry = AuditEntry(day: day, kind: "TEST", authority: "", subject: "officer \(number)")
                    let hash = [UInt8](repeating: UInt8(9 - number), count: 32)
                    let sealed = try key.seal(entry).bytes
                    try await service.session { session in
                        _ = try session.execute(
                            "INSERT INTO health_portal.audit (form_hash, day, sealed) VALUES (\(hash), \(day), \(sealed))"
                        )
                    }
                }
            }
            let raw = AuditEntry(day: 20_779, donatedDataTakenBy: "analyst", reason: "a study")
            let sealed = try key.seal(raw).bytes
            try await TestPostgres.withClient(database.connection(as: .donationFold)) { fold in
                _ = try await fold.session { session in
                    try session.execute("INSERT INTO donation.raw_audit (day, sealed) VALUES (\(raw.day), \(sealed))")
                }
            }
            try await run("export", "--connection", database.superuserConnection, "--by", "Operator 7", file)
            let record = try await TestPostgres.withClient(database.superuserConnection) { owner in
                try await owner.session { session in
                    try session.rows(
                        "SELECT name || ' ' || entries FROM health_portal.audit_read", as: String.self)
                }
            }
            #expect(record == ["Operator 7 4"])
        }
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let entries = try #require(AuditFile(text)).entries
        // By day, then by hash: not in the order in which they were made.
        let auditor = try #require(AuditorKey(bytes: try bytes(name + ".key")))
        #expect(
            entries.compactMap { auditor.open($0.sealed, day: $0.day)?.subject } == [
                "analyst", "officer 2", "officer 1", "officer 0",
            ])
        #expect(!text.contains("officer") && !text.contains("analyst"))
        try await run("open", "--key", name + ".key", file)
        let other = folder.appending(path: "other").path
        try await run("keys", other)
        await #expect(throws: CommandFailure("4 of 4 entries don't open with this key.")) {
            try await run("open", "--key", other + ".key", file)
        }
        await #expect(throws: CommandFailure.self) { try await run("open", "--key", name + ".pub", name + ".pub") }
    }

    private func bytes(_ file: String) throws -> [UInt8] {
        try #require(Settings.bytes(hexadecimal: try Data(contentsOf: URL(filePath: file))))
    }
}
