import Foundation
import HTTPContract
import Pages
import TLS
import TestSupport
import Testing

@testable import HealthPortal

/// A browser as far as the portal sees one: it keeps cookies and follows no redirect by itself.
struct Browser: Sendable {
    var base: String
    let stage: PortalStage
    var cookies: [String: String] = [:]

    /// Sends a request as a page of the portal does, and keeps the cookies of the answer.
    ///
    /// - Parameters:
    ///   - form: the body.
    ///   - headers: nil for those of a form of the same site.
    mutating func ask(
        _ method: HTTPMethod, _ path: String, form: [String: String]? = nil, headers: [(String, String)]? = nil
    ) async throws -> Answer {
        var fields = headers ?? [("sec-fetch-site", "same-origin")]
        if !cookies.isEmpty {
            let pairs = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            fields.append(("cookie", pairs.joined(separator: "; ")))
        }
        if form != nil, !fields.contains(where: { $0.0 == "content-type" }) {
            fields.append(("content-type", "application/x-www-form-urlencoded"))
        }
        let answer = try await send(
            method, base + path, headers: fields, body: form.map { URLEncodedValues($0).encoded },
            tls: ClientTLS(trusting: "\(stage.certificates.directory)/authority.pem"))
        for cookie in answer.fields["set-cookie"] {
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            cookies[String(pair[0])] = cookie.hasSuffix("Max-Age=0") ? nil : String(pair[1])
        }
        return answer
    }

    mutating func get(_ path: String) async throws -> Answer { try await ask(.GET, path) }

    mutating func post(_ path: String, _ form: [String: String] = [:]) async throws -> Answer {
        try await ask(.POST, path, form: form)
    }

    /// Begins to sign in.
    ///
    /// - Returns: the query with which the provider sends the browser back.
    mutating func begin(_ officer: TestProvider.Officer = .init()) async throws -> [String: String] {
        let answer = try await get("/login")
        return try stage.provider.authorize(try #require(answer.fields["location"].first), as: officer)
    }

    mutating func callBack(_ query: [String: String]) async throws -> Answer {
        // The browser comes from another site.
        try await ask(
            .GET, "/callback?\(URLEncodedValues(query).encoded)", headers: [("sec-fetch-site", "cross-site")])
    }

    mutating func signIn(_ officer: TestProvider.Officer = .init()) async throws -> Answer {
        try await callBack(try await begin(officer))
    }

    // MARK: Codes

    /// The number of the form for a kind.
    mutating func form(_ kind: String = "TEST", training: Bool = false) async throws -> String {
        let page = try await get(training ? "/codes?training=1" : "/codes").body
        let pattern = try Regex(#"name="kind" value="\#(kind)"><input type="hidden" name="form" value="([0-9a-f]+)""#)
        return try #require(page.firstMatch(of: pattern)?.output[1].substring.map(String.init))
    }

    /// The code on the page; nil if it shows none.
    mutating func code() async throws -> String? { try await get("/codes/current").code }
}

/// What an officer reads on a page.
extension Answer {
    private var words: Words { body.contains("<html lang=\"en\">") ? .english : .german }

    /// The case of ``Refusal`` that the page is about.
    var refusal: String? {
        let refusals = words.refusals
        let titles = [
            "malformed": refusals.malformed, "otherHost": refusals.otherHost, "notSignedIn": refusals.notSignedIn,
            "noRole": refusals.noRole,
            "otherSite": refusals.otherSite, "notFound": refusals.notFound, "formUsed": refusals.formUsed,
            "entryUsed": refusals.entryUsed, "ownEntry": refusals.ownEntry, "decided": refusals.decided,
            "full": refusals.full,
            "tooMany": refusals.tooMany(""), "providerAway": refusals.providerAway,
            "misconfigured": refusals.misconfigured, "verificationAway": refusals.verificationAway,
            "unavailable": refusals.unavailable,
            "signInFailed": refusals.signInFailed, "signInRefused": refusals.signInRefused,
        ].mapValues { String(decoding: HTML($0.title).bytes, as: UTF8.self) }
        let heading = body.firstMatch(of: #/<h1>([^<]*)</#)?.1
        return titles.first { $0.value == heading ?? "" }?.key
    }

    /// The officer's name.
    var officer: String? {
        let before = words.frame.signedInAs("")
        return body.firstMatch(of: #/<span class="officer">([^<]*)</#).map { String($0.1.dropFirst(before.count)) }
    }

    /// The code; nil if the page shows none.
    var code: String? {
        let characters = body.matches(of: #/<span class="character">(.)</#).map(\.1)
        return characters.isEmpty ? nil : characters.joined()
    }

    /// The kind of the code.
    var kind: String? {
        guard let heading = body.firstMatch(of: #/<h1[^>]*>([^<]*)</#)?.1 else { return nil }
        let texts = words.currentCode
        return [("TEST", texts.test), ("EVENT", texts.event)].first { texts.title($0.1) == heading }?.0
    }

    /// Seconds of validity, from which the page's script counts.
    var secondsLeft: String? { body.firstMatch(of: #/<span id="left" data-seconds="([0-9]+)"/#).map { String($0.1) } }

    /// Whether the code is for practice.
    var isTraining: Bool { body.contains(words.currentCode.training) }

    /// Whether a hidden code can be shown again.
    var canBeShownAgain: Bool { body.contains("action=\"/codes/current/show\"") }

    /// Whether the page says that the last code is still shown.
    var showsLastCode: Bool { body.contains(words.codes.stillShown) }

    /// How many codes can still be made in this hour, if the page says so.
    func says(remaining count: Int) -> Bool { body.contains(words.codes.remaining(count)) }
}
