import Calling
import HTTPTypes

/// A request as a service receives it.
///
/// The body follows the header as it arrives.
struct InnerRequest {
    private var method = HTTPRequest.Method.get
    /// The header and a short body.
    private var first: [UInt8] = []
    /// Further pieces of the body.
    private var others: [[UInt8]] = []
    /// How many bytes the body has.
    private(set) var bodyLength = 0
    private var lengthIndex = 0

    /// A longer piece is kept by itself: growing an array for it would copy what came before.
    static let shortestKept = 4 << 10
    /// Room for fields, their values, and the length.
    private static let room = 320

    /// No request.
    init() {}

    /// - Parameters:
    ///   - start: request line and the fields that are always the same.
    ///   - announced: how many bytes of a body are to come, if the caller has said so.
    init(_ method: HTTPRequest.Method, _ start: [UInt8], announced: Int) {
        self.method = method
        first.reserveCapacity(start.count + Self.room + (announced < Self.shortestKept ? announced : 0))
        first.append(contentsOf: start)
    }

    /// Adds a field.
    ///
    /// - Parameters:
    ///   - name: with what separates it from the value.
    ///   - value: without a byte that could end the field.
    mutating func append(_ name: [UInt8], _ value: ArraySlice<UInt8>) {
        first.append(contentsOf: name)
        first.append(contentsOf: value)
        first.append(contentsOf: Self.lineEnd)
    }

    /// Ends the header.
    ///
    /// - Parameter bodyLimit: how many bytes the body may have.
    mutating func endHeader(bodyLimit: Int) {
        first.append(contentsOf: Self.length)
        lengthIndex = first.count
        // Space may follow a field's value (RFC 9110, section 5.5), so the length is written over it once it is known.
        var rest = bodyLimit
        repeat {
            first.append(UInt8(ascii: " "))
            rest /= 10
        } while rest > 0
        first.append(contentsOf: Self.headerEnd)
    }

    private static let length = Array("content-length: ".utf8)
    private static let lineEnd = Array("\r\n".utf8)
    private static let headerEnd = Array("\r\n\r\n".utf8)

    /// Adds a piece of the body.
    mutating func append(_ piece: Span<UInt8>) {
        bodyLength += piece.count
        piece.withUnsafeBufferPointer { piece in
            if piece.count >= Self.shortestKept {
                others.append(Array(piece))
            } else if others.isEmpty {
                first.append(contentsOf: piece)
            } else {
                others[others.count - 1].append(contentsOf: piece)
            }
        }
    }

    /// The bytes to send, now that the body is complete.
    consuming func encoded() -> EncodedRequest {
        var rest = bodyLength
        var digits = 1
        while rest >= 10 {
            rest /= 10
            digits += 1
        }
        rest = bodyLength
        for index in (lengthIndex..<lengthIndex + digits).reversed() {
            first[index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
        var pieces = [first[...]]
        for piece in others { pieces.append(piece[...]) }
        return EncodedRequest(method: method, pieces: pieces)
    }
}
