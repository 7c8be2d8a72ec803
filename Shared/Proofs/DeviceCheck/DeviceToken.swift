import CompactJOSE

/// What Apple's system gives an app to name its device to Apple for a short time: opaque, in Base64.
package struct DeviceToken: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    /// As Apple gets it.
    package let text: String

    /// Characters, as cwa-ppa-server accepts them. Apple states none.
    package static let lengths = 2500...3500

    /// - Throws: ``DeviceCheckFlaw/syntax`` for other lengths, and for anything that isn't Base64 in its only form.
    package init(_ text: String) throws(DeviceCheckFlaw) {
        guard Self.lengths.contains(text.utf8.count), PaddedBase64.bytes(text) != nil else { throw .syntax }
        self.text = text
    }

    /// Reveals nothing.
    package var description: String { "device token" }
    /// The same as ``description``: a debugger's output ends up in logs too.
    package var debugDescription: String { description }
    /// Keeps `dump` and string interpolation of containers away from the token.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
