import HTTPTypes
import Testing

/// Bytes that somebody has damaged: they never crash a parser, and never have two readings.
@Suite("Mutations")
struct MutationTests {
    /// What framing is made of.
    private static let words: [[UInt8]] = [
        "\r", "\n", "\r\n", "\r\n\r\n", " ", "\t", ":", ";", ",", "0", "8", "f", "\0", "\u{7F}", "ü", "close",
        "chunked",
        "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "Host: h\r\n", "0\r\n\r\n", "HTTP/1.0",
        "GET / HTTP/1.1\r\n",
    ].map { Array($0.utf8) }

    private static func mutate(_ bytes: [UInt8], _ dice: inout Dice) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &dice) {
            let place = Int.random(in: 0...bytes.count, using: &dice)
            let length = Int.random(in: 0...min(4, bytes.count - place), using: &dice)
            switch Int.random(in: 0..<4, using: &dice) {
            case 0: bytes.replaceSubrange(place..<place + length, with: words.randomElement(using: &dice) ?? [])
            case 1: bytes.insert(UInt8.random(in: 0...255, using: &dice), at: place)
            case 2: bytes.removeSubrange(place..<place + length)
            default: if place < bytes.count { bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &dice) }
            }
        }
        return bytes
    }

    @Test("damaged requests have one reading", arguments: 1...4)
    func requests(_ seed: UInt64) throws {
        var dice = Dice(state: seed)
        let originals = try CorpusCase.all().map(\.raw).filter { $0.count < 700 }
        for _ in 0..<1500 {
            let original = try #require(originals.randomElement(using: &dice))
            let bytes = Self.mutate(original, &dice)
            let whole = readRequests([bytes])
            let cut = Int.random(in: 0...bytes.count, using: &dice)
            #expect(whole == readRequests(single(bytes)))
            #expect(whole == readRequests([Array(bytes[..<cut]), Array(bytes[cut...])]))
        }
    }

    @Test("damaged answers have one reading", arguments: 1...4)
    func answers(_ seed: UInt64) throws {
        var dice = Dice(state: seed)
        let originals = [
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 204 No Content\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX: y\r\n\r\n",
            "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\nuntil the end",
            "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
        ].map { Array($0.utf8) }
        for _ in 0..<1500 {
            let original = try #require(originals.randomElement(using: &dice))
            let bytes = Self.mutate(original, &dice)
            let whole = readAnswers([bytes], to: [.get, .head, .get], ends: true)
            let cut = Int.random(in: 0...bytes.count, using: &dice)
            #expect(whole == readAnswers(single(bytes), to: [.get, .head, .get], ends: true))
            #expect(
                whole
                    == readAnswers([Array(bytes[..<cut]), Array(bytes[cut...])], to: [.get, .head, .get], ends: true))
        }
    }
}
