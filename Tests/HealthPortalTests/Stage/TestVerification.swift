import Credentials
import Foundation
import HTTPContract
import Serving
import Synchronization
import TLS
import TestSupport
import VerificationAPI

/// A verification server as a real server: its own certificate, the route and roles of its contract, codes in memory.
final class TestVerification: Sendable {
    private struct State {
        var codes: [String: TeleTAN] = [:]
        var tokens: [String] = []
        var failure: Problem?
        var losesAnswers = false
        var remaining = 60
    }

    private let clock: ManualClock
    private let state = Mutex(State())

    init(clock: ManualClock) {
        self.clock = clock
    }

    /// The codes that were made, which are the rows of `tele_tan`.
    var codes: [TeleTAN] { state.withLock { Array($0.codes.values) } }
    /// The officers' tokens that were sent.
    var tokens: [String] { state.withLock { $0.tokens } }

    /// Makes it answer everything with a problem; nil ends that.
    func fail(with problem: Problem?) { state.withLock { $0.failure = problem } }

    /// Makes codes whose answer is lost.
    func loseAnswers(_ loses: Bool) { state.withLock { $0.losesAnswers = loses } }

    func leave(_ remaining: Int) { state.withLock { $0.remaining = remaining } }

    func listener(_ tls: TLSFiles) -> Listener {
        Listener(name: "portal", host: "127.0.0.1", port: 0, security: .mutualTLS(tls)) { routes in
            routes.on(VerificationAPI.teleTAN) { request, _ in
                try self.state.withLock { state in
                    state.tokens.append(request.officerToken)
                    if let failure = state.failure { throw failure }
                    guard let key = request.idempotencyKey else { throw Problem.badRequest }
                    let id = "\(key.text) \(request.kind.rawValue)"
                    var randomness = SystemRandomNumberGenerator()
                    let code = state.codes[id] ?? TeleTAN(using: &randomness)
                    if state.codes[id] == nil { state.remaining -= 1 }
                    state.codes[id] = code
                    if state.losesAnswers { throw Problem.unavailable }
                    let seconds: Double = request.kind == .test ? 3600 : 2 * 86_400
                    return TeleTANResponse(
                        code, validUntil: Int64((self.clock.now.timeIntervalSince1970 + seconds).rounded(.up)),
                        remaining: state.remaining)
                }
            }
        }
    }
}
