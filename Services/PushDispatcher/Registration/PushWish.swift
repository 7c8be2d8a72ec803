import Credentials
import PushFormat

/// What a phone asks for in a registration that keeps the contract (push sheet, 1.1 and 1.3).
struct PushWish: Sendable {
    /// The app-instance token, whatever its shape: apps send a UUID.
    let instance: Secret<String>
    /// Where to send pushes; nil for a phone that wants none any more.
    let device: Device?

    /// The longest app-instance token that the field's servers take.
    private static let longestInstance = 255

    /// Nil for what can't be a registration.
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

/// A phone with its token.
struct Device: Sendable {
    /// The kind of a phone, as the table has it.
    enum Kind: Int16, Sendable {
        /// Reached through APNs's production hosts.
        case production = 0
        /// Known, and never pushed to: those apps fetch on a schedule of their own (push sheet, 6).
        case android = 1
        /// Reached through APNs's sandbox hosts.
        case sandbox = 2
    }

    let kind: Kind
    /// As it is stored.
    let token: Secret<String>

    /// Bytes that a token may have: ``TokenVault`` seals all to one length.
    static let longestToken = 255

    /// Nil when there is no such kind, or the token isn't one of that kind.
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
