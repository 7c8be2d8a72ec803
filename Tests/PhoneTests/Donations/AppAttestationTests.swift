import AppAttest
import Certificates
import Crypto
import DevelopmentAttestation
import DonationFormat
import Foundation
import HTTPTypes
import Phone
import Synchronization
import TestSupport
import Testing

/// An app with App Attest, before a server that verifies as data-donation does.
@Suite struct AppAttestationTests {
    /// An iPhone. Apple can be out of its reach.
    private final class IPhone: AppAttestService {
        let app: AppID
        private let service: SimulatedAppAttest
        let isOnline = Mutex(true)
        let keys = Mutex(0)

        init(_ app: AppID, _ service: SimulatedAppAttest) {
            self.app = app
            self.service = service
        }

        struct Unavailable: Error {}

        func generateKey() async throws -> [UInt8] {
            keys.withLock { $0 += 1 }
            return try #require(service.makeKey(of: app)).bytes
        }

        func attestKey(_ key: [UInt8], clientDataHash: [UInt8]) async throws -> [UInt8] {
            guard isOnline.withLock({ $0 }) else { throw Unavailable() }
            return try service.attest(
                #require(AppAttestKeyID(key)), clientDataHash: clientDataHash, environment: .production)
        }

        func generateAssertion(_ key: [UInt8], clientDataHash: [UInt8]) async throws -> [UInt8] {
            try service.assertion(by: #require(AppAttestKeyID(key)), clientDataHash: clientDataHash)
        }
    }

    private let clock = ManualClock(Date(timeIntervalSince1970: 1_795_521_600))
    private let phone: IPhone
    private let policy: AppAttestPolicy
    private let first = [UInt8](repeating: 1, count: 32)
    private let second = [UInt8](repeating: 2, count: 32)

    init() throws {
        let app = try #require(AppID("A1B2C3D4E5.de.example.app"))
        let apple = try AppleAuthority(at: clock.now)
        phone = IPhone(app, SimulatedAppAttest(apple, clock: clock.clock))
        policy = AppAttestPolicy(
            apps: [app], environments: [.production], categories: [.appStore],
            roots: try #require(PinnedRoots(pem: apple.rootPEM)))
    }

    private func evidence(
        _ attestation: inout AppAttestation, _ challenge: [UInt8], _ payload: [UInt8] = [7]
    ) async throws -> IOSEvidence.AppAttest {
        let evidence = try await attestation.evidence(
            for: payload, challenge: challenge, deviceToken: "device", by: phone)
        guard case .iOS(let shown) = evidence else { throw IPhone.Unavailable() }
        #expect(shown.deviceToken == "device" && shown.apiToken == "")
        return try #require(shown.appAttest)
    }

    private func key(_ evidence: IOSEvidence.AppAttest) throws -> AppAttestPublicKey {
        try policy.verify(
            attestation: evidence.attestation, keyID: #require(AppAttestKeyID(evidence.keyID)),
            clientDataHash: Array(SHA256.hash(data: evidence.challenge)), now: clock.now
        ).publicKey
    }

    private func counter(
        _ evidence: IOSEvidence.AppAttest, of key: AppAttestPublicKey, _ payload: [UInt8] = [7]
    ) throws -> UInt32 {
        try policy.verify(
            assertion: evidence.assertion, by: key, clientData: evidence.challenge + payload, lastCounter: 0)
    }

    @Test("Apple attests the key once; after the first success assertions suffice, whose counter rises")
    func life() async throws {
        var app = AppAttestation()
        let first = try await evidence(&app, first)
        let key = try key(first)
        #expect(try counter(first, of: key) == 1)
        app.succeed()
        for number in 2...4 as ClosedRange<UInt8> {
            let next = try await evidence(&app, second, [number])
            #expect(next.keyID == first.keyID && next.attestation.isEmpty && next.challenge == second)
            #expect(try counter(next, of: key, [number]) == UInt32(number))
        }
        #expect(phone.keys.withLock { $0 } == 1)
    }

    @Test("until a request has succeeded, the attestation goes with each; with another challenge the key is a new one")
    func unanswered() async throws {
        var app = AppAttestation()
        let first = try await evidence(&app, self.first)
        let again = try await evidence(&app, self.first)
        #expect(again.keyID == first.keyID && again.attestation == first.attestation)
        #expect(try counter(again, of: key(first)) == 2)
        let later = try await evidence(&app, second)
        #expect(later.keyID != first.keyID)
        #expect(try counter(later, of: key(later)) == 1)
    }

    @Test("when Apple can't be reached, the next attempt is with the same key")
    func offline() async throws {
        var app = AppAttestation()
        phone.isOnline.withLock { $0 = false }
        for _ in 0..<2 {
            do {
                _ = try await evidence(&app, first)
                Issue.record("there should be no evidence without Apple")
            } catch is IPhone.Unavailable {}
        }
        phone.isOnline.withLock { $0 = true }
        let shown = try await evidence(&app, first)
        #expect(try counter(shown, of: key(shown)) == 1)
        #expect(phone.keys.withLock { $0 } == 1)
    }

    @Test("a key that the server doesn't know any more is given up; other refusals cost no key")
    func refused() async throws {
        var app = AppAttestation()
        let first = try await evidence(&app, first)
        app.succeed()
        for status in [.forbidden, .tooManyRequests, .serviceUnavailable] as [HTTPResponse.Status] {
            app.fail(with: status)
        }
        #expect(try await evidence(&app, second).keyID == first.keyID)
        for status in [.badRequest, .unauthorized] as [HTTPResponse.Status] {
            let before = try await evidence(&app, second)
            app.fail(with: status)
            let after = try await evidence(&app, second)
            #expect(after.keyID != before.keyID)
            #expect(try counter(after, of: key(after)) == 1)
        }
    }

    @Test("an app that was closed goes on with its key")
    func kept() async throws {
        var app = AppAttestation()
        let first = try await evidence(&app, first)
        app.succeed()
        app = try JSONDecoder().decode(AppAttestation.self, from: JSONEncoder().encode(app))
        let next = try await evidence(&app, second)
        #expect(next.keyID == first.keyID && next.attestation.isEmpty)
        #expect(try counter(next, of: key(first)) == 2)
    }
}
