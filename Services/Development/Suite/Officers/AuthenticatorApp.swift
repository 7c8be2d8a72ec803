import Crypto
import DevelopmentIdentityAPI
package import Foundation

/// The authenticator app of a user of `development-identity`: six digits, new every 30 seconds (RFC 6238, section 4; RFC 4226,
/// section 5.3).
///
/// It shares no code with the provider, so that a mistake in one doesn't fit a mistake in the other.
package struct AuthenticatorApp: Sendable {
    private let key: SymmetricKey

    private static let seconds: TimeInterval = 30

    /// - Parameter user: the log-in name; nil if the provider knows no such user.
    package init?(user: String) {
        guard let user = DevelopmentUser(rawValue: user) else { return nil }
        self.init(base32: user.secret)
    }

    /// - Parameter text: the secret, without padding.
    init(base32 text: String) {
        key = SymmetricKey(data: Self.bytes(ofBase32: text))
    }

    /// The codes that the provider accepts at an instant, oldest first: those of the half minutes before, now and after. Each is
    /// accepted once, and none that is older than one that was used.
    package func codes(around instant: Date) -> [String] {
        let now = UInt64(max(Self.seconds, instant.timeIntervalSince1970) / Self.seconds)
        return (now - 1...now + 1).map(code)
    }

    /// The code of the half minute before, now or after, whose number is given.
    private func code(_ step: UInt64) -> String {
        let message = withUnsafeBytes(of: step.bigEndian) { Data($0) }
        let hash = Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
        let offset = Int(hash[hash.count - 1] & 0x0F)
        let number = hash[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        return String(String(number % 1_000_000 + 1_000_000).dropFirst())
    }

    /// The bytes of a text in base 32 without padding.
    private static func bytes(ofBase32 text: String) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        let bits = text.flatMap { character -> [UInt8] in
            let value = alphabet.firstIndex(of: character) ?? 0
            return (0..<5).reversed().map { UInt8(value >> $0 & 1) }
        }
        return stride(from: 0, to: bits.count / 8 * 8, by: 8).map { start in
            bits[start..<start + 8].reduce(0) { $0 << 1 | $1 }
        }
    }
}
