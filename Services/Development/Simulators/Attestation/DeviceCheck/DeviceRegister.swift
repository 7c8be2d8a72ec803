import DeviceCheck
import FoundationEssentials

/// What Apple keeps: tokens that name devices for a short time, and the bits of devices.
struct DeviceRegister: Sendable {
    private var tokens: [String: Token] = [:]
    private var bits: [String: DeviceBits] = [:]

    private struct Token {
        let device: String
        let expiry: Date
    }

    /// Seconds for which a token is good.
    static let life: TimeInterval = 600
    private static let most = 100_000
    /// Bytes of a token: 2,500 to 3,500 characters in Base64.
    private static let lengths = 1900...2600

    /// A new token of a device; nil if there are too many.
    mutating func token(of device: String, at now: Date) -> String? {
        if tokens.count >= Self.most { tokens = tokens.filter { $0.value.expiry > now } }
        guard tokens.count < Self.most else { return nil }
        let token = Data((0..<Int.random(in: Self.lengths)).map { _ in UInt8.random(in: .min ... .max) })
            .base64EncodedString()
        tokens[token] = Token(device: device, expiry: now + Self.life)
        return token
    }

    /// The device that a token names; nil if it names none, or none any more.
    func device(of token: String, at now: Date) -> String? {
        tokens[token].flatMap { $0.expiry > now ? $0.device : nil }
    }

    /// The bits of a device; nil if nobody ever set them.
    func bits(of device: String) -> DeviceBits? { bits[device] }

    /// Sets the bits of a device, or forgets them.
    /// - Returns: false if there are too many devices.
    mutating func set(_ new: DeviceBits?, of device: String) -> Bool {
        guard new == nil || bits[device] != nil || bits.count < Self.most else { return false }
        bits[device] = new
        return true
    }
}
