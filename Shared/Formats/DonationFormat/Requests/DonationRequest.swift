import FoundationEssentials
import SwiftProtobuf

/// A request to data-donation: evidence that the app is genuine, and what it covers (cwa-ppa-server, `internal/ppdd/*_request_*.proto`).
///
/// The payload's bytes are kept as they were sent, because evidence covers them. All operations of both systems have this form.
package struct DonationRequest: Hashable, Sendable {
    /// An ``IOSEvidence`` or an ``AndroidEvidence``.
    package let authentication: [UInt8]
    /// A ``OneTimePassword`` or an ``AnalyticsData``.
    package let payload: [UInt8]

    /// A request from its parts.
    package init(authentication: [UInt8], payload: [UInt8]) {
        self.authentication = authentication
        self.payload = payload
    }

    /// Reads a body. The padding is dropped.
    /// - Parameter limit: of the body, in bytes.
    package init(decoding body: [UInt8], limit: Int) throws(DonationFlaw) {
        guard body.count <= limit else { throw .tooLarge }
        let message: WireDonationRequest = try .read(body, depth: 1)
        self.init(authentication: Array(message.authentication), payload: Array(message.payload))
    }

    /// The body that a phone sends.
    /// - Parameter length: of the body, in bytes: it is the same for all requests of a route.
    /// - Throws: ``DonationFlaw/tooLarge`` if the parts leave no room for the padding.
    package func encoded(length: Int) throws(DonationFlaw) -> [UInt8] {
        let message = WireDonationRequest.with {
            $0.authentication = Data(authentication)
            $0.payload = Data(payload)
        }
        return try message.written().padded(to: length, field: 3)
    }
}

/// What is wrong with a request, before anybody looks at the evidence.
package enum DonationFlaw: String, Error, Hashable, Sendable, CaseIterable {
    /// It has more bytes than the route takes.
    case tooLarge
    /// It isn't the message that the route takes.
    case unreadable
    /// A part of the evidence that every request has is missing, or far too long.
    case evidence
    /// The one-time password isn't a UUID.
    case password
    /// The Android id doesn't have 8 to 16 bytes.
    case androidID
    /// The analytics data break a rule of ``AnalyticsData``.
    case data
}

// MARK: Wire

extension Message {
    /// Reads a message that nests so deep.
    static func read(_ bytes: [UInt8], depth: Int) throws(DonationFlaw) -> Self {
        var options = BinaryDecodingOptions()
        options.messageDepthLimit = depth
        do {
            return try Self(serializedBytes: bytes, options: options)
        } catch {
            throw .unreadable
        }
    }

    /// Its bytes. Of these messages only one larger than the format's 2 GiB could fail.
    func written() throws(DonationFlaw) -> [UInt8] {
        do {
            return try serializedBytes()
        } catch {
            throw .tooLarge
        }
    }
}

extension [UInt8] {
    /// Adds a field of zero bytes, so that a message has a length.
    ///
    /// The field's own length always takes three bytes: with the fewest possible, some lengths couldn't be reached.
    fileprivate func padded(to length: Int, field: UInt8) throws(DonationFlaw) -> [UInt8] {
        let padding = length - count - 4
        guard padding >= 0, padding < 1 << 21 else { throw .tooLarge }
        let size = [UInt8(padding & 0x7f) | 0x80, UInt8(padding >> 7 & 0x7f) | 0x80, UInt8(padding >> 14)]
        return self + [field << 3 | 2] + size + [UInt8](repeating: 0, count: padding)
    }
}
