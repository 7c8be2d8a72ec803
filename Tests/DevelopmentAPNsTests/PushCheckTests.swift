import Foundation
import HTTPMessage
import HTTPTypes
import Testing

@testable import DevelopmentAPNs

/// What the simulated service refuses, as APNs does
/// (<https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns>).
struct PushCheckTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let change: [String: String?]
        var body = #"{"aps":{"content-available":1}}"#
        let rejection: Rejection

        init(_ change: [String: String?], body: String? = nil, _ status: Int, _ reason: String) {
            self.change = change
            if let body { self.body = body }
            rejection = Rejection(status, reason)
        }

        var testDescription: String { "\(rejection.reason) \(change.keys.sorted())" }
    }

    private static let id = "eabeae54-14a8-11e5-b60b-1697f925ec7b"
    private static let good: [(String, String)] = [
        (":method", "POST"), (":scheme", "https"), (":path", "/3/device/00ff"), (":authority", "localhost"),
        ("apns-topic", "org.example.app"), ("apns-push-type", "background"), ("apns-priority", "5"),
        ("apns-expiration", "1790000000"), ("apns-collapse-id", "sync"), ("apns-id", id),
    ]

    /// A request with fields as they are on the wire.
    static func head(_ fields: [(String, String)]) throws -> RequestHead {
        let pseudo = Dictionary(fields.filter { $0.0.hasPrefix(":") }) { $1 }
        var lines = FieldLines()
        for (name, value) in fields where !name.hasPrefix(":") {
            lines.append(try #require(HTTPField.Name(name)), value)
        }
        return RequestHead(
            version: .http2, method: try #require(HTTPRequest.Method(pseudo[":method"] ?? "")),
            target: try #require(pseudo[":path"]), authority: pseudo[":authority"], fields: lines)
    }

    static let cases: [Case] = [
        Case([":method": "GET"], 405, "MethodNotAllowed"),
        Case([":path": "/2/device/00ff"], 404, "BadPath"),
        Case([":path": "/"], 404, "BadPath"),
        Case([":path": "/3/device/"], 400, "MissingDeviceToken"),
        Case([":path": "/3/device/00f"], 400, "BadDeviceToken"),
        Case([":path": "/3/device/00fg"], 400, "BadDeviceToken"),
        Case([":path": "/3/device/" + String(repeating: "0", count: 202)], 400, "BadDeviceToken"),
        Case(["apns-topic": nil], 400, "MissingTopic"),
        Case(["apns-topic": ""], 400, "BadTopic"),
        Case(["apns-topic": "org.example.other"], 400, "TopicDisallowed"),
        Case(["apns-push-type": nil], 400, "InvalidPushType"),
        Case(["apns-push-type": "silent"], 400, "InvalidPushType"),
        Case(["apns-priority": "10"], 400, "BadPriority"),
        Case(["apns-priority": nil], 400, "BadPriority"),
        Case(["apns-priority": "7"], 400, "BadPriority"),
        Case(["apns-expiration": "soon"], 400, "BadExpirationDate"),
        Case(["apns-expiration": "-1"], 400, "BadExpirationDate"),
        Case(["apns-collapse-id": String(repeating: "a", count: 65)], 400, "BadCollapseId"),
        Case(["apns-id": "7"], 400, "BadMessageId"),
        Case(["apns-id": id.uppercased()], 400, "BadMessageId"),
        Case([:], body: "", 400, "PayloadEmpty"),
        Case([:], body: "{}", 400, "PayloadEmpty"),
        Case([:], body: #"{"aps":{}}"#, 400, "PayloadEmpty"),
        Case(
            [:], body: #"{"aps":{"content-available":1},"a":"\#(String(repeating: "a", count: 4096))"}"#, 413,
            "PayloadTooLarge"),
    ]

    @Test("a request with one error receives the reply for that error", arguments: cases)
    func rejects(_ mistake: Case) throws {
        var fields = Self.good
        for (name, value) in mistake.change {
            fields.removeAll { $0.0 == name }
            if let value { fields.append((name, value)) }
        }
        #expect(throws: mistake.rejection) {
            try PushCheck(topic: "org.example.app", needsTopic: true).check(
                try Self.head(fields), body: Array(mistake.body.utf8))
        }
    }

    @Test("a valid request is accepted, also at its limits")
    func accepts() throws {
        let check = PushCheck(topic: "org.example.app", needsTopic: true)
        let body = #"{"aps":{"content-available":1},"a":""}"#
        let room = String(repeating: "a", count: 4096 - body.utf8.count)
        for text in [
            #"{"aps":{"content-available":1}}"#, body.replacingOccurrences(of: #""a":"""#, with: #""a":"\#(room)""#),
        ] {
            let push = try check.check(Self.head(Self.good), body: Array(text.utf8))
            #expect(push == PushCheck.Push(token: "00ff", id: Self.id))
        }
        let bare = Self.good.filter {
            !["apns-topic", "apns-expiration", "apns-collapse-id", "apns-id"].contains($0.0)
        }
        let push = try PushCheck(topic: "org.example.app", needsTopic: false).check(
            Self.head(bare), body: Array(body.utf8))
        #expect(push == PushCheck.Push(token: "00ff", id: nil))
    }

    @Test("a repeated field is an error")
    func duplicates() {
        #expect(throws: Rejection(400, "DuplicateHeaders")) {
            try PushCheck(topic: "org.example.app", needsTopic: true).check(
                Self.head(Self.good + [("apns-topic", "org.example.app")]), body: Array("{}".utf8))
        }
    }
}
