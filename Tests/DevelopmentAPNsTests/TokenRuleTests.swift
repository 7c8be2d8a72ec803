import Crypto
import Foundation
import Running
import TestSupport
import Testing

@testable import DevelopmentAPNs

/// How the simulated service checks provider tokens
/// (<https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns>).
struct TokenRuleTests {
    private let key = P256.Signing.PrivateKey()
    private let other = P256.Signing.PrivateKey()
    private let clock = ManualClock(Date(timeIntervalSince1970: 1_790_000_000))
    private let service: SimulatedAPNs

    init() {
        var rules = SimulatedRules(
            topic: "org.example.app", team: "TEAM123456",
            keys: ["KEY1234567": key.publicKey, "KEY7654321": other.publicKey])
        rules.updates = .perKey
        service = SimulatedAPNs(rules, clock: clock.clock)
    }

    private static func part(_ data: Data) -> String {
        data.base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }

    private func token(
        header: String = #"{"alg":"ES256","kid":"KEY1234567"}"#, claims: String? = nil, age: Double = 0,
        signedBy signer: P256.Signing.PrivateKey? = nil
    ) throws -> String {
        let issued = Int(clock.now.timeIntervalSince1970 - age)
        let claims = claims ?? #"{"iss":"TEAM123456","iat":\#(issued)}"#
        let text = Self.part(Data(header.utf8)) + "." + Self.part(Data(claims.utf8))
        let signature = try (signer ?? key).signature(for: Data(text.utf8)).rawRepresentation
        return "bearer \(text).\(Self.part(signature))"
    }

    private func reason(_ authorization: String?, _ memory: inout ConnectionMemory) -> String? {
        var fields = [
            (":method", "POST"), (":path", "/3/device/00ff"), ("apns-topic", "org.example.app"),
            ("apns-push-type", "background"), ("apns-priority", "5"),
        ]
        if let authorization { fields.append(("authorization", authorization)) }
        let body = Array(#"{"aps":{"content-available":1}}"#.utf8)
        guard let head = try? PushCheckTests.head(fields),
            case .reply(_, let reason, _, _) = service.judge(head, body, &memory).answer
        else {
            return "no reply"
        }
        return reason
    }

    private func reason(_ authorization: String?) -> String? {
        var memory = ConnectionMemory(hasCertificate: false)
        return reason(authorization, &memory)
    }

    @Test("a token with any error is refused")
    func wrong() throws {
        #expect(reason(nil) == "MissingProviderToken")
        #expect(reason("bearer a.b.c") == "InvalidProviderToken")
        #expect(reason(try token(signedBy: P256.Signing.PrivateKey())) == "InvalidProviderToken")
        #expect(reason(try token(header: #"{"alg":"ES256","kid":"KEY0000000"}"#)) == "InvalidProviderToken")
        #expect(reason(try token(header: #"{"alg":"HS256","kid":"KEY1234567"}"#)) == "InvalidProviderToken")
        #expect(reason(try token(claims: #"{"iss":"TEAM000000","iat":1790000000}"#)) == "InvalidProviderToken")
        #expect(reason(try token(claims: #"{"iss":"TEAM123456","iat":"1790000000"}"#)) == "InvalidProviderToken")
        #expect(reason(try token(age: -120)) == "InvalidProviderToken")
        #expect(reason(try token()) == nil)
    }

    @Test("a token older than an hour has expired, and its connection accepts nothing more")
    func expired() throws {
        var memory = ConnectionMemory(hasCertificate: false)
        #expect(reason(try token(age: 3601), &memory) == "ExpiredProviderToken")
        #expect(reason(try token(), &memory) == "ExpiredProviderToken")
        #expect(reason(try token(age: 3600)) == nil)
    }

    @Test("a second token within 20 minutes is refused, and the older one stays valid")
    func updates() throws {
        let first = try token()
        #expect(reason(first) == nil)
        clock.advance(by: 20 * 60 - 1)
        #expect(reason(try token()) == "TooManyProviderTokenUpdates")
        #expect(reason(first) == nil)
        clock.advance(by: 1)
        #expect(reason(try token()) == nil)
        #expect(reason(first) == nil)
    }

    @Test("by connection, each may have a token of its own, and one with two within 20 minutes accepts nothing more")
    func perConnection() throws {
        service.rules.updates = .perConnection
        var memory = ConnectionMemory(hasCertificate: false)
        let first = try token()
        #expect(reason(first, &memory) == nil)
        clock.advance(by: 60)
        let second = try token()
        #expect(reason(second) == nil)
        #expect(reason(second, &memory) == "TooManyProviderTokenUpdates")
        #expect(reason(first, &memory) == "TooManyProviderTokenUpdates")
    }

    @Test("another key on a connection is unrelated")
    func unrelated() throws {
        var memory = ConnectionMemory(hasCertificate: false)
        #expect(reason(try token(), &memory) == nil)
        let another = try token(header: #"{"alg":"ES256","kid":"KEY7654321"}"#, signedBy: other)
        #expect(reason(another, &memory) == "UnrelatedKeyIdInToken")
        #expect(reason(another) == nil)
    }

    @Test("a client with a certificate needs no token")
    func certificate() {
        var memory = ConnectionMemory(hasCertificate: true)
        #expect(reason(nil, &memory) == nil)
    }
}
