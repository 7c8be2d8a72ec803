import NIOCore
import NIOHTTP1

/// A request as a service receives it.
///
/// The body follows the header as it arrives, without a copy if that doesn't keep much more memory than the bytes take.
struct InnerRequest {
    /// For the decoder of replies, which has to know the method.
    let head: HTTPRequestHead
    /// The bytes, to be written one after the other.
    private(set) var pieces: [ByteBuffer]
    /// How many bytes the body has.
    private(set) var bodyLength = 0
    private let lengthIndex: Int

    /// Enough for a header and a short body.
    private static let capacity = 512
    /// A shorter piece is copied: kept by itself, it would take a multiple of its length.
    static let shortestKept = 4 << 10

    /// - Parameters:
    ///   - start: request line and fields, except for the body's length.
    ///   - bodyLimit: in bytes.
    init(_ head: HTTPRequestHead, _ start: String, bodyLimit: Int) {
        self.head = head
        var bytes = ByteBuffer()
        bytes.reserveCapacity(Self.capacity)
        bytes.writeString(start)
        bytes.writeStaticString("content-length: ")
        lengthIndex = bytes.writerIndex
        // Space may precede a field's value (RFC 9110, section 5.5), so the length is written over it once it is known.
        bytes.writeRepeatingByte(UInt8(ascii: " "), count: String(bodyLimit).utf8.count)
        bytes.writeStaticString("\r\n\r\n")
        pieces = [bytes]
    }

    /// Adds a piece of the body.
    mutating func append(_ piece: ByteBuffer) {
        bodyLength += piece.readableBytes
        // A slice keeps the whole buffer alive that was read.
        if piece.readableBytes >= max(Self.shortestKept, piece.storageCapacity / 2) {
            pieces.append(piece)
        } else {
            pieces[pieces.count - 1].writeImmutableBuffer(piece)
        }
    }

    /// The body is complete.
    mutating func end() {
        pieces[0].setString(String(bodyLength), at: lengthIndex)
    }
}
