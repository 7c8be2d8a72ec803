package import Calling
package import Credentials
package import DevelopmentIdentityAPI
import Foundation

/// A health officer at the portal: signs in, makes a code, reads it, and signs out.
package struct PortalVisit: Sendable {
    private let portal: String
    private let authorities: String
    private let oneTimeCode: @Sendable (DevelopmentUser) async throws -> String

    /// - Parameters:
    ///   - portal: its address, as browsers reach it.
    ///   - authorities: path of a PEM file with those that browsers trust.
    ///   - oneTimeCode: what the officer's authenticator app shows.
    package init(
        portal: String, authorities: String,
        oneTimeCode: @escaping @Sendable (DevelopmentUser) async throws -> String
    ) {
        self.portal = portal
        self.authorities = authorities
        self.oneTimeCode = oneTimeCode
    }

    /// Makes a code for a test.
    package func makeCode(as user: DevelopmentUser = .officer) async throws -> TeleTAN {
        var browser = try Browser(authorities: authorities)
        let code: Result<TeleTAN, any Error>
        do {
            code = .success(try await makeCode(as: user, in: &browser))
        } catch {
            code = .failure(error)
        }
        await browser.close()
        return try code.get()
    }

    private func makeCode(as user: DevelopmentUser, in browser: inout Browser) async throws -> TeleTAN {
        let password = try await browser.open("\(portal)/login")
        let factor = try await browser.submit(
            try form(on: password, "the password") { $0.inputs.contains("password") },
            ["user": user.rawValue, "password": DevelopmentUser.password], on: password)
        let codes = try await browser.submit(
            try form(on: factor, "the one-time code") { $0.inputs.contains("code") },
            ["code": try await oneTimeCode(user)], on: factor)
        let made = try await browser.submit(
            try form(on: codes, "codes of tests") { $0.hidden["kind"] == "TEST" }, on: codes)
        // Each character is an element of its own.
        let characters = made.html.matches(of: /<span class="character">(.)<\/span>/).map { String($0.1) }
        guard made.status == 200, let code = TeleTAN(characters.joined()) else {
            throw Browser.Confusion(description: "The portal's page shows no code (\(made.status)).")
        }
        let end = try await browser.submit(
            try form(on: made, "signing out") { $0.action == "/logout" }, on: made)
        guard end.status == 200, end.url.absoluteString.hasPrefix("\(portal)/") else {
            throw Browser.Confusion(description: "Signing out didn't lead back to the portal (\(end.status)).")
        }
        return code
    }

    private func form(
        on page: Browser.Page, _ purpose: String, where isWanted: (PageForm) -> Bool
    ) throws -> PageForm {
        guard let form = PageForm.all(in: page.html).first(where: isWanted) else {
            let place = page.url.path()
            throw Browser.Confusion(description: "The page \(place) has no form for \(purpose) (\(page.status)).")
        }
        return form
    }
}

extension ServiceClient {
    /// What an officer's authenticator app shows, from the control port of `development-identity`.
    ///
    /// Stories may follow each other sooner than a person could sign in again, so used codes count as new.
    package func oneTimeCode(of user: DevelopmentUser) async throws -> String {
        try await call(
            DevelopmentIdentityAPI.oneTimeCode, CodeQuery(user: user.rawValue, forgetsUsed: true)
        ).code
    }
}
