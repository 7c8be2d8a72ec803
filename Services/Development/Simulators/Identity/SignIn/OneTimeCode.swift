import Crypto
import FoundationEssentials

/// The codes of authenticator apps: six digits of HMAC-SHA-1, a new one every 30 seconds (RFC 6238, section 4; RFC 4226,
/// section 5.3).
enum OneTimeCode {
    /// The number of the 30 seconds that contain an instant.
    static func step(at instant: Date) -> UInt64 {
        UInt64(max(0, instant.timeIntervalSince1970) / 30)
    }

    /// The code of a step.
    static func text(secret: [UInt8], step: UInt64) -> String {
        let message = withUnsafeBytes(of: step.bigEndian) { Data($0) }
        let hash = Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: SymmetricKey(data: secret)))
        let offset = Int(hash[19] & 0x0F)
        let number = hash[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let digits = String(number % 1_000_000)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }

    /// The steps whose codes are accepted: one before and one after the present one, for clocks that differ.
    static func steps(around instant: Date) -> ClosedRange<UInt64> {
        let step = step(at: instant)
        return max(step, 1) - 1...step + 1
    }
}
