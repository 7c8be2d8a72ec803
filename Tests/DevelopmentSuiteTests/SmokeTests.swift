import ExposureKeys
import Foundation
import Testing

@testable import DevelopmentSuite

struct SmokeTests {
    @Test("a smoke test's key is accepted, is never published, and expires within two days", arguments: 0..<24)
    func key(hour: Int) throws {
        let now = Day(number: 20_600).firstHour.advanced(by: hour).start + 1
        let key = try SmokeKey.fresh(at: now)
        #expect(UploadRules().current([key], at: now) == [key])
        #expect(PublicationPolicy().releaseHour(of: key, submitted: Hour(containing: now)) == nil)
        #expect(!key.rollingPeriod.hasExpired(at: now + 86_400))
        #expect(key.rollingPeriod.hasExpired(at: now + 2 * 86_400))
    }

    @Test("a smoke test's keys differ, so that none counts as another's repetition")
    func fresh() throws {
        let now = Date()
        #expect(try SmokeKey.fresh(at: now).data != SmokeKey.fresh(at: now).data)
    }

    @Test(
        "a door is named by its URL, or by where it is published",
        arguments: [
            ("https://apps.example.org", "https://apps.example.org"),
            ("https://127.0.0.1:8070/", "https://127.0.0.1:8070"),
            ("https://codes.example.org:443,https://127.0.0.1:8070", "https://codes.example.org"),
            ("127.0.0.1:8000", "https://localhost:8000"), ("0.0.0.0:443", "https://localhost"),
            ("192.0.2.10:443", "https://192.0.2.10"), ("http://localhost:8000", nil),
            ("https://localhost/version", nil),
            ("", nil),
        ])
    func address(argument: String, url: String?) {
        #expect(DoorAddress(argument: argument)?.description == url)
    }

    @Test("an authenticator app shows the codes of RFC 6238, appendix B")
    func codes() {
        // Of the eight digits there the last six.
        let app = AuthenticatorApp(base32: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
        for (seconds, code) in [(59, "287082"), (1_111_111_109, "081804"), (20_000_000_000, "353130")] {
            #expect(app.codes(around: Date(timeIntervalSince1970: TimeInterval(seconds)))[1] == code)
        }
    }
}
