import ArgumentParser
import AuditFormat
import Foundation
import Postgres
import Running
import Schema
import TestSupport
import Testing

@testable import DataDonation

/// Rows of donated data leave by one command, which is on record.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct RawTests {
    private let auditor = AuditorKey()
    private let entry = AuditEntry(
        day: 20_781, donatedDataTakenBy: "analyst 4", reason: "study 17, asked by the authority")

    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    /// The entries that only the auditor can read.
    private func entries(_ data: DonatedData) async throws -> [AuditEntry?] {
        let rows = try await data.superuser.session { session in
            try session.rows("SELECT day, sealed FROM donation.raw_audit", as: Int32.self, [UInt8].self)
        }
        return rows.map { day, bytes in SealedEntry(bytes: bytes).flatMap { auditor.open($0, day: day) } }
    }

    @Test("rows are written as JSON, and the auditor can open the entry that says who took them and why")
    func rows() async throws {
        try await DonatedData.run { data in
            try await data.risks(3, day: 4)
            try await data.risks(2, day: 1, level: 3)
            try await data.clients(1, version: "3.2.1")
            try await data.encounters(1, attenuations: [62, 70])
            try await withFolder { folder in
                let rows = try await RawCommand.write(to: folder, from: data.client, as: entry, auditor.publicKey)
                #expect(rows == 7)
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 7)
                let risks = try String(contentsOf: folder.appending(path: "exposure_risk.jsonl"), encoding: .utf8)
                    .split(separator: "\n")
                #expect(risks.count == 5 && risks[0].contains(#""day":20774"#) && risks[0].contains(#""level":3"#))
                let window = try String(contentsOf: folder.appending(path: "exposure_window.jsonl"), encoding: .utf8)
                #expect(window.contains(#""scans":[62,3,120,70,3,120]"#))
                let mode =
                    try FileManager.default.attributesOfItem(
                        atPath: folder.appending(path: "client.jsonl").path)[.posixPermissions] as? Int
                #expect(mode == 0o600)
            }
            #expect(try await entries(data) == [entry])
        }
    }

    @Test("the entry is stored before the first row, so it stays if nothing can be written")
    func first() async throws {
        try await DonatedData.run { data in
            try await data.risks(3)
            try await withFolder { folder in
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
                await #expect(throws: FilesNotWritten.self) {
                    try await RawCommand.write(to: folder, from: data.client, as: entry, auditor.publicKey)
                }
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
            }
            #expect(try await entries(data) == [entry])
        }
    }

    @Test("if the entry can't be stored, no row is written")
    func noEntry() async throws {
        try await DonatedData.run { data in
            try await data.risks(3)
            _ = try await data.superuser.session { session in
                try session.execute("REVOKE INSERT ON donation.raw_audit FROM vigil_donation_fold")
            }
            try await withFolder { folder in
                await #expect(throws: PostgresError.self) {
                    try await RawCommand.write(to: folder, from: data.client, as: entry, auditor.publicKey)
                }
                #expect(!FileManager.default.fileExists(atPath: folder.path))
            }
        }
    }

    @Test("without the auditor's key nothing is written")
    func noKey() async throws {
        #expect(throws: ConfigurationProblem.self) { try RawCommand.auditor(Settings([String: String]())) }
        try await withFolder { folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            let file = folder.appending(path: "auditor.pub")
            for (text, isKey) in [("", false), ("00ff", false), (String(repeating: "1a", count: 32), true)] {
                try Data(text.utf8).write(to: file)
                let key = try? RawCommand.auditor(Settings(["audit.publicKey": file.path]))
                #expect((key != nil) == isKey)
            }
        }
    }

    @Test(
        "a reason is demanded, and one that says something",
        arguments: [
            ([], false), (["--reason", ""], false), (["--reason", " \t"], false), (["--reason", "a study"], true),
            (["--reason", String(repeating: "ä", count: 64)], true),
            (["--reason", String(repeating: "ä", count: 64) + "a"], false),
            (["--reason", "a study", "--by", ""], false), (["--reason", "a study", "--by", "analyst 4"], true),
        ] as [([String], Bool)])
    func reason(arguments: [String], isAccepted: Bool) {
        let command = try? DataDonation.parseAsRoot(["raw"] + arguments + ["/nowhere"])
        #expect((command is RawCommand) == isAccepted)
    }

    @Test("the fold's role can add entries, and neither read, change nor delete any")
    func entriesStay() async throws {
        try await DonatedData.run { data in
            for statement: SQL in [
                "SELECT day FROM donation.raw_audit", "UPDATE donation.raw_audit SET day = 0",
                "DELETE FROM donation.raw_audit",
            ] {
                let error = await #expect(throws: PostgresError.self) {
                    try await data.client.session { session in try session.execute(statement) }
                }
                #expect(error?.sqlState == .insufficientPrivilege)
            }
        }
    }
}
