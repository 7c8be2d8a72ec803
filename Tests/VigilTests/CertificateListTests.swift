import Foundation
import HTTPContract
import TestPrograms
import TestSupport
import Testing
import Vigil
import X509

@Suite("The list of certificates")
struct CertificateListTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let day: TimeInterval = 86_400

    @Test("has every certificate of the folder, with what OpenSSL says of it")
    func current() async throws {
        try await withSuite { folder in
            let list = try CertificateList(of: folder, now: Self.now)
            #expect(Set(list.entries.map(\.name)) == Set(["ca"] + SuiteCertificates.holders.map(\.name)))
            #expect(list.entries.allSatisfy { $0.place == .current && !$0.isByRequest })
            let lab = try #require(list.entries.first { $0.name == "lab" })
            let openssl = try OpenSSLProgram()
            let said = try openssl(
                "x509", "-in", folder.certificate("lab"), "-noout", "-serial", "-fingerprint", "-sha256", "-enddate",
                "-dateopt", "iso_8601")
            #expect(said.contains("serial=\(lab.serial ?? "")\n"))
            #expect(said.contains("=\(lab.fingerprint)\n"))
            #expect(said.contains("notAfter=\(lab.expires) "))
            #expect(lab.role == "lab" && lab.days == 365)
            #expect(list.entries.first { $0.name == "postgres" }?.role == "")
        }
    }

    @Test("has those that were replaced, or whose holders have gone, until the state forgets them")
    func former() async throws {
        try await withSuite { folder in
            let certificates = SuiteCertificates(in: folder, now: Self.now)
            let holder = try SuiteCertificates.Holder(role: .logServer, partner: "bonn")
            _ = try certificates.prepare(adding: holder)
            let first = try #require(
                CertificateList(of: folder, now: Self.now).entries.first { $0.name == "log-server-bonn" })
            for file in [folder.certificate("log-server-bonn"), folder.certificateKey("log-server-bonn")] {
                try folder.remove(file)
            }
            let gone = try #require(
                CertificateList(of: folder, now: Self.now).entries.first { $0.name == "log-server-bonn" })
            #expect(gone.place == .former && gone.fingerprint == first.fingerprint && gone.role == "log-server")
            #expect(gone.expires == first.expires && gone.serial == nil)
        }
    }

    @Test("of those that expire has current ones only, and none before their time")
    func expiring() async throws {
        try await withSuite { folder in
            func names(_ after: TimeInterval, _ days: Int) throws -> [String] {
                try CertificateList(of: folder, now: Self.now + after * Self.day, expiringWithin: days).entries.map(
                    \.name)
            }
            #expect(try names(300, 60).isEmpty)
            #expect(try names(320, 60).count == SuiteCertificates.holders.count)
            #expect(try names(400, 60).contains("lab"), "one that has expired matters most")
            _ = try SuiteCertificates(in: folder, now: Self.now + 340 * Self.day).prepare()
            #expect(try names(340, 60).isEmpty, "the former ones were replaced")
        }
    }

    @Test("prints a line for each, or JSON with the same")
    func output() async throws {
        try await withSuite { folder in
            let list = try CertificateList(of: folder, now: Self.now)
            let lines = list.text.split(separator: "\n")
            #expect(lines.count == list.entries.count)
            for (line, entry) in zip(lines, list.entries) {
                #expect(
                    line.contains(entry.fingerprint) && line.contains(" \(entry.name) ")
                        && line.hasPrefix(entry.expires))
            }
            let objects = try #require(JSONSerialization.jsonObject(with: Data(list.json.utf8)) as? [[String: Any]])
            #expect(objects.map { $0["fingerprint"] as? String } == list.entries.map(\.fingerprint))
            #expect(objects.allSatisfy { $0["byRequest"] as? Bool == false && $0["place"] as? String == "current" })
        }
    }

    @Test("says what is wrong with a folder that isn't a state, or a file that isn't a certificate")
    func refusals() async throws {
        #expect(throws: CommandFailure.self) { try CertificateList(of: StateFolder("/nonexistent"), now: Self.now) }
        try await withSuite { folder in
            try folder.write("nonsense", to: folder.certificate("lab"))
            let refusal = #expect(throws: CommandFailure.self) { try CertificateList(of: folder, now: Self.now) }
            #expect(refusal?.description.contains("lab.pem") == true)
        }
    }

    private func withSuite(_ body: (StateFolder) throws -> Void) async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder(scratch)
            try folder.prepare()
            _ = try SuiteCertificates(in: folder, now: Self.now).prepare()
            try body(folder)
        }
    }
}
