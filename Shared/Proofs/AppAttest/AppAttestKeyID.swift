import Crypto
import FoundationEssentials

/// The name of a key that an app had made: SHA-256 of its public key. It names one installation of the app for years.
package struct AppAttestKeyID: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// 32 bytes.
    package let bytes: [UInt8]

    private static let count = 32

    /// Nil for another number of bytes than 32.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        self.bytes = Array(bytes)
    }

    /// As the app sends it: in Base64 with padding. Nil for anything else, also for a second text of the same bytes.
    package init?(base64 text: String) {
        guard text.utf8.count == (Self.count + 2) / 3 * 4, let bytes = Data(base64Encoded: text),
            bytes.base64EncodedString().utf8.elementsEqual(text.utf8)
        else { return nil }
        self.init(bytes)
    }

    /// A key's name.
    package init(_ key: AppAttestPublicKey) {
        bytes = Array(SHA256.hash(data: key.x963))
    }

    /// Reveals nothing.
    package var description: String { "key ID" }
    /// The same as ``description``: a debugger's output ends up in logs too.
    package var debugDescription: String { description }
    /// Keeps `dump` and string interpolation of containers away from the bytes.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
