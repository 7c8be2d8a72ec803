import FoundationEssentials
import SwiftProtobuf

/// A password that an app chose, for one survey, one log or one self-report: a UUID of version 3 or 4
/// (cwa-ppa-server, `OtpService`; RFC 9562, section 4).
package struct OneTimePassword: Hashable, Sendable, CustomStringConvertible {
    /// 16 bytes.
    package let bytes: [UInt8]

    /// Nil unless the text is a UUID of these versions, in upper or lower case.
    package init?(_ text: some StringProtocol) {
        guard let uuid = UUID(uuidString: String(text)), text.utf8.count == 36 else { return nil }
        let bytes = withUnsafeBytes(of: uuid.uuid) { Array($0) }
        guard [3, 4].contains(bytes[6] >> 4), bytes[8] >> 6 == 2 else { return nil }
        self.bytes = bytes
        // Foundation also reads spaces, and short groups.
        guard self.text.utf8.elementsEqual(text.lowercased().utf8) else { return nil }
    }

    /// A password of 122 random bits.
    package init(using randomness: inout some RandomNumberGenerator) {
        var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &randomness) }
        bytes[6] = bytes[6] & 0x0f | 0x40
        bytes[8] = bytes[8] & 0x3f | 0x80
        self.bytes = bytes
    }

    /// The lower-case UUID. It must not be logged.
    package var text: String {
        let digits = bytes.flatMap { [$0 >> 4, $0 & 15] }.map { String($0, radix: 16) }
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { digits[$0].joined() }
        return groups.joined(separator: "-")
    }

    package var description: String { "redacted" }
}

/// What Android gives each app on each phone, and a factory reset changes: 8 to 16 bytes.
package struct AndroidID: Hashable, Sendable, CustomStringConvertible {
    /// As the app sent it.
    package let bytes: [UInt8]

    /// Nil for another length.
    package init?(_ bytes: [UInt8]) {
        guard (8...16).contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    package var description: String { "redacted" }
}

/// The payload of a request for a password (cwa-ppa-server, `EDUSOneTimePassword`, `ELSOneTimePassword`, `SRSOneTimePassword`).
package struct PasswordRequest: Hashable, Sendable {
    /// The app's choice.
    package let password: OneTimePassword
    /// Only in self-reports of Android.
    package let androidID: AndroidID?

    /// A request from its parts.
    package init(_ password: OneTimePassword, androidID: AndroidID? = nil) {
        self.password = password
        self.androidID = androidID
    }

    /// Reads a payload.
    package init(decoding payload: [UInt8]) throws(DonationFlaw) {
        let message: WireOneTimePassword = try .read(payload, depth: 1)
        guard let password = OneTimePassword(message.otp) else { throw .password }
        guard !message.androidID.isEmpty else {
            self.init(password)
            return
        }
        guard let androidID = AndroidID(Array(message.androidID)) else { throw .androidID }
        self.init(password, androidID: androidID)
    }

    /// As a request has it.
    package func encoded() throws(DonationFlaw) -> [UInt8] {
        try WireOneTimePassword.with {
            $0.otp = password.text
            $0.androidID = Data(androidID?.bytes ?? [])
        }.written()
    }
}
