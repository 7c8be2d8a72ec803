import Crypto
import FoundationEssentials
package import HTTPContract

/// A file that pages load, such as a style sheet. Its path changes with its content, so browsers may keep it forever.
package struct Asset: Sendable {
    /// The content.
    package let bytes: [UInt8]
    /// Its media type.
    package let type: MediaType
    /// The path on this host: `/assets/NAME-DIGEST.SUFFIX`.
    package let location: Location
    /// The content's digest, for the attribute `integrity` (Subresource Integrity, section 3.3.1).
    package let integrity: String

    /// - Parameters:
    ///   - name: lower-case letters, digits and hyphens.
    ///   - suffix: the same.
    package init(_ name: StaticString, _ suffix: StaticString, type: MediaType, bytes: [UInt8]) throws(MalformedMessage)
    {
        let digest = Array(SHA256.hash(data: bytes))
        self.bytes = bytes
        self.type = type
        integrity = "sha256-" + Data(digest).base64EncodedString()
        let version = digest.prefix(8).map { String($0, radix: 16) }.joined()
        location = try Location(path: "/assets/\(name)-\(version).\(suffix)")
    }
}
