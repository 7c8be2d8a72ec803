import Glibc
import HTTP1
import HTTPMessage
import HTTPTypes

/// Says how the parsers of servers and clients read bytes, for `Tests/Live/proof.sh reading`.
///
/// Standard input has one input after another: a letter, the length in four bytes, the bytes. Standard output has an answer to
/// each, with its length in four bytes before it. The letter says what the bytes are; a dot alone has the answers sent.
///
/// - `R`: a connection's requests;
/// - `G` or `H`: the answer to a GET or HEAD, and the end of the connection;
/// - `W`: requests, of which the answer has those that are complete as our encoders write them.
///
/// A reading is lines: `open`, `closed` or `refused STATUS REASON`; then one for each message, whose parts stand between tabs.
@main
struct HTTP1Reader {
    /// As a server's listener has it unless it says otherwise.
    private static let headBytes = 16 << 10

    static func main() {
        guard let input = fdopen(STDIN_FILENO, "r"), let output = fdopen(STDOUT_FILENO, "w") else { exit(1) }
        while let kind = bytes(1, of: input)?.first {
            if kind == UInt8(ascii: ".") {
                fflush(output)
                continue
            }
            guard let length = bytes(4, of: input), let bytes = bytes(length.reduce(0) { $0 << 8 | Int($1) }, of: input)
            else { exit(1) }
            let answer =
                switch kind {
                case UInt8(ascii: "R"): Array(requests(bytes).text.utf8)
                case UInt8(ascii: "G"): Array(answer(bytes, to: .get).text.utf8)
                case UInt8(ascii: "H"): Array(answer(bytes, to: .head).text.utf8)
                case UInt8(ascii: "W"): written(bytes)
                default: exit(2)
                }
            let framed = framed(answer)
            guard fwrite(framed, 1, framed.count, output) == framed.count else { exit(1) }
        }
        fflush(output)
    }

    /// The next bytes; nil at the end.
    private static func bytes(_ count: Int, of file: UnsafeMutablePointer<FILE>) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, read in
            read = buffer.baseAddress.map { fread($0, 1, count, file) } ?? 0
        }
        return bytes.count == count ? bytes : nil
    }

    /// The bytes with their length in four bytes before them.
    private static func framed(_ bytes: [UInt8]) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: bytes.count >> (24 - 8 * $0)) } + bytes
    }

    private static func requests(_ input: [UInt8]) -> Reading<RequestHead> {
        var parser = RequestParser(headBytes: headBytes)
        var reading = Reading<RequestHead>()
        var position = 0
        do throws(Violation) {
            while let part = try parser.next(input.span, &position) {
                switch part {
                case .head(let head): reading.messages.append(Message(head: head))
                case .body(let range): reading.take(input[range])
                case .end: reading.end(at: position)
                }
            }
        } catch {
            reading.violation = error
        }
        return reading
    }

    private static func answer(_ input: [UInt8], to method: HTTPRequest.Method) -> Reading<ResponseHead> {
        var parser = ResponseParser(headBytes: headBytes)
        var reading = Reading<ResponseHead>()
        var position = 0
        func take(_ part: ResponseParser.Part) {
            switch part {
            case .head(let head): reading.messages.append(Message(head: head))
            case .body(let range): reading.take(input[range])
            case .end: reading.end(at: position)
            }
        }
        parser.expect(method)
        do throws(Violation) {
            while let part = try parser.next(input.span, &position) { take(part) }
            if let part = try parser.inputEnded() { take(part) }
        } catch {
            reading.violation = error
        }
        return reading
    }

    /// The complete requests among the bytes, written as our clients write them, each with its length in four bytes before it.
    private static func written(_ input: [UInt8]) -> [UInt8] {
        var all: [UInt8] = []
        for message in requests(input).messages where message.end != nil {
            var head = message.head
            // A request of HTTP/1.0 may lack a host; a client of ours always has one.
            if head.authority == nil { head.authority = "none" }
            var bytes: [UInt8] = []
            do throws(Violation) { try RequestEncoder.encode(head, into: &bytes) } catch { continue }
            if head.framing == .chunked {
                ChunkEncoder.encode(message.body.span, into: &bytes)
                ChunkEncoder.end(into: &bytes)
            } else {
                bytes += message.body
            }
            all += framed(bytes)
        }
        return all
    }
}

/// A message with what belongs to it.
struct Message<Head> {
    let head: Head
    var body: [UInt8] = []
    /// Behind its last byte; nil if it isn't complete.
    var end: Int?
}

/// What a parser understood.
struct Reading<Head> {
    var messages: [Message<Head>] = []
    var violation: Violation?

    mutating func take(_ bytes: ArraySlice<UInt8>) { messages[messages.count - 1].body += bytes }
    mutating func end(at position: Int) { messages[messages.count - 1].end = position }

    fileprivate func text(_ line: (Head) -> String, isClosed: Bool) -> String {
        var text = violation.map { "refused \($0.status) \($0.reason)" } ?? (isClosed ? "closed" : "open")
        for message in messages {
            text += "\n\(line(message.head))\t\(message.end.map(String.init) ?? "-")\t"
            for byte in message.body { text += byte < 16 ? "0" + String(byte, radix: 16) : String(byte, radix: 16) }
        }
        return text
    }
}

extension Reading<RequestHead> {
    var text: String {
        text(
            { "\($0.method)\t\($0.target)\t\($0.authority ?? "")\t\($0.version)\t\($0.framing)" },
            isClosed: messages.last.map { !$0.head.keepsAlive && $0.end != nil } ?? false)
    }
}

extension Reading<ResponseHead> {
    var text: String {
        text(
            { "\($0.status.code)\t\($0.version)\t\($0.framing)" },
            isClosed: messages.last.map { !$0.head.keepsAlive && $0.end != nil } ?? false)
    }
}
