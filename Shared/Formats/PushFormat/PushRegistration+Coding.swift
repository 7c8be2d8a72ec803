package import FoundationEssentials
import SwiftProtobuf

/// Why a registration's body can't be read. It says nothing about the body's content.
package struct UnreadableRegistration: Error, Equatable {
    /// The one value there is.
    package init() {}
}

extension PushRegistration {
    /// Bytes of every registration that the reference phone sends, whatever it says: the wire's own lengths tell an observer
    /// which is a registration (106 bytes) and which takes one back (40 bytes).
    package static let paddedSize = 512

    /// Tag and length of a padding of at least 128 bytes.
    private static let paddingHeader = 4

    /// Decodes a body. Unknown fields are dropped.
    package init(decoding body: Data) throws(UnreadableRegistration) {
        var options = BinaryDecodingOptions()
        options.discardUnknownFields = true
        // Nothing is nested in a registration.
        options.messageDepthLimit = 1
        do {
            try self.init(serializedBytes: body, options: options)
        } catch {
            throw UnreadableRegistration()
        }
    }

    /// The body as a phone sends it: ``paddedSize`` bytes, unless what it says alone takes more than three quarters of them,
    /// which no token and identifier of a phone do.
    package func padded() throws -> Data {
        var padded = self
        padded.requestPadding = Data()
        let missing = Self.paddedSize - Self.paddingHeader - (try padded.serializedBytes() as Data).count
        if missing >= 128 { padded.requestPadding = Data(repeating: 0, count: missing) }
        return try padded.serializedBytes()
    }
}
