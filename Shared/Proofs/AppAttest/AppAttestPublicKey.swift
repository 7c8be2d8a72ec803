package import Crypto

/// The public half of a key in a device's hardware: a point on P-256.
package struct AppAttestPublicKey: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// 65 bytes: the uncompressed point of X9.62.
    package let x963: [UInt8]
    let key: P256.Signing.PublicKey

    private static let count = 65

    /// Nil unless the bytes are a point on the curve, uncompressed.
    package init?(x963 bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count, let key = try? P256.Signing.PublicKey(x963Representation: Array(bytes)) else {
            return nil
        }
        self.key = key
        x963 = Array(bytes)
    }

    /// Takes any key on the curve.
    package init(_ key: P256.Signing.PublicKey) {
        self.key = key
        x963 = Array(key.x963Representation)
    }

    /// Two with the same point are the same.
    package static func == (one: Self, other: Self) -> Bool { one.x963 == other.x963 }
    /// Goes with the equality.
    package func hash(into hasher: inout Hasher) { hasher.combine(x963) }

    /// Reveals nothing: a key names one installation of the app for years.
    package var description: String { "public key" }
    /// The same as ``description``: a debugger's output ends up in logs too.
    package var debugDescription: String { description }
    /// Keeps `dump` and string interpolation of containers away from the bytes.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
