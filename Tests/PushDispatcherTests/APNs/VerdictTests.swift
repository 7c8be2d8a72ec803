import Foundation
import Testing

@testable import PushDispatcher

/// How replies are parsed, whatever they contain.
struct VerdictTests {
    @Test(
        "with an invalid body the status decides",
        arguments: ["", "{", "[]", #"{"reason":7}"#, "\u{0}", #"{"reason":null}"#])
    func unreadable(body: String) {
        #expect(verdict(410, body) == .outcome(.givenUp))
        #expect(verdict(429, body) == .outcome(.givenUp))
        #expect(verdict(500, body) == .again(.serverError))
        #expect(verdict(503, body) == .again(.overloaded))
        #expect(verdict(599, body) == .again(.serverError))
        for status in [0, 100, 204, 301, 400, 403, 404, 418] {
            #expect(verdict(status, body) == .outcome(.refused(.unknown)))
        }
    }

    @Test("the time of a 410 is in milliseconds, and an invalid time is ignored")
    func timestamp() {
        let reply = #"{"reason":"Unregistered","timestamp":1454948015990}"#
        #expect(verdict(410, reply) == .outcome(.unregistered(Date(timeIntervalSince1970: 1_454_948_015.990))))
        #expect(verdict(410, #"{"reason":"Unregistered","timestamp":1e300}"#) == .outcome(.givenUp))
        #expect(verdict(410, #"{"reason":"Unregistered","timestamp":"1454948015990"}"#) == .outcome(.givenUp))
        #expect(
            verdict(410, #"{"reason":"Newer","timestamp":0}"#)
                == .outcome(.unregistered(Date(timeIntervalSince1970: 0))))
    }

    @Test("200 is accepted, whatever the body says")
    func accepted() {
        #expect(verdict(200, #"{"reason":"Unregistered"}"#) == .outcome(.accepted))
    }

    @Test("every reason that Apple documents is known by its name")
    func names() {
        #expect(APNsReason.allCases.count == 34)
        for reason in APNsReason.allCases {
            let known = APNsReplyBody(Array(#"{"reason":"\#(reason.rawValue)"}"#.utf8))
            #expect(known.reason == reason)
        }
    }

    private func verdict(_ status: Int, _ body: String) -> APNsVerdict {
        APNsVerdict(APNsReply(status: status, retryAfter: nil, body: Array(body.utf8)))
    }
}
