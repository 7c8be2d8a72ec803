import CompactJOSE
import Crypto
import DevelopmentAttestation
import DeviceCheck
import Foundation
import TestSupport
import Testing

/// Apple's service as a caller sees it: through the requests and answers of the module that services use, and through
/// others.
@Suite struct SimulatedDeviceCheckTests {
    private static let team = "A1B2C3D4E5"
    private static let keyID = "ABC123DEFG"
    private static let key = P256.Signing.PrivateKey()

    /// 2026-11-24, at noon.
    private let clock = ManualClock(Date(timeIntervalSince1970: 1_795_521_600))
    private let service: SimulatedDeviceCheck

    init() {
        service = Self.service(clock)
    }

    private static func service(
        _ clock: ManualClock, _ wording: DeviceCheckReply.Wording = .live
    ) -> SimulatedDeviceCheck {
        SimulatedDeviceCheck(team: team, keys: [keyID: key.publicKey], wording: wording, clock: clock.clock)
    }

    private func authorization() throws -> String {
        let key = try DeviceCheckKey(pem: Self.key.pemRepresentation, keyID: Self.keyID, team: Self.team)
        return "Bearer \(try key.token(at: clock.now))"
    }

    private func ask(_ operation: DeviceCheckRequest.Operation, _ token: String) throws -> DeviceCheckAnswer {
        let request = DeviceCheckRequest(operation, token: try DeviceToken(token), transaction: UUID())
        let path = try #require(SimulatedDeviceCheck.Operation(rawValue: operation.path))
        let reply = service.answer(path, authorization: try authorization(), body: try request.json(at: clock.now))
        return DeviceCheckAnswer(to: operation, status: reply.status, body: Array(reply.body.utf8))
    }

