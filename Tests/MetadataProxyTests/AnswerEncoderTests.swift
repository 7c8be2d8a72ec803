import FoundationEssentials
import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP1
import Running
import Testing

import class TestSupport.ManualClock

@testable import MetadataProxy

@Suite struct AnswerEncoderTests {
    /// An answer of any status, with or without fields and body. The clock advances between answers: the digits of the date
    /// take 5 or 6 bits in the Huffman code.
    private static func answers(_ random: inout some RandomNumberGenerator) -> Answer {
        let status =
            [200, 201, 400, 403, 404, 405, 408, 413, 415, 429, 431, 500, 503].randomElement(using: &random) ?? 200
        var answer = Answer(status: status)
        if Bool.random(using: &random) {
            answer.fields.append(("cwa-filtered-checkins", "\(Int.random(in: 0...99, using: &random))"))
        }
        if Bool.random(using: &random) { answer.fields.append(("content-type", "application/json")) }
        if Bool.random(using: &random) { answer.fields.append(("retry-after", "5")) }
        let letters = (0..<Int.random(in: 0...350, using: &random)).map { _ in
            UInt8.random(in: 32...126, using: &random)
        }
        answer.body = ByteBuffer(bytes: letters)
        return answer
    }

    @Test("every answer on HTTP/1.1 takes 1,024 bytes and keeps its content")
    func http1() throws {
        var random = SystemRandomNumberGenerator()
        let clock = ManualClock(Date(timeIntervalSince1970: 1_779_796_800))
        let encoder = try AnswerEncoder(date: HTTPDate(clock: clock.clock))
        for _ in 0..<500 {
            clock.advance(by: 6.7)
            let answer = Self.answers(&random)
            let closes = Bool.random()
            let bytes = try #require(encoder.http1(answer, closes: closes))
            #expect(bytes.readableBytes == 1024)
            let (head, body) = try Self.parsed(bytes)
            #expect(Int(head.status.code) == answer.status)
            #expect(body == answer.body)
            #expect(head.isKeepAlive == !closes)
            for field in answer.fields { #expect(head.headers[field.name] == [field.value]) }
        }
    }

    @Test("every answer on HTTP/2 takes 1,024 bytes in its two frames")
    func http2() throws {
        var random = SystemRandomNumberGenerator()
        let clock = ManualClock(Date(timeIntervalSince1970: 1_779_796_800))
        var encoder = try AnswerEncoder(date: HTTPDate(clock: clock.clock))
        // One for all answers, as on a connection: what one leaves in its table would shorten the next.
        var connection = HPACKEncoder(allocator: ByteBufferAllocator())
        for _ in 0..<500 {
            clock.advance(by: 6.7)
            let answer = Self.answers(&random)
            let headers = try #require(try encoder.http2(answer))
            var block = ByteBuffer()
            try connection.encode(headers: headers, to: &block)
            #expect(9 + block.readableBytes + 9 + answer.body.readableBytes == 1024)
            #expect(headers[":status"] == [String(answer.status)])
            for field in answer.fields { #expect(headers[field.name] == [field.value]) }
        }
        #expect(connection.dynamicTableSize == 0)
    }

    @Test("an answer that is too long is not encoded")
    func tooLong() throws {
        var encoder = try AnswerEncoder(date: HTTPDate(clock: .system))
        let answer = Answer(status: 200, body: ByteBuffer(repeating: 0x61, count: 1000))
        let http1 = encoder.http1(answer, closes: false)
        #expect(http1 == nil)
        let http2 = try encoder.http2(answer)
        #expect(http2 == nil)
    }

    private static func parsed(_ bytes: ByteBuffer) throws -> (HTTPResponseHead, ByteBuffer) {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(HTTPRequestEncoder())
        try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(HTTPResponseDecoder()))
        let request = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/")
        try channel.writeOutbound(HTTPClientRequestPart.head(request))
        try channel.writeInbound(bytes)
        let first = try channel.readInbound(as: HTTPClientResponsePart.self)
        guard case .head(let head) = first else { throw NotAnAnswer() }
        var body = ByteBuffer()
        while let part = try channel.readInbound(as: HTTPClientResponsePart.self) {
            switch part {
            case .body(let bytes): body.writeImmutableBuffer(bytes)
            case .end: return (head, body)
            case .head: throw NotAnAnswer()
            }
        }
        throw NotAnAnswer()
    }

    private struct NotAnAnswer: Error {}
}
