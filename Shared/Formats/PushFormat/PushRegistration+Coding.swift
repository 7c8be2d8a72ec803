package import FoundationEssentials
import SwiftProtobuf

/// Why a registration's body can't be read. It says nothing about the body's content.
package struct UnreadableRegistration: Error, Equatable {
    /// The only value.
    package init() {}
}

extension PushRegistration {
    /// The size in bytes of every registration that the reference phone sends.
    ///
    /// Without padding, the length would tell an observer a registration (106 bytes) from a deregistration (40 bytes).
    package static let paddedSize = 512

    /// The bytes of the padding's tag and length, for a padding of at least 128 bytes.
    private static let paddingHeader = 4

    /// Decodes a body. Unknown fields are dropped.
    package init(decoding body: Data) throws(UnreadableRegistration) {
        var options = BinaryDecodingOptions()
        options.discardUnknownFields = true
        // A registration has no nested messages.
        options.messageDepthLimit = 1
        do {
            try self.init(serializedBytes: body, options: options)
        } catch {
            throw UnreadableRegistration()
        }
    }

    /// The body as a phone sends it: ``paddedSize`` bytes, unless the content alone takes more than three quarters of them.
    ///
    /// No token and identifier of a phone are that long.
    package func padded() throws -> Data {
        var padded = self
        padded.requestPadding = Data()
        let missing = Self.paddedSize - Self.paddingHeader - (try padded.serializedBytes() as Data).count
        if missing >= 128 { padded.requestPadding = Data(repeating: 0, count: missing) }
        return try padded.serializedBytes()
    }
}
