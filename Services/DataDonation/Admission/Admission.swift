import AppAttest
import Credentials
import DonationFormat

/// What evidence has shown, before anything is stored. It never touches what the app sends beside it.
struct Admission: Sendable {
    let platform: AppClient.Platform
    /// Whether hardware vouches for the app, as far as the evidence says.
    let isStrong: Bool
    /// What admits one request only.
    let use: Use
    /// Whose share it takes; nil if nobody can be told from another.
    let subject: Digest?

    /// Each in the form in which it is stored.
    enum Use: Sendable {
        /// A salt or a device token, and the last hour in which it isn't too old.
        case once(Digest, lastHour: Int32)
        /// An assertion by an attested key.
        case assertion(key: Digest, AppAttestPublicKey, counter: UInt32, isNew: Bool)
    }
}
