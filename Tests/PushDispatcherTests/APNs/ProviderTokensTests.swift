import Crypto
import DevelopmentAPNs
import Foundation
import Running
import TestSupport
import Testing

@testable import PushDispatcher

/// The provider token: its content, and when it is renewed
/// (<https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns>).
struct ProviderTokensTests {
    private let key = P256.Signing.PrivateKey()
    private let clock = ManualClock(APNsStage.start)
    private let tokens: ProviderTokens

    init() throws {
        tokens = try ProviderTokens(
            team: "TEAM123456", keyID: "KEY1234567", privateKey: key.pemRepresentation, clock: clock.clock)
    }

    @Test("three parts: algorithm and key, team and time, a signature of 64 bytes over both; no expiry")
    func content() throws {
        let parts = try tokens.current().text.split(separator: ".").map(String.init)
        #expect(parts.count == 3)
        #expect(String(decoding: try decoded(parts[0]), as: UTF8.self) == #"{"alg":"ES256","kid":"KEY1234567"}"#)
        #expect(String(decoding: try decoded(parts[1]), as: UTF8.self) == #"{"iss":"TEAM123456","iat":1789999940}"#)
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: decoded(parts[2]))
        #expect(key.publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
    }

    @Test("it is renewed at 45 minutes, and not before")
    func renewal() throws {
        let first = try tokens.current()
        clock.advance(by: 45 * 60 - 1)
        #expect(try tokens.current() == first)
        clock.advance(by: 1)
        #expect(try tokens.current() != first)
    }

    @Test("a token that APNs reports as expired is renewed at once, unless it is younger than 20 minutes")
    func expired() throws {
        let first = try tokens.current()
        clock.advance(by: 20 * 60 - 1)
        try tokens.expired(first)
        #expect(try tokens.current() == first)
        clock.advance(by: 1)
        try tokens.expired(first)
        let second = try tokens.current()
        #expect(second != first)
        // A later report changes nothing.
        clock.advance(by: 30 * 60)
        try tokens.expired(first)
        #expect(try tokens.current() == second)
    }

    @Test("after too many renewals the previous token is used while valid, without renewal for 20 minutes")
    func tooOften() throws {
        let first = try tokens.current()
        clock.advance(by: 45 * 60)
        let second = try tokens.current()
        tokens.renewedTooOften(second)
        #expect(try tokens.current() == first)
        clock.advance(by: 20 * 60 - 1)
        #expect(try tokens.current() == first)
        // Even if the service then calls that one too old.
        try tokens.expired(first)
        #expect(try tokens.current() == first)
        clock.advance(by: 1)
        let third = try tokens.current()
        #expect(third != first && third != second)
    }

    @Test(
        "invalid credentials are refused before the first push",
        arguments: [("TEAM12345", "KEY1234567"), ("team123456", "KEY1234567"), ("TEAM123456", "KEY12345678"), ("", "")])
    func wrong(team: String, keyID: String) {
        #expect(throws: ProviderTokenProblem.self) {
            try ProviderTokens(team: team, keyID: keyID, privateKey: key.pemRepresentation, clock: clock.clock)
        }
        #expect(throws: ProviderTokenProblem.self) {
            try ProviderTokens(team: "TEAM123456", keyID: "KEY1234567", privateKey: "", clock: clock.clock)
        }
    }

    @Test("over hours of windows APNs receives a new token every 45 minutes and refuses none")
    func hours() async throws {
        try await APNsStage.run { stage in
            for _ in 0..<36 {
                let outcomes = try await stage.send([1, 2])
                #expect(outcomes == [.accepted, .accepted])
                stage.clock.advance(by: 600)
            }
            // Six hours, in steps of ten minutes: renewed at each fifth.
            #expect(stage.service.totals.providerTokens == 8)
            #expect(stage.service.totals.rejections.isEmpty)
        }
    }

    @Test("a token that APNs reports as expired is renewed, and the connection replaced")
    func expiredOnTheWay() async throws {
        try await APNsStage.run { stage in
            _ = try await stage.send([1])
            stage.clock.advance(by: 20 * 60)
            stage.service.answer(APNsStage.token(1), next: .reply(status: 403, reason: "ExpiredProviderToken"))
            #expect(try await stage.send([1, 2]) == [.accepted, .accepted])
            #expect(stage.service.totals.providerTokens == 2)
            #expect(stage.service.totals.connections == 2)
        }
    }

    @Test("after too many renewals the previous token is used on another connection")
    func tooManyOnTheWay() async throws {
        try await APNsStage.run { stage in
            _ = try await stage.send([1])
            stage.clock.advance(by: 45 * 60)
            stage.service.answer(APNsStage.token(1), next: .reply(status: 429, reason: "TooManyProviderTokenUpdates"))
            #expect(try await stage.send([1]) == [.accepted])
            stage.clock.advance(by: 10 * 60)
            #expect(try await stage.send([2]) == [.accepted])
            // The first is good for five minutes more, and there was no third.
            #expect(stage.service.totals.providerTokens == 2)
            #expect(stage.service.totals.connections == 2)
        }
    }

    private func decoded(_ part: String) throws -> Data {
        var text = part.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        while text.count % 4 != 0 { text += "=" }
        return try #require(Data(base64Encoded: text))
    }
}
