import Credentials
import DonationFormat
import Foundation
import HTTPContract
import HTTPTypes
import Phone

/// People who know of their infection without a registered test.
extension Story {
    /// An Android phone gets a password in place of a TAN, and uploads its keys with it.
    func reportOneself(_ phone: Phone) async throws {
        var random = SystemRandomNumberGenerator()
        let id = AndroidID(Self.random(16))
        let password = OneTimePassword(using: &random)
        let wish = try PasswordRequest(password, androidID: id).encoded()
        let end = try await stage.apps.requestPassword(for: .selfReport, wish, with: genuine.android(for: wish))
        say("Phone H's owner has no registered test, but a test from the pharmacy was positive.")
        say("Google says that its app is genuine, so it got a password for one report (200), good until \(end).")
        let keys = phone.diagnosisKeys()
        async let report = stage.apps.reportOneself(keys, password: password)
        let other = try PasswordRequest(OneTimePassword(using: &random), androidID: id).encoded()
        try await expect(.forbidden, "a second password for this phone within 90 days is refused") {
            _ = try await stage.apps.requestPassword(for: .selfReport, other, with: genuine.android(for: other))
        }
        _ = try await report
        say("With the first it uploaded \(keys.count) diagnosis keys in place of a TAN (200).")
    }
}
