import Calling
import DonationAPI
import HTTPContract
import HTTPMessage
import HTTPTypes
import Serving
import Testing
import VerificationAPI

@testable import MetadataProxy

/// What of a service's reply reaches a caller.
@Suite struct AnswerTests {
    private static let codesOnIOS = DonationAPI.codesOnIOS.map(\.rawValue).sorted()
    private static let codesOnAndroid = DonationAPI.codesOnAndroid.map(\.rawValue).sorted()
    private static let statuses: [HTTPResponse.Status] = [.badRequest, .unauthorized, .forbidden, .tooManyRequests]

    private static func body(_ code: String) -> String { #"{"errorCode":"\#(code)"}"# }

    private static func contentType(_ answer: ServerAnswer) -> [String] { answer.fields.values(.contentType) }

    private static func text(_ answer: ServerAnswer) -> String { String(decoding: answer.body.bytes, as: UTF8.self) }

    @Test("the code of a refusal passes on the routes that list it, and on no other", arguments: statuses)
    func codes(status: HTTPResponse.Status) {
        for (route, own, others) in [
            (DonationAPI.reportOnIOS.route, Self.codesOnIOS, Self.codesOnAndroid),
            (DonationAPI.analyticsOnAndroid.route, Self.codesOnAndroid, Self.codesOnIOS),
            (DonationAPI.challenge.route, [], Self.codesOnIOS),
            (VerificationAPI.tan.route, [], Self.codesOnIOS + Self.codesOnAndroid),
        ] {
            for code in own {
                let answer = ServerAnswer(reply(status, Self.body(code)), of: route)
                #expect(answer.status == status)
                #expect(Self.text(answer) == Self.body(code))
                #expect(Self.contentType(answer) == ["application/json"])
            }
            for code in others where !own.contains(code) {
                let answer = ServerAnswer(reply(status, Self.body(code)), of: route)
                #expect(answer.status == status)
                #expect(answer.body.bytes.isEmpty)
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
        let answer = ServerAnswer(reply(.forbidden, body), of: DonationAPI.surveyOnIOS.route)
        #expect(answer.status == .forbidden)
        #expect(answer.body.bytes.isEmpty)
        #expect(Self.contentType(answer).isEmpty)
    }

    @Test("only a refusal has a code", arguments: [HTTPResponse.Status.found, .internalServerError, .badGateway])
    func noRefusal(status: HTTPResponse.Status) {
        let answer = ServerAnswer(reply(status, Self.body("API_TOKEN_EXPIRED")), of: DonationAPI.surveyOnIOS.route)
        #expect(answer.status == status)
        #expect(answer.body.bytes.isEmpty)
    }

    @Test("a 401 names a scheme, which is the same for every code")
    func scheme() {
        for body in ["", Self.body("DEVICE_BLOCKED")] {
            let answer = ServerAnswer(reply(.unauthorized, body), of: DonationAPI.surveyOnIOS.route)
            #expect(answer.fields.values(.wwwAuthenticate) == ["Bearer"])
        }
    }

    @Test(
        "every answer to a donation takes 1,024 bytes, a success, a code and an empty refusal alike",
        arguments: [false, true])
    func lengths(http2: Bool) throws {
        let successes = [
            #"{"expirationDate":"2026-05-26T12:00:00Z"}"#,
            #"{"challenge":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}"#,
        ].map { reply(.ok, $0) }
        let codes = Set(Self.codesOnIOS + Self.codesOnAndroid)
        for operation in [
            EndpointDescription(DonationAPI.surveyOnIOS), EndpointDescription(DonationAPI.surveyOnAndroid),
        ] {
            let refusals = Self.statuses.flatMap { status in
                codes.map { reply(status, Self.body($0)) } + [reply(status, "")]
            }
            let stage = try CoreStage(operation, http2: http2)
            let client = http2 ? try HTTP2Client(stage) : nil
            for reply in successes + refusals {
                stage.server.admitted = []
                let media = operation.route.requestMedia?.name ?? ""
                if let client {
                    try client.submit(operation.route.path, media: media)
                    client.flush()
                } else {
                    stage.send(CoreStage.post(operation.route.path, media: media))
                }
                try #require(stage.server.admitted.first).received(.success(reply))
                stage.wait(.milliseconds(250))
                #expect(client.map { Array($0.takeLengths().values) } ?? [stage.client.take().count] == [1024])
            }
        }
    }
}
