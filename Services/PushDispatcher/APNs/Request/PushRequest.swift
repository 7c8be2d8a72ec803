import CNghttp2
import FoundationEssentials

/// The header of a push for libnghttp2: built once, and only token and id change from push to push.
///
/// The library copies the values; the names are static. Values that are unique to a push are never indexed: they would evict
/// everything else from the connection's table.
final class PushRequest {
    /// The values, one after the other.
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    private let fields: UnsafeMutableBufferPointer<nghttp2_nv>
    private let path: Int
    private let id: Int

    private static let pathField = 0
    /// After the pseudo-header fields, which must come first (RFC 9113, section 8.3).
    private static let idField = 4
    private static let idLength = 36

    /// - Parameters:
    ///   - authority: the service's host.
    ///   - authorization: the provider token; nil with a client certificate.
    ///   - expiration: in seconds since the epoch.
    init(authority: String, topic: String, collapseID: String, authorization: ProviderToken?, expiration: Int) {
        let prefix = "/3/device/"
        var values: [(name: StaticString, value: String, room: Int, flags: nghttp2_nv_flag)] = [
            (":path", prefix, prefix.utf8.count + PushToken.longest, NGHTTP2_NV_FLAG_NONE),
            (":method", "POST", 0, NGHTTP2_NV_FLAG_NONE),
            (":scheme", "https", 0, NGHTTP2_NV_FLAG_NONE),
            (":authority", authority, 0, NGHTTP2_NV_FLAG_NONE),
            ("apns-id", "", Self.idLength, NGHTTP2_NV_FLAG_NO_INDEX),
            ("apns-topic", topic, 0, NGHTTP2_NV_FLAG_NONE),
            ("apns-push-type", "background", 0, NGHTTP2_NV_FLAG_NONE),
            ("apns-priority", "5", 0, NGHTTP2_NV_FLAG_NONE),
            ("apns-expiration", String(expiration), 0, NGHTTP2_NV_FLAG_NONE),
            ("apns-collapse-id", collapseID, 0, NGHTTP2_NV_FLAG_NONE),
        ]
        if let authorization {
            values.append(("authorization", "bearer \(authorization.text)", 0, NGHTTP2_NV_FLAG_NO_INDEX))
        }
        let lengths = values.map { max($0.room, $0.value.utf8.count) }
        bytes = .allocate(capacity: lengths.reduce(0, +))
        bytes.initialize(repeating: 0)
        fields = .allocate(capacity: values.count)
        var offset = 0
        var offsets: [Int] = []
        for (number, field) in values.enumerated() {
            for (place, byte) in field.value.utf8.enumerated() { bytes[offset + place] = byte }
            fields.initializeElement(
                at: number,
                to: nghttp2_nv(
                    name: UnsafeMutablePointer(mutating: field.name.utf8Start),
                    value: bytes.baseAddress.map { $0 + offset }, namelen: field.name.utf8CodeUnitCount,
                    valuelen: field.value.utf8.count,
                    flags: UInt8(field.flags.rawValue | NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue)))
            offsets.append(offset)
            offset += lengths[number]
        }
        fields[Self.idField].valuelen = Self.idLength
        path = offsets[Self.pathField] + prefix.utf8.count
        id = offsets[Self.idField]
    }

    deinit {
        bytes.deallocate()
        fields.deallocate()
    }

    /// Passes the header of one push to the library, which copies it.
    func withFields<R>(of push: SilentPush, _ body: (UnsafeMutableBufferPointer<nghttp2_nv>) -> R) -> R {
        var end = path
        for byte in push.token.hex.utf8 {
            bytes[end] = byte
            end += 1
        }
        fields[Self.pathField].valuelen = end - path + 10
        writeID(push.id)
        return body(fields)
    }

    /// The canonical form, in lower case.
    private func writeID(_ uuid: UUID) {
        withUnsafeBytes(of: uuid.uuid) { octets in
            var place = id
            for (number, octet) in octets.enumerated() {
                if number == 4 || number == 6 || number == 8 || number == 10 {
                    bytes[place] = UInt8(ascii: "-")
                    place += 1
                }
                bytes[place] = Self.digit(octet >> 4)
                bytes[place + 1] = Self.digit(octet & 15)
                place += 2
            }
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
