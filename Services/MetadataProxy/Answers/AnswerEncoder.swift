import NIOCore
import NIOHPACK
import NIOHTTP1
import Running

/// Encodes every answer to the same length, whatever it says: ``length`` bytes on the wire.
///
/// An observer who sees only TLS records can't tell a registration from a result or a TAN, accepted from refused, a real
/// request from a dummy request. The padding is a header field that apps ignore, as they ignore any they don't know. One
/// encoder serves one event loop.
struct AnswerEncoder {
    /// Status line, fields and body on HTTP/1.1; the HEADERS and DATA frames on HTTP/2.
    ///
    /// The longest answer of the contract, a result with a laboratory's id of 64 characters, takes less than half of it.
    static let length = 1024

    private static let paddingName = "cwa-header-padding"
    private static let frameHeader = 9
    /// `X` takes 8 bits in HPACK's Huffman code as well (RFC 7541, appendix B).
    private static let padding = ByteBuffer(repeating: UInt8(ascii: "X"), count: length)
    /// HPACK encodes a value's length in 3 bytes if it is at least this and below 16,512 (RFC 7541, section 5.1).
    private static let shortestOfThree = 255

    private let date: HTTPDate
    private var measure = HPACKEncoder(allocator: ByteBufferAllocator(), maxDynamicTableSize: 0)
    private var scratch = ByteBuffer()
    /// The bytes of the padding's name in HPACK.
    private let paddingNameLength: Int

    init(date: HTTPDate) throws {
        self.date = date
        var name = ByteBuffer()
        var encoder = measure
        var headers = HPACKHeaders()
        headers.add(
            name: Self.paddingName, value: Self.padding.getString(at: 0, length: 300) ?? "", indexing: .nonIndexable)
        try encoder.encode(headers: headers, to: &name)
        paddingNameLength = name.readableBytes - 303
    }

    /// An answer on HTTP/1.1.
    ///
    /// - Parameter closes: whether the connection ends after it.
    /// - Returns: nil if it is too long.
    func http1(_ answer: Answer, closes: Bool) -> ByteBuffer? {
        var bytes = ByteBuffer()
        bytes.reserveCapacity(Self.length)
        bytes.writeStaticString("HTTP/1.1 ")
        bytes.writeString(String(answer.status))
        bytes.writeStaticString(" ")
        bytes.writeString(HTTPResponseStatus(statusCode: answer.status).reasonPhrase)
        bytes.writeStaticString("\r\ndate: ")
        bytes.writeString(date.text)
        bytes.writeStaticString("\r\ncache-control: no-store\r\ncontent-length: ")
        bytes.writeString(String(answer.body.readableBytes))
        for field in answer.fields {
            bytes.writeStaticString("\r\n")
            bytes.writeString(field.name)
            bytes.writeStaticString(": ")
            bytes.writeString(field.value)
        }
        if closes { bytes.writeStaticString("\r\nconnection: close") }
        bytes.writeStaticString("\r\ncwa-header-padding: ")
        let rest = Self.length - bytes.readableBytes - 4 - answer.body.readableBytes
        guard rest >= 0 else { return nil }
        bytes.writeImmutableBuffer(Self.padding.getSlice(at: 0, length: rest) ?? Self.padding)
        bytes.writeStaticString("\r\n\r\n")
        bytes.writeImmutableBuffer(answer.body)
        return bytes
    }

    /// The fields of an answer on HTTP/2; its body follows in one DATA frame, even if it is empty.
    ///
    /// No field enters HPACK's dynamic table: it would make the second answer of a connection shorter than the first.
    ///
    /// - Returns: nil if the answer is too long.
    mutating func http2(_ answer: Answer) throws -> HPACKHeaders? {
        var headers = HPACKHeaders()
        headers.reserveCapacity(answer.fields.count + 5)
        func add(_ name: String, _ value: String) { headers.add(name: name, value: value, indexing: .nonIndexable) }
        add(":status", String(answer.status))
        add("date", date.text)
        add("cache-control", "no-store")
        add("content-length", String(answer.body.readableBytes))
        for field in answer.fields { add(field.name, field.value) }
        scratch.clear()
        try measure.encode(headers: headers, to: &scratch)
        let value =
            Self.length - 2 * Self.frameHeader - scratch.readableBytes - answer.body.readableBytes
            - paddingNameLength - 3
        guard value >= Self.shortestOfThree else { return nil }
        add(Self.paddingName, Self.padding.getString(at: 0, length: value) ?? "")
        return headers
    }
}
