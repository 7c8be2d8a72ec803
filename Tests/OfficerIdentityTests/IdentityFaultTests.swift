import Foundation
import OfficerIdentity
import OutsideCalls
import TestSupport
import Testing

@Suite struct IdentityFaultTests {
    @Test("each reason has a row in the runbook, and each row names a reason")
    func runbook() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../deploy/runbook.md")
        let text = try String(contentsOf: path, encoding: .utf8)
        let heading = "### Reasons of the identity provider\n"
        let chapter = try #require(text.components(separatedBy: heading).dropFirst().first)
        let table = chapter.prefix(upTo: try #require(chapter.range(of: "\n#")).lowerBound)
        let rows = table.split(separator: "\n").filter { $0.hasPrefix("| `") }
        let words = rows.flatMap { row in
            row.split(separator: "|")[0].matches(of: /`([a-z_]+)`/).map { String($0.1) }
        }
        #expect(words.count == Set(words).count)
        #expect(Set(words) == Set(IdentityFault.allCases.map(\.rawValue)))
    }

    @Test("of the provider's words only errors of the protocols are taken")
    func errors() {
        #expect(IdentityFault(error: "invalid_client") == .invalidClient)
        for other in ["", "signature", "officer_token", "invalid_client\n", "other_error"] {
            #expect(IdentityFault(error: other) == .otherError)
        }
    }

    @Test("a reason is logged once a minute, whatever the others do")
    func onceAMinute() {
        let clock = ManualClock(Date(timeIntervalSince1970: 1_779_796_800))
        let captured = CapturedLog()
        let log = IdentityLog(captured.logger(), clock: clock.clock)
        for _ in 0..<3 {
            log.note(.nonce)
            log.note(.signature)
        }
        #expect(captured.lines.count == 2)
        #expect(captured.lines[0].contains(#""reason":"nonce""#))
        clock.advance(by: 59)
        log.note(.nonce)
        #expect(captured.lines.count == 2)
        clock.advance(by: 1)
        log.note(.nonce)
        #expect(captured.lines.count == 3)
    }
}