    private func token(_ device: String = "anna") throws -> String { try #require(service.token(of: device)) }

    /// A request of parts that tests change; nil leaves a part out.
    private func reply(
        _ operation: SimulatedDeviceCheck.Operation = .query, authorization: String?? = nil,
        _ change: (inout [String: Any]) -> Void = { _ in }
    ) throws -> DeviceCheckReply {
        var body: [String: Any] = [
            "device_token": try token(), "transaction_id": "1",
            "timestamp": Int(clock.now.timeIntervalSince1970) * 1000,
            "bit0": true, "bit1": false,
        ]
        change(&body)
        return service.answer(
            operation, authorization: try authorization ?? self.authorization(),
            body: Array(try JSONSerialization.data(withJSONObject: body)))
    }

    // MARK: Bits

    @Test func `a device has no bits, then those that somebody set, in the month in which he did`() throws {
        let token = try token()
        #expect(try ask(.query, token) == .neverSet)
        #expect(try ask(.update(first: true, second: false), token) == .done)
        let november = try #require(DeviceBits.Month("2026-11"))
        #expect(try ask(.query, token) == .bits(DeviceBits(first: true, second: false, changed: november)))
        clock.advance(by: 30 * 86_400)
        #expect(try ask(.query, self.token()) == .bits(DeviceBits(first: true, second: false, changed: november)))
        #expect(try ask(.update(first: false, second: false), self.token()) == .done)
        let december = try #require(DeviceBits.Month("2026-12"))
        #expect(try ask(.query, self.token()) == .bits(DeviceBits(first: false, second: false, changed: december)))
        #expect(try ask(.query, self.token("ben")) == .neverSet)
    }

    @Test func `tests set a device's bits in any month, and forget them`() throws {
        let bits = DeviceBits(first: true, second: true, changed: try #require(DeviceBits.Month("2020-01")))
        #expect(service.set(bits, of: "anna"))
        #expect(try ask(.query, token()) == .bits(bits))
        #expect(service.set(nil, of: "anna"))
        #expect(try ask(.query, token()) == .neverSet)
    }

    @Test func `a valid token is good, and nothing else is said of it`() throws {
        #expect(try reply(.validate).status == 200)
        #expect(try reply(.validate).body == "")
        #expect(try reply(.validate) { $0["device_token"] = "AAAA" }.status == 400)
    }

    // MARK: Tokens

    @Test func `a token has the length of Apple's, and names one device for ten minutes`() throws {
        for _ in 0..<50 { #expect(DeviceToken.lengths.contains(try token().utf8.count)) }
        let token = try token()
        clock.advance(by: 599)
        #expect(try ask(.query, token) == .neverSet)
        clock.advance(by: 1)
        #expect(try ask(.query, token) == .badToken)
    }

    @Test func `a token that nobody made is a bad one`() throws {
        let other = Self.service(clock)
        let foreign = try #require(other.token(of: "anna"))
        #expect(try ask(.query, foreign) == .badToken)
        #expect(try ask(.update(first: true, second: true), foreign) == .badToken)
        for wrong in [nil, 1, "", "AAAA", NSNull(), ["x"]] as [Any?] {
            let reply = try reply { $0["device_token"] = wrong }
            #expect(reply.status == 400)
            #expect(reply.body == "Missing or incorrectly formatted device token payload")
        }
    }

    // MARK: Requests

    @Test func `another time is refused, and so is one in seconds`() throws {
        let now = Int(clock.now.timeIntervalSince1970)
        for good in [now * 1000, (now - 3600) * 1000, (now + 3600) * 1000] {
            #expect(try reply { $0["timestamp"] = good }.body == "Failed to find bit state")
        }
        for wrong in [now, (now - 3601) * 1000, (now + 3601) * 1000, "\(now)000", nil, NSNull(), -1] as [Any?] {
            let reply = try reply { $0["timestamp"] = wrong }
            #expect(reply.status == 400)
            #expect(reply.body == "Missing or incorrectly formatted time stamp")
        }
    }

    @Test func `an update without both bits is refused, and changes nothing`() throws {
        for wrong in [nil, "true", NSNull(), 2] as [Any?] {
            for name in ["bit0", "bit1"] {
                let reply = try reply(.update) { $0[name] = wrong }
                #expect(reply.status == 400)
                #expect(reply.body == "Missing or incorrectly formatted bits")
            }
        }
        #expect(service.bits(of: "anna") == nil)
    }

    @Test func `a request without a transaction, or that is no object, is refused`() throws {
        for wrong in [nil, "", 1, NSNull()] as [Any?] {
            #expect(try reply { $0["transaction_id"] = wrong }.body == "Bad Payload")
        }
        for body in ["", "[]", "null", "{"] {
            let reply = service.answer(.query, authorization: try authorization(), body: Array(body.utf8))
            #expect(reply.status == 400)
            #expect(reply.body == "Bad Payload")
        }
    }

    // MARK: Authorization

    private func bearer(
        header: String = #"{"alg":"ES256","kid":"ABC123DEFG"}"#,
        claims: String = #"{"iss":"A1B2C3D4E5","iat":1795521600}"#,
        key: P256.Signing.PrivateKey = key
    ) throws -> String {
        let token = try CompactJWS.text(header: header.utf8, payload: claims.utf8) {
            try key.signature(for: $0).rawRepresentation
        }
        return "Bearer \(token)"
    }

    @Test func `a token by hand is as good as the module's`() throws {
        #expect(try reply(authorization: bearer()).status == 200)
    }

    @Test func `without a bearer token of the right form nobody is answered`() throws {
        let good = try bearer()
        for wrong in [
            nil, "", "Bearer ", "Basic QTpC", String(good.dropFirst(7)), "\(good).", "\(good)=",
            try bearer(header: #"{"alg":"HS256","kid":"ABC123DEFG"}"#),
            try bearer(header: #"{"alg":"none","kid":"ABC123DEFG"}"#),
            try bearer(header: #"{"alg":"ES256"}"#), try bearer(claims: #"{"iss":"A1B2C3D4E5"}"#),
            try bearer(claims: #"{"iat":1795521600}"#), try bearer(claims: #"{"iss":"A1B2C3D4E5","iat":"1795521600"}"#),
        ] as [String?] {
            let reply = try reply(authorization: .some(wrong))
            #expect(reply.status == 400)
            #expect(reply.body == "Missing or badly formatted authorization token")
        }
    }

    @Test func `a token of another key, team or time is refused`() throws {
        for wrong in [
            try bearer(key: P256.Signing.PrivateKey()), try bearer(header: #"{"alg":"ES256","kid":"ABC123DEFH"}"#),
            try bearer(claims: #"{"iss":"A1B2C3D4E6","iat":1795521600}"#),
            try bearer(claims: #"{"iss":"A1B2C3D4E5","iat":1795517999}"#),
            try bearer(claims: #"{"iss":"A1B2C3D4E5","iat":1795521661}"#),
        ] {
            let reply = try reply(authorization: wrong)
            #expect(reply.status == 401)
            #expect(reply.body == "Unable to verify authorization token")
        }
        #expect(try reply(authorization: bearer(claims: #"{"iss":"A1B2C3D4E5","iat":1795518000}"#)).status == 200)
    }

    // MARK: Words

    @Test func `the documentation has other words for the same`() throws {
        let service = Self.service(clock, .documented)
        let token = try #require(service.token(of: "anna"))
        let seconds = Int(clock.now.timeIntervalSince1970)
        func text(
            _ operation: SimulatedDeviceCheck.Operation = .query, _ authorization: String? = nil, token: String,
            timestamp: Int = seconds * 1000
        ) throws -> String {
            let body = #"{"device_token":"\#(token)","transaction_id":"1","timestamp":\#(timestamp)}"#
            let authorization = try authorization ?? self.authorization()
            return service.answer(operation, authorization: authorization, body: Array(body.utf8)).body
        }
        #expect(try text(token: token) == "Bit State Not Found")
        #expect(try text(token: "AAAA") == "Bad Device Token")
        #expect(try text(.update, token: token) == "Bad Bits")
        #expect(try text(token: token, timestamp: 0) == "Bad Timestamp")
        #expect(try text(.query, "Basic x", token: token) == "Bad Authorization Token")
        #expect(try text(.query, bearer(key: P256.Signing.PrivateKey()), token: token) == "Invalid Authorization Token")
        let old = try bearer(claims: #"{"iss":"A1B2C3D4E5","iat":1795517999}"#)
        #expect(try text(.query, old, token: token) == "Authorization Token Expired")
    }
}
