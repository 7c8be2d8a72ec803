import CNghttp2

/// HTTP/2 frame by frame, to send what a library refuses to send.
struct Frame {
    var type: UInt8
    var flags: UInt8 = 0
    var stream: Int32 = 0
    var payload: [UInt8] = []
    /// What the head says, if it lies.
    var length: Int?

    static let data: UInt8 = 0
    static let headers: UInt8 = 1
    static let priority: UInt8 = 2
    static let reset: UInt8 = 3
    static let settings: UInt8 = 4
    static let promise: UInt8 = 5
    static let ping: UInt8 = 6
    static let goAway: UInt8 = 7
    static let window: UInt8 = 8
    static let continuation: UInt8 = 9

    static let endStream: UInt8 = 1
    static let acknowledgement: UInt8 = 1
    static let endHeaders: UInt8 = 4
    static let padded: UInt8 = 8
    static let withPriority: UInt8 = 32

    var bytes: [UInt8] {
        let size = UInt32(length ?? payload.count)
        return Array(size.big.dropFirst()) + [type, flags] + UInt32(bitPattern: stream).big + payload
    }

    /// The code of RST_STREAM and GOAWAY.
    var code: UInt32 { number(at: type == Self.goAway ? 4 : 0) }

    func number(at start: Int) -> UInt32 { payload[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) } }

    var endsStream: Bool { type <= 1 && flags & Self.endStream != 0 }

    /// The frames in bytes that hold whole ones.
    static func all(in bytes: [UInt8]) -> [Frame] {
        var frames: [Frame] = []
        var start = 0
        while start + 9 <= bytes.count {
            let length = bytes[start..<start + 3].reduce(0) { $0 << 8 | Int($1) }
            let stream = bytes[start + 5..<start + 9].reduce(0) { $0 << 8 | UInt32($1) }
            let end = start + 9 + length
            frames.append(
                Frame(
                    type: bytes[start + 3], flags: bytes[start + 4], stream: Int32(stream),
                    payload: Array(bytes[start + 9..<end])))
            start = end
        }
        return frames
    }
}

extension UInt32 {
    var big: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> (24 - 8 * $0)) } }
}

let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

typealias Pairs = [(String, String)]

/// A header block without the tables: any bytes can stand in it, and it depends on nothing before.
func block(_ fields: Pairs) -> [UInt8] {
    func integer(_ value: Int) -> [UInt8] {
        guard value >= 127 else { return [UInt8(value)] }
        var rest = value - 127
        var bytes: [UInt8] = [127]
        while rest >= 128 {
            bytes.append(UInt8(rest & 127 | 128))
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }
    return fields.flatMap { name, value in
        [0] + integer(name.utf8.count) + name.utf8 + integer(value.utf8.count) + value.utf8
    }
}

func headers(_ stream: Int32, _ fields: Pairs, end: Bool = false) -> [UInt8] {
    Frame(
        type: Frame.headers, flags: Frame.endHeaders | (end ? Frame.endStream : 0), stream: stream,
        payload: block(fields)
    ).bytes
}

func data(_ stream: Int32, _ bytes: [UInt8], end: Bool = true) -> [UInt8] {
    Frame(type: Frame.data, flags: end ? Frame.endStream : 0, stream: stream, payload: bytes).bytes
}

func data(_ stream: Int32, _ text: String, end: Bool = true) -> [UInt8] { data(stream, Array(text.utf8), end: end) }

func settings(_ values: (UInt16, UInt32)...) -> [UInt8] {
    let payload = values.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 255)] + $0.1.big }
    return Frame(type: Frame.settings, payload: payload).bytes
}

func window(_ stream: Int32, _ increment: UInt32) -> [UInt8] {
    Frame(type: Frame.window, stream: stream, payload: increment.big).bytes
}

func reset(_ stream: Int32, _ code: UInt32 = 8) -> [UInt8] {
    Frame(type: Frame.reset, stream: stream, payload: code.big).bytes
}

/// The fields of a well-formed request, with changes.
func request(_ more: (String, String)..., without: [String] = [], changes: [String: String] = [:]) -> Pairs {
    let fields: Pairs = [
        (":method", "POST"), (":scheme", "https"), (":authority", "localhost"), (":path", "/version/v1/tan"),
        ("content-type", "application/json"),
    ]
    return fields.filter { !without.contains($0.0) }.map { ($0.0, changes[$0.0] ?? $0.1) } + more
}

/// Reads header blocks of a whole connection.
final class Decoder {
    private var inflater: OpaquePointer?

    init() { nghttp2_hd_inflate_new(&inflater) }
    deinit { nghttp2_hd_inflate_del(inflater) }

    func fields(_ block: [UInt8]) -> Pairs {
        var fields: Pairs = []
        block.withUnsafeBufferPointer { block in
            var start = 0
            while true {
                var field = nghttp2_nv()
                var flags: Int32 = 0
                let count = nghttp2_hd_inflate_hd2(
                    inflater, &field, &flags, block.baseAddress.map { $0 + start }, block.count - start, 1)
                guard count >= 0 else { return }
                start += count
                if flags & 2 != 0 {
                    fields.append(
                        (
                            String(
                                decoding: UnsafeBufferPointer(start: field.name, count: field.namelen), as: UTF8.self),
                            String(
                                decoding: UnsafeBufferPointer(start: field.value, count: field.valuelen), as: UTF8.self)
                        ))
                }
                if flags & 1 != 0 {
                    nghttp2_hd_inflate_end_headers(inflater)
                    return
                }
                if flags & 2 == 0, count == 0 { return }
            }
        }
        return fields
    }
}
