import Foundation
import Synchronization
import Vigil

/// The one-time codes that a user of `development-identity` may still try, for who can't ask the provider which were used.
final class OneTimeCodes: Sendable {
    private let left = Mutex<[String]?>(nil)

    /// The next one, from the oldest on.
    func next(of user: String) throws -> String {
        guard let app = AuthenticatorApp(user: user) else { throw CommandFailure("No user is called \(user).") }
        return try left.withLock { left in
            var codes = left ?? app.codes(around: Date())
            guard !codes.isEmpty else {
                throw CommandFailure("All of this minute's one-time codes have been used: try again in half a minute.")
            }
            defer { left = codes }
            return codes.removeFirst()
        }
    }
}
