import DonationAPI
import HTTPContract
import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP1
import Running
import Testing
import VerificationAPI

@testable import MetadataProxy

/// What of a service's reply reaches a caller.
@Suite struct AnswerTests {
    private static let codesOnIOS = DonationAPI.codesOnIOS.map(\.rawValue).sorted()
    private static let codesOnAndroid = DonationAPI.codesOnAndroid.map(\.rawValue).sorted()
    private static let statuses: [HTTPResponseStatus] = [.badRequest, .unauthorized, .forbidden, .tooManyRequests]

    private static func reply(_ status: HTTPResponseStatus, _ body: String) -> UpstreamReply {
        UpstreamReply(head: HTTPResponseHead(version: .http1_1, status: status), body: ByteBuffer(string: body))
    }

    private static func body(_ code: String) -> String { #"{"errorCode":"\#(code)"}"# }

    private static func contentType(_ answer: Answer) -> [String] {
        answer.fields.filter { $0.name == "content-type" }.map(\.value)
    }

    @Test("the code of a refusal passes on the routes that list it, and on no other", arguments: statuses)
    func codes(status: HTTPResponseStatus) {
        for (route, own, others) in [
            (DonationAPI.reportOnIOS.route, Self.codesOnIOS, Self.codesOnAndroid),
            (DonationAPI.analyticsOnAndroid.route, Self.codesOnAndroid, Self.codesOnIOS),
            (DonationAPI.challenge.route, [], Self.codesOnIOS),
            (VerificationAPI.tan.route, [], Self.codesOnIOS + Self.codesOnAndroid),
        ] {
            for code in own {
                let answer = Answer(Self.reply(status, Self.body(code)), of: route)
                #expect(answer.status == Int(status.code))
                #expect(String(buffer: answer.body) == Self.body(code))
                #expect(Self.contentType(answer) == ["application/json"])
            }
            for code in others where !own.contains(code) {
                let answer = Answer(Self.reply(status, Self.body(code)), of: route)
                #expect(answer.status == Int(status.code))
                #expect(answer.body.readableBytes == 0)
                #expect(Self.contentType(answer).isEmpty)
            }
        }
    }

    @Test(
        "a refusal's body that isn't exactly a code's is dropped",
        arguments: [
            "", "{}", "API_TOKEN_EXPIRED", #"{"errorCode":"API_TOKEN_EXPIRED"} "#,
            #"{"errorCode": "API_TOKEN_EXPIRED"}"#,
            #"{"errorCode":"API_TOKEN_EXPIRED","at":1}"#, #"{"errorCode":"api_token_expired"}"#,
            #"{"errorCode":"API_TOKEN_EXPIREd"}"#, #"{"errorCode":"OTHER"}"#, #"{"errorCode":""}"#,
            "\u{FEFF}" + #"{"errorCode":"API_TOKEN_EXPIRED"}"#, #"{"expirationDate":"2026-05-26T12:00:00Z"}"#,
        ])
    func otherBodies(body: String) {
        let answer = Answer(Self.reply(.forbidden, body), of: DonationAPI.surveyOnIOS.route)
        #expect(answer.status == 403)
        #expect(answer.body.readableBytes == 0)
        #expect(Self.contentType(answer).isEmpty)
    }

    @Test("only a refusal has a code", arguments: [HTTPResponseStatus.found, .internalServerError, .badGateway])
    func noRefusal(status: HTTPResponseStatus) {
        let answer = Answer(Self.reply(status, Self.body("API_TOKEN_EXPIRED")), of: DonationAPI.surveyOnIOS.route)
        #expect(answer.status == Int(status.code))
        #expect(answer.body.readableBytes == 0)
    }

    @Test("a 401 names a scheme, which is the same for every code")
    func scheme() {
        for body in ["", Self.body("DEVICE_BLOCKED")] {
            let answer = Answer(Self.reply(.unauthorized, body), of: DonationAPI.surveyOnIOS.route)
            #expect(answer.fields.filter { $0.name == "www-authenticate" }.map(\.value) == ["Bearer"])
        }
    }

    @Test("every answer to a donation takes 1,024 bytes, a success, a code and an empty refusal alike")
    func lengths() throws {
        var encoder = try AnswerEncoder(date: HTTPDate(clock: .system))
        var measure = HPACKEncoder(allocator: ByteBufferAllocator())
        let successes = [
            #"{"expirationDate":"2026-05-26T12:00:00Z"}"#,
            #"{"challenge":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}"#,
        ].map { Self.reply(.ok, $0) }
        let codes = Set(Self.codesOnIOS + Self.codesOnAndroid)
        for route in [DonationAPI.surveyOnIOS.route, DonationAPI.surveyOnAndroid.route, DonationAPI.challenge.route] {
            let refusals = Self.statuses.flatMap { status in
                codes.map { Self.reply(status, Self.body($0)) } + [Self.reply(status, "")]
            }
            for reply in successes + refusals {
                let answer = Answer(reply, of: route)
                #expect(encoder.http1(answer, closes: false)?.readableBytes == 1024)
                let headers = try #require(try encoder.http2(answer))
                var block = ByteBuffer()
                try measure.encode(headers: headers, to: &block)
                #expect(9 + block.readableBytes + 9 + answer.body.readableBytes == 1024)
            }
        }
    }
}
