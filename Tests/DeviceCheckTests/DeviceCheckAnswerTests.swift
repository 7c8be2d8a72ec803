import DeviceCheck
import Foundation
import TestSupport
import Testing

/// What Apple says, in the documentation's words and in those that developers saw.
@Suite struct DeviceCheckAnswerTests {
    private static let update = DeviceCheckRequest.Operation.update(first: false, second: false)

    private static func query(_ status: Int, _ body: String) -> DeviceCheckAnswer {
        DeviceCheckAnswer(to: .query, status: status, body: Array(body.utf8))
    }

    private static func bits(_ first: Bool, _ second: Bool, _ month: String) throws -> DeviceCheckAnswer {
        .bits(DeviceBits(first: first, second: second, changed: try #require(DeviceBits.Month(month))))
    }

    // MARK: Bits

    @Test func `bits and month are read`() throws {
        let answer = Self.query(200, #"{"bit0":true,"bit1":false,"last_update_time":"2026-10"}"#)
        #expect(try answer == Self.bits(true, false, "2026-10"))
        let spaced = Self.query(
            200, "{\n \"last_update_time\" : \"2017-06\",\n \"bit1\" : true, \"bit0\" : false, \"bit2\" : 1 }\n")
        #expect(try spaced == Self.bits(false, true, "2017-06"))
    }

    @Test(
        arguments: [
            "", "{}", "null", "[]", "OK", #"{"bit0":true,"bit1":false}"#,
            #"{"bit0":true,"last_update_time":"2026-10"}"#,
            #"{"bit0":1,"bit1":0,"last_update_time":"2026-10"}"#,
            #"{"bit0":"true","bit1":"false","last_update_time":"2026-10"}"#,
            #"{"bit0":true,"bit1":false,"last_update_time":"2026-13"}"#,
            #"{"bit0":true,"bit1":false,"last_update_time":"2026-00"}"#,
            #"{"bit0":true,"bit1":false,"last_update_time":"2026-1"}"#,
            #"{"bit0":true,"bit1":false,"last_update_time":"2026-10-01"}"#,
            #"{"bit0":true,"bit1":false,"last_update_time":"2026/10"}"#,
            #"{"bit0":true,"bit1":false,"last_update_time":"1026-10"}"#,
            #"{"bit0":true,"bit1":false,"last_update_time":"+026-10"}"#,
            #"{"bit0":true,"bit1":false,"last_update_time":202610}"#,
            #"{"bit0":true,"bit1":false,"last_update_time":null}"#, "<html>It works!</html>",
        ])
    func `a success that says nothing of bits is none`(_ body: String) {
        #expect(Self.query(200, body) == .tryLater)
    }

    @Test(
        arguments: [
            ("Unable to verify authorization token", "authorization"), ("Authorization Token Expired", "authorization"),
            ("Missing or incorrectly formatted time stamp", "timestamp"), ("Bad Timestamp", "timestamp"),
            ("Missing or incorrectly formatted device token payload", "device_token"), ("Bad Payload", "payload"),
            ("Missing or incorrectly formatted bits", "bits"), ("", "none"), ("<html>", "none"),
        ])
    func `the log gets a word of Apple's text, never the text`(_ text: String, _ subject: String) {
        #expect(DeviceCheckAnswer.subject(of: Array(text.utf8)) == subject)
    }

    // MARK: Devices without bits

    @Test(
        arguments: [
            "Bit State Not Found", "Failed to find bit state", "FAILED TO FIND BIT STATE\n", "bit state not found.",
            "Failed to find bit state ", "{\"error\":\"Failed to find bit state\"}",
        ], [200, 400])
    func `a device whose bits nobody set is genuine, whatever the status`(_ body: String, _ status: Int) {
        #expect(Self.query(status, body) == .neverSet)
    }

    @Test(arguments: [401, 403, 404, 405, 429, 500, 503])
    func `with a status of failure the same words mean nothing`(_ status: Int) {
        #expect(Self.query(status, "Failed to find bit state") != .neverSet)
    }

    @Test(arguments: [200, 400])
    func `an update can't find no bits`(_ status: Int) {
        let body = Array("Failed to find bit state".utf8)
        let answer = DeviceCheckAnswer(to: Self.update, status: status, body: body)
        #expect(answer == (status == 200 ? .tryLater : .ourFault))
    }

    // MARK: Updates

    @Test(arguments: ["", "\n", " \r\n"])
    func `an update is done`(_ body: String) {
        #expect(DeviceCheckAnswer(to: Self.update, status: 200, body: Array(body.utf8)) == .done)
        #expect(Self.query(200, body) == .tryLater)
    }

    @Test(arguments: ["OK", "{}", "Missing or incorrectly formatted device token payload"])
    func `an update with other words isn't understood`(_ body: String) {
        #expect(DeviceCheckAnswer(to: Self.update, status: 200, body: Array(body.utf8)) == .tryLater)
    }

    // MARK: Refusals

    @Test(
        arguments: [
            // Documented.
            (400, "Bad Device Token", .badToken), (400, "Bad Bits", .ourFault), (400, "Bad Timestamp", .ourFault),
            (400, "Bad Authorization Token", .ourFault), (400, "Bad Payload", .ourFault),
            (401, "Invalid Authorization Token", .ourFault), (401, "Authorization Token Expired", .ourFault),
            (403, "Forbidden", .ourFault), (405, "Method Not Allowed", .ourFault),
            (429, "Too Many Requests", .tryLater), (500, "Server Error", .tryLater),
            (503, "Service Unavailable", .tryLater),
            // Seen.
            (400, "Missing or incorrectly formatted device token payload", .badToken),
            (400, "missing or incorrectly formatted DEVICE TOKEN payload\n", .badToken),
            (400, "Missing or incorrectly formatted bits", .ourFault),
            (400, "Missing or incorrectly formatted time stamp", .ourFault),
            (400, "Missing or badly formatted authorization token", .ourFault),
            (401, "Unable to verify authorization token", .ourFault),
            // Nothing that names the device.
            (400, "", .ourFault), (400, "{}", .ourFault), (401, "Bad Device Token", .ourFault), (401, "", .ourFault),
            (404, "Not Found", .ourFault), (413, "", .ourFault), (415, "", .ourFault),
            (500, "Bad Device Token", .tryLater), (503, "", .tryLater), (502, "<html>", .tryLater),
            (204, "", .tryLater), (301, "", .tryLater), (0, "", .tryLater), (418, "", .tryLater),
        ] as [(Int, String, DeviceCheckAnswer)])
    func `only words about the device token are about the device`(
        _ status: Int, _ body: String, _ answer: DeviceCheckAnswer
    ) {
        #expect(Self.query(status, body) == answer)
        #expect(
            DeviceCheckAnswer(to: Self.update, status: status, body: Array(body.utf8))
                == (status == 200 ? .done : answer))
    }

    @Test func `a body may be as long as the limit, and no longer`() throws {
        let text = #"{"bit0":true,"bit1":false,"last_update_time":"2026-10"}"#
        let padding = String(repeating: " ", count: DeviceCheckAnswer.longest - text.utf8.count)
        #expect(try Self.query(200, text + padding) == Self.bits(true, false, "2026-10"))
        #expect(Self.query(200, text + padding + " ") == .tryLater)
        #expect(Self.query(400, "Bad Device Token" + String(repeating: " ", count: 4096)) == .tryLater)
    }

    @Test func `random bytes end in an answer, and never in another device's bits`() {
        var random = SeededGenerator(seed: 4)
        let good = Data(#"{"bit0":true,"bit1":true,"last_update_time":"2026-10"}"#.utf8)
        for _ in 0..<3000 {
            let body = Array(good.mutated(using: &random))
            for status in [200, 400, 401, 500] {
                let answer = DeviceCheckAnswer(to: .query, status: status, body: body)
                if case .bits(let bits) = answer {
                    #expect(status == 200)
                    #expect((2000...2999).contains(bits.changed.year) && (1...12).contains(bits.changed.number))
                }
            }
        }
    }
}
