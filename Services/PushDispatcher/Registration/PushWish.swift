import Credentials
import PushFormat

/// The request of a valid registration. The contract is that of <https://github.com/SwissCovid/swisscovid-cn-backend>.
struct PushWish: Sendable {
    /// The app-instance token, in any form: apps send a UUID.
    let instance: Secret<String>
    /// The destination of pushes; nil to deregister.
    let device: Device?

    /// The longest app-instance token that swisscovid-cn-backend accepts.
    private static let longestInstance = 255

    /// Nil for an invalid registration.
    init?(_ registration: PushRegistration) {
        guard (1...Self.longestInstance).contains(registration.deviceID.utf8.count) else { return nil }
        instance = Secret(registration.deviceID)
        if registration.pushToken.allSatisfy(\.isWhitespace) {
            device = nil
        } else {
            guard let device = Device(registration.pushType, token: registration.pushToken) else { return nil }
            self.device = device
        }
    }
}

/// A phone and its token.
struct Device: Sendable {
    /// The kind of a phone, as the table stores it.
    enum Kind: Int16, Sendable {
        /// Reached through the production host of APNs.
        case production = 0
        /// Registered, but never sent a push: the app polls on its own schedule
        /// (<https://github.com/SwissCovid/swisscovid-app-android>).
        case android = 1
        /// Reached through the sandbox host of APNs.
        case sandbox = 2
    }

    let kind: Kind
    /// The token as it is stored.
    let token: Secret<String>

    /// The maximum length of a token in bytes: ``TokenVault`` seals all to one length.
    static let longestToken = 255

    /// Nil if there is no such kind, or the token isn't valid for it.
    init?(_ type: PushType, token: String) {
        switch type {
        case .ios, .iod:
            guard let token = PushToken(token) else { return nil }
            kind = type == .ios ? .production : .sandbox
            self.token = Secret(token.hex)
        case .and:
            let isToken = token.utf8.count <= Self.longestToken && token.utf8.allSatisfy { (0x21...0x7e).contains($0) }
            guard isToken else { return nil }
            kind = .android
            self.token = Secret(token)
        case .UNRECOGNIZED:
            return nil
        }
    }
}
