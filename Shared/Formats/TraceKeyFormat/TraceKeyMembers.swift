import ExposureKeys
import FoundationEssentials

/// A trace key in JSON, as swisscovid-cn-backend has it.
struct TraceKeyMembers: Codable {
    let version: Int
    let identity: String
    let secretKeyForIdentity: String
    let day: Int64
    let encryptedAssociatedData: String
    let cipherTextNonce: String

    init(_ key: TraceKey) {
        version = TraceKey.version
        identity = Base64URL.text(key.identity)
        secretKeyForIdentity = Base64URL.text(key.secretKey)
        day = key.day.startSeconds * 1000
        encryptedAssociatedData = Base64URL.text(key.associatedData)
        cipherTextNonce = Base64URL.text(key.nonce)
    }

    /// Nil if it isn't one.
    var key: TraceKey? {
        guard version == TraceKey.version, let day = Midnight.day(day, per: 86_400_000),
            let identity = Base64URL.bytes(identity), let secretKey = Base64URL.bytes(secretKeyForIdentity),
            let data = Base64URL.bytes(encryptedAssociatedData), let nonce = Base64URL.bytes(cipherTextNonce)
        else { return nil }
        return TraceKey(identity: identity, secretKey: secretKey, day: day, associatedData: data, nonce: nonce)
    }
}

/// The first instant of a UTC day.
enum Midnight {
    /// 9999-12-31: far later days have hours that no ``Hour`` can hold.
    private static let latest: Int64 = 2_932_896

    /// The day that begins at an instant; nil if none does.
    /// - Parameter units: of the instant, in a day.
    static func day(_ instant: Int64, per units: Int64) -> Day? {
        guard instant.isMultiple(of: units), (0...latest).contains(instant / units) else { return nil }
        return Day(number: Int32(instant / units))
    }
}

/// Base64 with the letters for URLs (RFC 4648, section 5).
enum Base64URL {
    /// With padding unless told otherwise.
    static func text(_ bytes: some Sequence<UInt8>, isPadded: Bool = true) -> String {
        let text = Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        return isPadded ? text : text.replacing("=", with: "")
    }

    /// Nil for other letters. Padding may be left out.
    static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        var letters: [UInt8] = []
        for letter in text.utf8 {
            switch letter {
            case UInt8(ascii: "-"): letters.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): letters.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"): return nil
            default: letters.append(letter)
            }
        }
        letters += [UInt8](repeating: UInt8(ascii: "="), count: (4 - letters.count % 4) % 4)
        return Data(base64Encoded: Data(letters)).map { Array($0) }
    }
}
