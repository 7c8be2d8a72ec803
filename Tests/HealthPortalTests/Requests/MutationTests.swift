import Foundation
import HTTPContract
import TestSupport
import Testing

/// Whatever a browser or the identity provider's address sends, modified: it ends in a page, never in a failure of the
/// service, and nothing but the unmodified text opens anything.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(10)))
struct MutationTests {
    /// What HTTP lets through as a field or a target.
    private static func sendable(_ text: String) -> String {
        text.filter { $0.isASCII && $0 > " " && $0 != "\u{7F}" && $0 != "#" }
    }

    private func modified(_ text: String, _ randomness: inout SeededGenerator) -> String {
        while true {
            let changed = Self.sendable(text.mutated(using: &randomness))
            if changed != text { return changed }
        }
    }

    @Test("a modified cookie opens no session")
    func cookies() async throws {
        try await PortalStage.run { stage in
            let browser = try await stage.officer()
            let id = try #require(browser.cookies["__Host-session"])
            var randomness = SeededGenerator(seed: 0x636f_6f6b)
            for _ in 0..<100 {
                var stranger = stage.browser()
                let cookie = modified("__Host-session=\(id)", &randomness)
                let answer = try await stranger.ask(.GET, "/codes", headers: [("cookie", cookie)])
                #expect([400, 403].contains(answer.status) || cookie.lowercased().hasPrefix("__host-session=\(id)"))
            }
        }
    }

    @Test("a modified return from the provider ends in a page")
    func returns() async throws {
        try await PortalStage.run(settings: ["signIn.attemptsPerMinute": "100000"]) { stage in
            var randomness = SeededGenerator(seed: 0x7265_7475)
            for number in 0..<100 {
                var browser = stage.browser()
                let query = URLEncodedValues(try await browser.begin()).encoded
                var path = "/callback?\(query)"
                if number.isMultiple(of: 2) {
                    // What every client takes for an address.
                    let changed = modified(query, &randomness).filter {
                        $0.isLetter || $0.isNumber || "-._~=&%+".contains($0)
                    }
                    path = "/callback?\(changed)"
                } else {
                    browser.cookies["__Host-login"] = modified(browser.cookies["__Host-login"] ?? "", &randomness)
                        .filter { $0 != ";" }
                }
                let answer = try await browser.ask(.GET, path)
                // A parameter that nobody reads may be modified.
                #expect([303, 400, 403].contains(answer.status), "\(path)")
                #expect(browser.cookies["__Host-login"] == nil)
            }
        }
    }

    @Test("a modified form makes its code or ends in a page")
    func forms() async throws {
        try await PortalStage.run { stage in
            var browser = try await stage.officer()
            let form = try await browser.form()
            let body = URLEncodedValues(["kind": "TEST", "form": form, "training": "0"]).encoded
            let trusted = ClientTLS(trusting: "\(stage.certificates.directory)/authority.pem")
            let cookie = try #require(browser.cookies["__Host-session"])
            var randomness = SeededGenerator(seed: 0x666f_726d)
            for _ in 0..<100 {
                let answer = try await send(
                    .POST, browser.base + "/codes",
                    headers: [
                        ("sec-fetch-site", "same-origin"), ("cookie", "__Host-session=\(cookie)"),
                        ("content-type", "application/x-www-form-urlencoded"),
                    ], body: body.mutated(using: &randomness), tls: trusted)
                #expect([303, 400, 409].contains(answer.status))
            }
            #expect(stage.verification.codes.count <= 1)
        }
    }

    @Test("a modified log-out token ends nothing")
    func logOutTokens() async throws {
        try await PortalStage.run { stage in
            _ = try await stage.officer()
            let token = try stage.provider.logOutToken()
            var randomness = SeededGenerator(seed: 0x6c6f_676f)
            for _ in 0..<100 {
                // Not the signature: its last character has bits that don't count.
                let parts = token.split(separator: ".")
                let changed = modified("\(parts[0]).\(parts[1])", &randomness)
                #expect(try await stage.logOut("\(changed).\(parts[2])").status == 400)
            }
            #expect(try await stage.rows().count == 1)
            #expect(try await stage.logOut(token).status == 200)
        }
    }
}
