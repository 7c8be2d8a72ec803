import FoundationEssentials
import HTTP1
import HTTP2
import HTTPContract
import HTTPMessage
import HTTPTypes
import Loop
import Running
import Testing

import class TestSupport.ManualClock

@testable import MetadataProxy
@testable import Serving

@Suite struct AnswerLengthTests {
    /// An answer of any status, with or without fields and body.
    private static func answer(_ random: inout some RandomNumberGenerator) -> ServerAnswer {
        let statuses: [HTTPResponse.Status] = [
            .ok, .created, .badRequest, .forbidden, .notFound, .methodNotAllowed, .requestTimeout, .contentTooLarge,
            .unsupportedMediaType, .tooManyRequests, .internalServerError, .serviceUnavailable,
        ]
        var answer = ServerAnswer.refusal(statuses.randomElement(using: &random) ?? .ok)
        if Bool.random(using: &random) {
            answer.fields.append(.filteredCheckIns, "\(Int.random(in: 0...99, using: &random))")
        }
        if Bool.random(using: &random) { answer.fields.append(.contentType, "application/json") }
        if Bool.random(using: &random) { answer.fields.append(.allow, "POST") }
        let letters = (0..<Int.random(in: 0...350, using: &random)).map { _ in
            UInt8.random(in: 32...126, using: &random)
        }
        answer.body = ResponseBody(letters)
        return answer
    }

    private let clock = ManualClock(Date(timeIntervalSince1970: 1_779_796_800))

    /// The clock advances between answers: the digits of the date take 5 or 6 bits in the Huffman code.
    private func stage(http2: Bool) throws -> CoreStage {
        try CoreStage(clock: clock.clock, http2: http2) { $0.unreadRefusals = .max }
    }

    @Test("every answer on HTTP/1.1 takes 1,024 bytes and keeps its content")
    func http1() throws {
        var random = SystemRandomNumberGenerator()
        let stage = try stage(http2: false)
        var parser = ResponseParser(headBytes: 1024)
        for _ in 0..<500 {
            clock.advance(by: 6.7)
            let answer = Self.answer(&random)
            stage.server.admitted = []
            let closes = Int.random(in: 0..<20) == 0
            stage.send(
                closes ? CoreStage.post().replacing("Host:", with: "Connection: close\r\nHost:") : CoreStage.post())
            let exchange = try #require(stage.server.admitted.first)
            exchange.settle(answer)
            stage.wait(.milliseconds(250))
            let bytes = stage.client.take()
            #expect(bytes.count == 1024)
            parser.expect(.post)
            let (head, body) = try Self.parsed(bytes, &parser)
            #expect(head.status == answer.status)
            #expect(body == Array(answer.body.bytes))
            #expect(head.keepsAlive == !closes)
            answer.fields.forEach { name, value in
                #expect(HTTPField.Name(name).map { head.fields.values($0) } == [value])
            }
            if closes {
                parser = ResponseParser(headBytes: 1024)
                stage.connect()
            }
        }
    }

    @Test("every answer on HTTP/2 takes 1,024 bytes in its two frames")
    func http2() throws {
        var random = SystemRandomNumberGenerator()
        let stage = try stage(http2: true)
        let client = try HTTP2Client(stage)
        // One connection for all answers: what one leaves in a table would shorten the next.
        for _ in 0..<500 {
            clock.advance(by: 6.7)
            let answer = Self.answer(&random)
            stage.server.admitted = []
            let stream = try client.submit()
            client.flush()
            try #require(stage.server.admitted.first).settle(answer)
            stage.wait(.milliseconds(250))
            #expect(client.takeLengths() == [stream: 1024])
            let head = try #require(client.heads[stream])
            #expect(head.status == answer.status)
            #expect(client.bodies[stream, default: []] == Array(answer.body.bytes))
            answer.fields.forEach { name, value in
                #expect(HTTPField.Name(name).map { head.fields.values($0) } == [value])
            }
        }
    }

    @Test("an answer that is too long is a 503 of the same length, and counted", arguments: [false, true])
    func tooLong(http2: Bool) throws {
        let stage = try stage(http2: http2)
        let client = http2 ? try HTTP2Client(stage) : nil
        if let client {
            try client.submit()
            client.flush()
        } else {
            stage.send(CoreStage.post())
        }
        try #require(stage.server.admitted.first)
            .received(.success(reply(.created, String(repeating: "a", count: 1000))))
        stage.wait(.milliseconds(250))
        if let client {
            #expect(client.heads.values.map(\.status.code) == [503])
            #expect(client.takeLengths().values.allSatisfy { $0 == 1024 })
        } else {
            #expect(stage.client.statuses == [503])
            #expect(stage.client.bytes.count == 1024)
        }
        #expect(stage.metrics.text.contains(#"answers_too_long_total{route="/version/v1/tan"} 1"#))
    }

    @Test(
        "refusals have the same length, whatever the method",
        arguments: ["GET", "HEAD", "POST", "DELETE"], ["/x", "/version/v1/tan"])
    func refusals(method: String, path: String) throws {
        let stage = try stage(http2: false)
        stage.send("\(method) \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
        #expect(stage.client.bytes.count == 1024)
        let other = try self.stage(http2: true)
        let client = try HTTP2Client(other)
        let stream = try client.submit(path, method: try #require(HTTPRequest.Method(method)), media: "x/y", body: nil)
        client.flush()
        #expect(client.takeLengths() == [stream: 1024])
    }

    private static func parsed(_ bytes: [UInt8], _ parser: inout ResponseParser) throws -> (ResponseHead, [UInt8]) {
        var position = 0
        var head: ResponseHead?
        var body: [UInt8] = []
        while let part = try parser.next(bytes.span, &position) {
            switch part {
            case .head(let read): head = read
            case .body(let range): body += bytes[range]
            case .end: return (try #require(head), body)
            }
        }
        throw NotAnAnswer()
    }

    private struct NotAnAnswer: Error {}
}
