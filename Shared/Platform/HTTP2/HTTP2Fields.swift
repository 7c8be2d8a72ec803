import CNghttp2
import HTTPMessage

extension HTTP2Session {
    /// Calls a function with fields as the library takes them, which copies them.
    ///
    /// - Parameters:
    ///   - unique: how many of the last lines may not enter HPACK's tables; without tables none does.
    ///   - leavesOutLength: whether `content-length` is left out.
    func withFields(
        _ pseudo: [(name: StaticString, value: String)], _ lines: FieldLines?,
        _ padding: (name: String, value: String)? = nil, unique: Int = 0, leavesOutLength: Bool = false,
        _ body: (UnsafeMutableBufferPointer<nghttp2_nv>) -> Int32
    ) -> Int32 {
        HTTP2Fields.with(
            pseudo, lines, padding, unique: limits.usesTables ? unique : .max, leavesOutLength: leavesOutLength, body)
    }
}

enum HTTP2Fields {
    static func with<R>(
        _ pseudo: [(name: StaticString, value: String)], _ lines: FieldLines?,
        _ padding: (name: String, value: String)?,
        unique: Int, leavesOutLength: Bool, _ body: (UnsafeMutableBufferPointer<nghttp2_nv>) -> R
    ) -> R {
        // The values of pseudo-fields and the padding, one behind the other.
        var extra: [UInt8] = []
        for field in pseudo { extra.append(contentsOf: field.value.utf8) }
        if let padding {
            extra.append(contentsOf: padding.name.utf8)
            extra.append(contentsOf: padding.value.utf8)
        }
        let never = UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue)
        let keepsName = UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue)
        let count = lines?.count ?? 0
        let firstUnique = unique > count ? 0 : count - unique
        let pseudoFlags = unique > count ? never : 0
        return extra.withUnsafeMutableBufferPointer { extra in
            withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: pseudo.count + count + 1) { room in
                var filled = 0
                var rest = extra.baseAddress
                func add(
                    _ name: UnsafeMutablePointer<UInt8>?, _ nameLength: Int, _ value: UnsafeMutablePointer<UInt8>?,
                    _ length: Int, _ flags: UInt8
                ) {
                    room.initializeElement(
                        at: filled,
                        to: nghttp2_nv(
                            name: name, value: value, namelen: nameLength, valuelen: length, flags: flags))
                    filled += 1
                }
                for field in pseudo {
                    let length = field.value.utf8.count
                    add(
                        UnsafeMutablePointer(mutating: field.name.utf8Start), field.name.utf8CodeUnitCount, rest,
                        length,
                        pseudoFlags | keepsName)
                    rest = rest.map { $0 + length }
                }
                lines?.bytes.withUnsafeBufferPointer { bytes in
                    let start = UnsafeMutablePointer(mutating: bytes.baseAddress)
                    for (index, line) in (lines?.lines ?? []).enumerated() {
                        let name = bytes.extracting(line.name).span
                        if isForbidden(name) || (leavesOutLength && name.isSame(as: "content-length")) { continue }
                        add(
                            start.map { $0 + line.name.lowerBound }, line.name.count,
                            start.map { $0 + line.value.lowerBound }, line.value.count,
                            index >= firstUnique ? never : 0)
                    }
                }
                if let padding {
                    let name = padding.name.utf8.count
                    add(rest, name, rest.map { $0 + name }, padding.value.utf8.count, never)
                }
                return body(UnsafeMutableBufferPointer(rebasing: room[..<filled]))
            }
        }
    }

    /// Whether a field is about the connection, which HTTP/2 has no use for (RFC 9113, section 8.2.2).
    private static func isForbidden(_ name: Span<UInt8>) -> Bool {
        switch name.count {
        case 7: name.isSame(as: "upgrade")
        case 10: name.isSame(as: "connection") || name.isSame(as: "keep-alive")
        case 16: name.isSame(as: "proxy-connection")
        case 17: name.isSame(as: "transfer-encoding")
        default: false
        }
    }
}
