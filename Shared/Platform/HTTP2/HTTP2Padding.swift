import CNghttp2
import HTTPMessage
package import HTTPTypes

/// Makes every answer of a session the same length, with a field that its reader ignores.
///
/// It measures with an encoder of its own. One serves all sessions of a core.
package final class HTTP2Padding {
    /// The length of an answer: its HEADERS frame and one DATA frame, with their headers.
    package let length: Int
    private let name: String
    private let measure: OpaquePointer?
    /// The bytes of the name in HPACK.
    private var nameLength = 0
    private var room: [UInt8] = []
    private let filling: String

    private static let frameHead = 9
    /// HPACK writes a value's length in three bytes if it is at least this and below 16,512 (RFC 7541, section 5.1).
    private static let shortestOfThree = 255

    /// - Parameters:
    ///   - length: above 300 and below 16,384.
    ///   - name: the field's.
    /// - Throws: if there is no memory.
    package init(length: Int, name: HTTPField.Name) throws(HTTP2Failure) {
        self.length = length
        self.name = name.canonicalName
        // `X` takes eight bits in Huffman's code as well, so the library writes it as it is (RFC 7541, appendix B).
        filling = String(repeating: "X", count: length)
        var measure: OpaquePointer?
        let code = nghttp2_hd_deflate_new(&measure, 0)
        self.measure = measure
        guard code == 0 else { throw HTTP2Failure(.internalError, "no memory for an encoder") }
        room = [UInt8](repeating: 0, count: 2 * length + 1024)
        // The first block begins with an update of the table's size.
        _ = size(300, FieldLines(), nil)
        let without = size(300, FieldLines(), nil)
        let with = size(300, FieldLines(), field(300))
        nameLength = with - without - 303
    }

    deinit { nghttp2_hd_deflate_del(measure) }

    /// The field with a value of this length.
    func field(_ count: Int) -> (name: String, value: String) { (name, String(filling.prefix(count))) }

    /// How long the padding's value has to be; nil if the answer is too long for it.
    ///
    /// - Parameter body: nil if there is no DATA frame.
    func room(_ status: HTTPResponse.Status, _ fields: FieldLines, body: Int?, besides: Int) -> Int? {
        let block = size(status.code, fields, nil) + besides
        let data = body.map { Self.frameHead + $0 } ?? 0
        let rest = length - Self.frameHead - block - data - nameLength - 3
        return rest >= Self.shortestOfThree ? rest : nil
    }

    private func size(_ status: Int, _ fields: FieldLines, _ padding: (name: String, value: String)?) -> Int {
        HTTP2Fields.with(
            [(":status", String(status))], fields, padding, unique: .max, leavesOutLength: status == 204
        ) { lines in
            room.withUnsafeMutableBufferPointer {
                let count = nghttp2_hd_deflate_hd(measure, $0.baseAddress, $0.count, lines.baseAddress, lines.count)
                // Too long for the room is too long for the answer.
                return count < 0 ? Int(Int16.max) : count
            }
        }
    }
}
