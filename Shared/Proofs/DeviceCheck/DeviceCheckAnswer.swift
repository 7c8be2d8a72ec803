import FoundationEssentials
import StrictJSON

/// What Apple's service means by an answer.
///
/// The documentation says what should come, and developers what comes: errors are plain text whose wording changes, and
/// a device without bits gets such a text with the status of success. So the text counts before the status, in any case
/// of its letters (Apple Developer Forums, thread 95888; catawiki/devicecheck-ruby).
package enum DeviceCheckAnswer: Hashable, Sendable {
    /// To a query: the device's bits.
    case bits(DeviceBits)
    /// To a query: the device is genuine, and nobody of this team ever set its bits.
    case neverSet
    /// To an update: the bits are set.
    case done
    /// The device's token isn't one, or none of this app, or too old.
    case badToken
    /// Our key, clock or message is wrong: it won't get better by itself, and isn't the device's fault.
    case ourFault
    /// Apple has no time for us, or said something that nobody understands.
    case tryLater

    /// Bytes of the longest body that is read. Apple's have less than 100.
    package static let longest = 4096

    /// Reads an answer.
    package init(to operation: DeviceCheckRequest.Operation, status: Int, body: [UInt8]) {
        guard body.count <= Self.longest else {
            self = .tryLater
            return
        }
        let text = String(decoding: body, as: UTF8.self).lowercased()
        let isQuery = operation == .query
        if isQuery, status == 200 || status == 400, Self.saysNeverSet(text) {
            self = .neverSet
            return
        }
        switch status {
        case 200 where isQuery: self = Self.bits(in: body).map { .bits($0) } ?? .tryLater
        case 200: self = text.allSatisfy(\.isWhitespace) ? .done : .tryLater
        // Only this names the device. A bare 400 may as well be about the clock, or the key.
        case 400 where text.contains("device token"): self = .badToken
        case 400, 401, 403, 404, 405, 413, 415: self = .ourFault
        default: self = .tryLater
        }
    }

    /// What Apple's text is about, in a word for the log; `none` if it isn't one of those that are known. The text itself may say anything.
    package static func subject(of body: [UInt8]) -> String {
        let text = String(decoding: body.prefix(longest), as: UTF8.self).lowercased()
        let subjects = [
            ("authorization", "authorization"), ("time stamp", "timestamp"), ("timestamp", "timestamp"),
            ("device token", "device_token"), ("bits", "bits"), ("payload", "payload"),
        ]
        return subjects.first { text.contains($0.0) }?.1 ?? "none"
    }

    /// "Bit State Not Found" in the documentation, "Failed to find bit state" in practice.
    private static func saysNeverSet(_ text: String) -> Bool {
        text.contains("bit state") && (text.contains("not found") || text.contains("failed to find"))
    }

    private struct Members: Decodable {
        let first: Bool
        let second: Bool
        let changed: String

        enum CodingKeys: String, CodingKey {
            case first = "bit0"
            case second = "bit1"
            case changed = "last_update_time"
        }
    }

    private static func bits(in body: [UInt8]) -> DeviceBits? {
        guard let read = try? StrictJSON.decode(Members.self, from: Data(body)),
            let month = DeviceBits.Month(read.changed)
        else { return nil }
        return DeviceBits(first: read.first, second: read.second, changed: month)
    }
}
