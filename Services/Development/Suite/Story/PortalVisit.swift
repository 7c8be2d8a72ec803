package import Calling
package import Credentials
import DevelopmentIdentityAPI
package import Foundation

/// A health officer at the portal: signs in, makes a code, reads it, and signs out.
package struct PortalVisit: Sendable {
    private let portal: String
    private let authorities: String
    private let oneTimeCode: @Sendable (_ user: String) async throws -> String

    /// - Parameters:
    ///   - portal: its address, as browsers reach it.
    ///   - authorities: path of a PEM file with those that browsers trust.
    ///   - oneTimeCode: what the authenticator app of the user with a log-in name shows. If the provider refuses the code, the officer
    ///     looks again, twice.
    package init(
        portal: String, authorities: String,
        oneTimeCode: @escaping @Sendable (_ user: String) async throws -> String
    ) {
        self.portal = portal
        self.authorities = authorities
        self.oneTimeCode = oneTimeCode
    }

    /// Signs in, makes a code for a test, and signs out.
    package func makeCode(as user: String = DevelopmentUser.officer.rawValue) async throws -> TeleTAN {
        var officer = try await signIn(as: user)
        let code = try await officer.makeCode()
        try await officer.signOut()
        return code
    }

    /// Signs in by log-in name, password and one-time code.
    package func signIn(as user: String = DevelopmentUser.officer.rawValue) async throws -> SignedInBrowser {
        var browser = try Browser(authorities: authorities)
        let password = try await browser.open("\(portal)/login")
        let factor = try await browser.submit(
            try password.form("the password") { $0.inputs.contains("password") },
            ["user": user, "password": DevelopmentUser.password], on: password)
        var page = factor
        for _ in 0..<Self.attempts {
            page = try await browser.submit(
                try page.form("the one-time code", where: Self.asksForCode), ["code": try await oneTimeCode(user)],
                on: page)
            guard PageForm.all(in: page.html).contains(where: Self.asksForCode) else {
                return SignedInBrowser(portal: portal, browser: browser, page: page)
            }
        }
        throw Browser.Confusion(
            description:
                "The identity provider refused the one-time codes of \(user), each of which can be used once: try again in half a minute."
        )
    }

    private static let attempts = 3

    private static func asksForCode(_ form: PageForm) -> Bool { form.inputs.contains("code") }

    /// Where the portal sends officers to sign in; nil if it doesn't.
    package func provider() async throws -> URL? {
        try await Browser(authorities: authorities).destination(of: "\(portal)/login")
    }
}

/// A browser in which an officer has signed in.
package struct SignedInBrowser: Sendable {
    private let portal: String
    private var browser: Browser
    /// What it shows.
    private var page: Browser.Page

    fileprivate init(portal: String, browser: Browser, page: Browser.Page) {
        self.portal = portal
        self.browser = browser
        self.page = page
    }

    /// Opens a page of the portal, such as `/codes`.
    package mutating func open(_ path: String) async throws {
        page = try await browser.open(portal + path)
        guard page.status == 200 else {
            throw Browser.Confusion(description: "The page \(path) didn't open (\(page.status)).")
        }
    }

    /// Fills in and submits a form of the page.
    mutating func submit(
        _ purpose: String, _ values: [String: String] = [:], where isWanted: (PageForm) -> Bool
    ) async throws {
        page = try await browser.submit(try page.form(purpose, where: isWanted), values, on: page)
        guard page.status == 200 else {
            throw Browser.Confusion(description: "The form for \(purpose) was refused (\(page.status)).")
        }
    }

    /// Whether the page has such a form.
    func has(_ isWanted: (PageForm) -> Bool) -> Bool { PageForm.all(in: page.html).contains(where: isWanted) }

    /// Submits the form for a test's code, which must be on the page, and reads the code.
    package mutating func makeCode() async throws -> TeleTAN {
        page = try await browser.submit(try page.form("codes of tests") { $0.hidden["kind"] == "TEST" }, on: page)
        // Each character is an element of its own.
        let characters = page.html.matches(of: /<span class="character">(.)<\/span>/).map { String($0.1) }
        guard page.status == 200, let code = TeleTAN(characters.joined()) else {
            throw Browser.Confusion(description: "The portal's page shows no code (\(page.status)).")
        }
        return code
    }

    /// Signs out by the page's form.
    package mutating func signOut() async throws {
        page = try await browser.submit(try page.form("signing out") { $0.action == "/logout" }, on: page)
        guard page.status == 200, page.url.absoluteString.hasPrefix("\(portal)/") else {
            throw Browser.Confusion(description: "Signing out didn't lead back to the portal (\(page.status)).")
        }
    }
}

extension Browser.Page {
    fileprivate func form(_ purpose: String, where isWanted: (PageForm) -> Bool) throws -> PageForm {
        guard let form = PageForm.all(in: html).first(where: isWanted) else {
            throw Browser.Confusion(description: "The page \(url.path()) has no form for \(purpose) (\(status)).")
        }
        return form
    }
}

extension ServiceClient {
    /// What an officer's authenticator app shows, from the control port of `development-identity`.
    ///
    /// Stories may follow each other sooner than a person could sign in again, so used codes count as new.
    package func oneTimeCode(of user: String) async throws -> String {
        try await call(
            DevelopmentIdentityAPI.oneTimeCode, CodeQuery(user: user, forgetsUsed: true)
        ).code
    }
}
