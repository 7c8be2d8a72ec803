import Foundation
import SwiftProtobuf
import TestSupport
import Testing

@testable import DonationFormat

/// Requests to data-donation, as they cross the wire.
struct DonationRequestTests {
    private static let request = DonationRequest(authentication: [1, 2, 3], payload: [4, 5])

    @Test(arguments: [13, 14, 200, 16_383, 16_384, 20_000])
    func `whatever a request says, the phone's body has one length`(length: Int) throws {
        let body = try Self.request.encoded(length: length)
        #expect(body.count == length)
        #expect(try DonationRequest(decoding: body, limit: length) == Self.request)
    }

    @Test func `a body without room for its padding, or beyond the limit, is too large`() throws {
        #expect(throws: DonationFlaw.tooLarge) { try Self.request.encoded(length: 12) }
        let body = try Self.request.encoded(length: 100)
        #expect(throws: DonationFlaw.tooLarge) { try DonationRequest(decoding: body, limit: 99) }
    }

    @Test func `fields have the numbers of cwa-ppa-server`() throws {
        // EDUSOneTimePasswordRequestIOS: 1 authentication {1 deviceToken, 2 apiToken, 3 previousApiToken}, 2 payload {1 otp}.
        let password = "f47ac10b-58cc-4372-a567-0e02b2c3d479"
        let authentication: [UInt8] = [0x0a, 1, 0x61, 0x12, 1, 0x62, 0x1a, 1, 0x63]
        let payload: [UInt8] = [0x0a, 36] + Array(password.utf8)
        let body: [UInt8] =
            [0x0a, UInt8(authentication.count)] + authentication + [0x12, UInt8(payload.count)] + payload
        let request = try DonationRequest(decoding: body, limit: 100)
        #expect(try IOSEvidence(decoding: request.authentication) == IOSEvidence(deviceToken: "a", apiToken: "b"))
        #expect(try PasswordRequest(decoding: request.payload).password.text == password)
        // PPACAndroid: 1 safetyNetJws, which nobody reads any more, 2 salt. SRSOneTimePassword: 2 androidId.
        let android = try AndroidEvidence(decoding: [0x0a, 1, 0x61, 0x12, 1, 0x62])
        #expect(android == AndroidEvidence(salt: "b"))
        let report = try PasswordRequest(decoding: payload + [0x12, 8] + [UInt8](1...8))
        #expect(report.androidID?.bytes == [UInt8](1...8))
    }

    @Test func `the payload's bytes stay as they were sent`() throws {
        // Fields in another order, one twice, and one that nobody knows: the phone signed exactly this.
        let payload: [UInt8] = [0x12, 1, 9, 0x0a, 1, 0x61, 0x0a, 1, 0x62, 0xf8, 0x07, 5]
        let body: [UInt8] = [0x12, UInt8(payload.count)] + payload + [0x0a, 0]
        #expect(try DonationRequest(decoding: body, limit: 100).payload == payload)
    }

    @Test(arguments: [
        IOSEvidence(),
        IOSEvidence(
            deviceToken: "dG9rZW4=", apiToken: "f47ac10b-58cc-4372-a567-0e02b2c3d479",
            appAttest: .init(
                challenge: [1, 2], keyID: [UInt8](repeating: 7, count: 32), assertion: [3], attestation: [4, 5])),
    ])
    func `an iPhone's evidence is read as it was meant`(evidence: IOSEvidence) throws {
        #expect(try IOSEvidence(decoding: evidence.encoded()) == evidence)
    }

    @Test func `an Android phone's evidence is read as it was meant`() throws {
        let evidence = AndroidEvidence(salt: "c2FsdA==", playIntegrity: "a.b.c.d.e")
        #expect(try AndroidEvidence(decoding: evidence.encoded()) == evidence)
    }

    @Test func `evidence that is far too long, or lacks a part, is refused`() throws {
        let long = String(repeating: "a", count: 16_385)
        for evidence in [IOSEvidence(deviceToken: long), IOSEvidence(apiToken: long)] {
            #expect(throws: DonationFlaw.evidence) { try IOSEvidence(decoding: evidence.encoded()) }
        }
        for evidence in [
            AndroidEvidence(playIntegrity: long), AndroidEvidence(salt: String(repeating: "a", count: 89)),
        ] {
            #expect(throws: DonationFlaw.evidence) { try AndroidEvidence(decoding: evidence.encoded()) }
        }
        let whole = [UInt8](repeating: 7, count: 32)
        for (challenge, keyID, assertion) in [
            ([1], [UInt8](repeating: 7, count: 31), [3]), ([1], whole, []),
            ([UInt8](repeating: 1, count: 65), whole, [3]),
        ] as [([UInt8], [UInt8], [UInt8])] {
            let evidence = IOSEvidence(appAttest: .init(challenge: challenge, keyID: keyID, assertion: assertion))
            #expect(throws: DonationFlaw.evidence) { try IOSEvidence(decoding: evidence.encoded()) }
        }
    }

    @Test(arguments: [
        "", "0", "f47ac10b58cc4372a5670e02b2c3d479", "f47ac10b-58cc-1372-a567-0e02b2c3d479",
        "f47ac10b-58cc-4372-c567-0e02b2c3d479", "f47ac10b-58cc-4372-a567-0e02b2c3d479 ",
    ])
    func `what is no UUID of version 3 or 4 is no password`(text: String) throws {
        #expect(OneTimePassword(text) == nil)
        let payload = try WireOneTimePassword.with { $0.otp = text }.serializedBytes() as [UInt8]
        #expect(throws: DonationFlaw.password) { try PasswordRequest(decoding: payload) }
    }

    @Test func `a password is the same in capitals, and doesn't show itself`() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<100 {
            let password = OneTimePassword(using: &random)
            #expect(OneTimePassword(password.text) == password)
            #expect(OneTimePassword(password.text.uppercased()) == password)
            #expect(!"\(password)".contains(password.text.prefix(8)))
        }
    }

    @Test(arguments: [0, 7, 8, 16, 17])
    func `an Android id has 8 to 16 bytes`(count: Int) throws {
        let bytes = [UInt8](repeating: 1, count: count)
        #expect((AndroidID(bytes) != nil) == (8...16).contains(count))
    }

    @Test(arguments: 0..<50)
    func `no bytes are a request and crash`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        guard let request = try? DonationRequest(decoding: bytes, limit: 1000) else { return }
        _ = try? IOSEvidence(decoding: request.authentication)
        _ = try? AndroidEvidence(decoding: request.authentication)
        _ = try? PasswordRequest(decoding: request.payload)
        _ = try? AnalyticsData(decoding: request.payload, from: .iOS)
    }
}
