import AuditFormat
import Foundation
import Testing

struct SealedEntryTests {
    private let auditor = AuditorKey()
    private let entry = AuditEntry(day: 20_780, kind: "EVENT", authority: "1.03.1", subject: "f3b0-officer")

    @Test("the auditor opens an entry, and a service that has everything but the auditor's key doesn't")
    func opens() throws {
        let sealed = try auditor.publicKey.seal(entry)
        #expect(auditor.open(sealed, day: entry.day) == entry)
        // What the service has: the public key, and keys of its own.
        let others = [AuditorKey(), try #require(AuditorKey(bytes: auditor.publicKey.bytes))]
        #expect(others.allSatisfy { $0.open(sealed, day: entry.day) == nil })
        #expect(auditor.open(sealed, day: entry.day + 1) == nil)
    }

    @Test(
        "all sealed entries have one length and no two the same bytes, whoever made which code",
        arguments: ["", "a", String(repeating: "x", count: 255), String(repeating: "é", count: 400), "\u{202E}\"\0"])
    func length(subject: String) throws {
        let entries = ["TEST", "EVENT"].flatMap { kind in
            ["", "1.03.1", String(repeating: "9", count: 500)].map {
                AuditEntry(day: 20_780, kind: kind, authority: $0, subject: subject)
            }
        }
        let sealed = try (entries + entries).map { try auditor.publicKey.seal($0) }
        #expect(Set(sealed.map(\.bytes.count)) == [SealedEntry.size])
        #expect(Set(sealed).count == 12)
        #expect(sealed.compactMap { auditor.open($0, day: 20_780) } == entries + entries)
        #expect(entries.allSatisfy { subject.hasPrefix($0.subject) && $0.subject.utf8.count <= 255 })
    }

    @Test("a changed entry doesn't open, whichever bit was changed")
    func changed() throws {
        let sealed = try auditor.publicKey.seal(entry)
        for byte in stride(from: 0, to: sealed.bytes.count, by: 7) {
            var bytes = sealed.bytes
            // Not the last bit of the encapsulated key, which X25519 ignores (RFC 7748, section 5).
            bytes[byte] ^= 1
            #expect(auditor.open(try #require(SealedEntry(bytes: bytes)), day: entry.day) == nil)
        }
        #expect(SealedEntry(bytes: Array(sealed.bytes.dropLast())) == nil)
    }

    @Test("a file is read as it was written, and anything else is none")
    func file() throws {
        let sealed = try (0..<3).map { (day: Int32(20_780 + $0), sealed: try auditor.publicKey.seal(entry)) }
        let text = AuditFile(sealed).text
        let read = try #require(AuditFile(text))
        #expect(read.entries.map(\.day) == sealed.map(\.day))
        #expect(read.entries.map(\.sealed) == sealed.map(\.sealed))
        #expect(AuditFile("vigil audit 1\n")?.entries.isEmpty == true)
        for broken in ["", "x\n" + text, text + "1 AAAA\n", text.replacingOccurrences(of: "20780 ", with: "day ")] {
            #expect(AuditFile(broken) == nil)
        }
    }
}
