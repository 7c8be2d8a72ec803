import Crypto
import DeviceCheck
import Foundation

/// A phone's token and a team's key.
enum Sample {
    /// 2026-11-24, at noon.
    static let now = Date(timeIntervalSince1970: 1_795_521_600)
    static let key = P256.Signing.PrivateKey()
    static let keyID = "ABC123DEFG"
    static let team = "A1B2C3D4E5"

    /// Base64 of so many characters, a multiple of four.
    static func text(_ count: Int) -> String {
        Data((0..<count / 4 * 3).map { UInt8(truncatingIfNeeded: $0 * 7) }).base64EncodedString()
    }

    static var token: DeviceToken {
        get throws { try DeviceToken(text(2800)) }
    }

    static var teamKey: DeviceCheckKey {
        get throws { try DeviceCheckKey(pem: key.pemRepresentation, keyID: keyID, team: team) }
    }
}
