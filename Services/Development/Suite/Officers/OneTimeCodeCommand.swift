import ArgumentParser
import Calling
import Catalogue
import DevelopmentIdentityAPI
import Foundation
import HTTPTypes
import Running
import Vigil

/// `vigil-dev one-time-code`.
struct OneTimeCodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "one-time-code",
        abstract: "Print the second factor of a user of the simulated identity provider.",
        discussion: "An authenticator app shows it, too; the provider's README says how to set one up.")

    @OptionGroup var state: StateOption

    @Option(help: "The user's log-in name.")
    var user = DevelopmentUser.officer.rawValue

    @Flag(help: "Compute it as an authenticator app does, without a suite on this machine that says which were used.")
    var computed = false

    func run() async throws {
        if computed {
            guard let app = AuthenticatorApp(user: user) else { throw CommandFailure("No user is called \(user).") }
            return Console.say(app.codes(around: Date())[1])
        }
        let suite = try RunningSuite(in: state.folder)
        let provider = try ServiceClient(
            base: suite.url(of: .developmentIdentity, .control), tls: nil, name: "development-identity")
        let code: Result<OneTimeCodeAnswer, CallError>
        do throws(CallError) {
            code = .success(try await provider.call(DevelopmentIdentityAPI.oneTimeCode, CodeQuery(user: user)))
        } catch {
            code = .failure(error)
        }
        await provider.close()
        switch code {
        case .success(let code): Console.say(code.code)
        case .failure(.refused(.badRequest)): throw CommandFailure("No user is called \(user).")
        case .failure(.refused(.tooManyRequests)):
            throw CommandFailure("All of this minute's codes have been used: try again in half a minute.")
        case .failure: throw CommandFailure("The identity provider doesn't answer: is `vigil-dev up` running?")
        }
    }
}
