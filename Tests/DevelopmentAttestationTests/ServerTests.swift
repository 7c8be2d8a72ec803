import AppAttest
import Certificates
import CompactJOSE
import Crypto
import DevelopmentAttestation
import DevelopmentAttestationAPI
import DeviceCheck
import Foundation
import HTTPContract
import HTTPTypes
import PlayIntegrity
import Running
import Serving
import TestSupport
import Testing

/// The listeners: what a service calls, and what a simulated phone calls.
@Suite(.timeLimit(.minutes(2))) struct ServerTests {
    private static let team = "A1B2C3D4E5"
    private static let keyID = "ABC123DEFG"

    /// A running server with everything that it knows.
    private struct Stage {
        let clock = ManualClock(Date(timeIntervalSince1970: 1_795_521_600))
        let key = P256.Signing.PrivateKey()
        let apple: AppleAuthority
        let playIntegrity = PlayIntegrityMint()
        let listener: Listener

        init() throws {
            let now = clock.now
            apple = try AppleAuthority(at: now)
            let service = SimulatedDeviceCheck(
                team: ServerTests.team, keys: [ServerTests.keyID: key.publicKey], clock: clock.clock)
            let routes = DeviceCheckRoutes(service)
            let evidence = Evidence(apple: apple, playIntegrity: playIntegrity, clock: clock.clock)
            listener = Listener(name: "listen", host: "127.0.0.1", port: 0, security: .plain) { mounts in
                routes.mount(on: &mounts)
                AttestationControl(service, routes, evidence).mount(on: &mounts)
            }
        }

        static func with(_ body: (Stage) async throws -> Void) async throws {
            let stage = try Stage()
            try await withService(listeners: [stage.listener], clock: stage.clock.clock) { _ in try await body(stage) }
        }

        func send(_ path: String, _ body: String, authorization: String? = nil) async throws -> Answer {
            let headers = [("content-type", "application/json")] + (authorization.map { [("authorization", $0)] } ?? [])
            return try await TestSupport.send(
                .POST, "http://127.0.0.1:\(try await listener.boundPort)\(path)", headers: headers, body: body)
        }

        func call<Query: JSONMessage, Result: WireMessage>(
            _ endpoint: Endpoint<Query, Result>, _ query: Query
        ) async throws -> Result {
            let answer = try await send(
                endpoint.route.path, String(decoding: try query.encodedBody(), as: UTF8.self))
            try #require(answer.status == endpoint.success.code)
            return try Result(fields: [:], body: Data(answer.body.utf8))
        }

        func attestationStatus(_ key: String, _ hash: String) async throws -> Int {
            let query = AttestationQuery(keyID: key, clientDataHash: hash, environment: .production)
            let body = String(decoding: try query.encodedBody(), as: UTF8.self)
            return try await send(DevelopmentAttestationAPI.attestation.route.path, body).status
        }

        func assertionStatus(_ key: String, _ hash: String) async throws -> Int {
            let body = String(
                decoding: try AssertionQuery(keyID: key, clientDataHash: hash).encodedBody(), as: UTF8.self)
            return try await send(DevelopmentAttestationAPI.assertion.route.path, body).status
        }

        /// As a service asks Apple.
        func ask(_ operation: DeviceCheckRequest.Operation, _ token: String) async throws -> Answer {
            let request = DeviceCheckRequest(operation, token: try DeviceToken(token), transaction: UUID())
            let key = try DeviceCheckKey(
                pem: key.pemRepresentation, keyID: ServerTests.keyID, team: ServerTests.team)
            return try await send(
                operation.path, String(decoding: try request.json(at: clock.now), as: UTF8.self),
                authorization: "Bearer \(try key.token(at: clock.now))")
        }
    }

    @Test func `a device's first bits are none, in plain text; then they are JSON`() async throws {
        try await Stage.with { stage in
            let token = try await stage.call(DevelopmentAttestationAPI.deviceToken, DeviceTokenQuery(device: "anna"))
                .token
            let none = try await stage.ask(.query, token)
            #expect(none.status == 200)
            #expect(none.body == "Failed to find bit state")
            #expect(none.fields["content-type"] == ["text/plain"])
            let done = try await stage.ask(.update(first: false, second: true), token)
            #expect(done.status == 200)
            #expect(done.body == "")
            let bits = try await stage.ask(.query, token)
            #expect(bits.body == #"{"bit0":false,"bit1":true,"last_update_time":"2026-11"}"#)
            #expect(bits.fields["content-type"] == ["application/json"])
            let setting = DeviceSetting(device: "anna", bits: .init(bit0: true, bit1: true, month: "2026-10"))
            _ = try await stage.call(DevelopmentAttestationAPI.device, setting)
            #expect(try await stage.ask(.query, token).body.hasSuffix(#""2026-10"}"#))
            let wrong = #"{"device":"anna","bits":{"bit0":true,"bit1":true,"month":"2026-13"}}"#
            #expect(try await stage.send("/version/v1/devices", wrong).status == 400)
        }
    }

    @Test func `without authorization, and with another method, Apple's routes refuse`() async throws {
        try await Stage.with { stage in
            for operation in SimulatedDeviceCheck.Operation.allCases {
                #expect(try await stage.send(operation.rawValue, "{}").status == 400)
                let port = try await stage.listener.boundPort
                let answer = try await send(.GET, "http://127.0.0.1:\(port)\(operation.rawValue)")
                #expect(answer.status == 405)
            }
            let long = String(repeating: " ", count: 16_385)
            #expect(try await stage.send(SimulatedDeviceCheck.Operation.query.rawValue, long).status == 413)
        }
    }

    @Test func `the service is ill when it is told to be`() async throws {
        try await Stage.with { stage in
            let token = try await stage.call(DevelopmentAttestationAPI.deviceToken, DeviceTokenQuery(device: "anna"))
                .token
            func behave(_ kind: DeviceCheckBehaviour.Kind) async throws {
                _ = try await stage.call(DevelopmentAttestationAPI.behaviour, DeviceCheckBehaviour(kind))
            }
            for (kind, status) in [(DeviceCheckBehaviour.Kind.busy, 429), (.broken, 500), (.unavailable, 503)] {
                try await behave(kind)
                let answer = try await stage.ask(.query, token)
                #expect(answer.status == status)
                #expect(
                    DeviceCheckAnswer(to: .query, status: answer.status, body: Array(answer.body.utf8)) == .tryLater)
            }
            try await behave(.away)
            await #expect(throws: (any Error).self) { try await stage.ask(.update(first: true, second: true), token) }
            try await behave(.well)
            #expect(try await stage.ask(.query, token).body == "Failed to find bit state")
            for (kind, body) in [
                (DeviceCheckBehaviour.Kind.refuses, "Unable to verify authorization token"), (.refusesSilently, ""),
            ] {
                try await behave(kind)
                let answer = try await stage.ask(.query, token)
                #expect(answer.status == 401 && answer.body == body)
            }
            try await behave(.silent)
            await #expect(throws: (any Error).self) { try await stage.ask(.update(first: true, second: true), token) }
            try await behave(.well)
            #expect(try await stage.ask(.query, token).body.hasPrefix(#"{"bit0":true,"bit1":true,"#))
            try await behave(.addsFields)
            #expect(try await stage.ask(.query, token).body.hasPrefix(#"{"addedLater":[1],"bit0":true,"#))
        }
    }

    @Test func `tokens of Play Integrity are good, unless the query says otherwise`() async throws {
        let digest = [UInt8](SHA256.hash(data: [1] as [UInt8]))
        let binding = PlayIntegrityPolicy.binding(salt: [1] as [UInt8], payload: [2] as [UInt8])
        try await Stage.with { stage in
            let keys = try PlayIntegrityKeys(
                decryption: stage.playIntegrity.decryptionKey, verification: stage.playIntegrity.verificationKey)
            func flaw(_ overrides: IntegrityTokenQuery.Overrides?, standard: Bool = false) async throws
                -> PlayIntegrityFlaw?
            {
                let query = IntegrityTokenQuery(
                    nonce: standard ? nil : binding, requestHash: standard ? binding : nil,
                    packageName: "de.example.app",
                    certificateDigests: [Base64URL.text(digest)], overrides: overrides)
                let token = try await stage.call(DevelopmentAttestationAPI.integrityToken, query).token
                let policy = PlayIntegrityPolicy(
                    request: standard ? .standard : .classic, packageNames: ["de.example.app"],
                    certificateDigests: [digest], tolerance: 600, demandsRecognition: true, demandsLicence: true,
                    strength: .strong)
                do throws(PlayIntegrityFlaw) {
                    let verdict = try PlayIntegrityVerdict(classic: token, keys: keys)
                    try policy.check(verdict, salt: [1] as [UInt8], payload: [2] as [UInt8], now: stage.clock.now)
                    return nil
                } catch {
                    return error
                }
            }
            #expect(try await flaw(nil) == nil)
            #expect(try await flaw(nil, standard: true) == nil)
            #expect(try await flaw(.init(recognition: "UNRECOGNIZED_VERSION")) == .unrecognised)
            #expect(try await flaw(.init(recognition: "UNEVALUATED")) == .notJudged)
            #expect(try await flaw(.init(device: [])) == .basicIntegrity)
            #expect(try await flaw(.init(device: ["MEETS_DEVICE_INTEGRITY"])) == .strongIntegrity)
            #expect(try await flaw(.init(licensing: "UNLICENSED")) == .unlicensed)
            #expect(try await flaw(.init(isTest: true)) == .testing)
            #expect(try await flaw(.init(age: 601)) == .stale)
            #expect(try await flaw(.init(age: -601)) == .stale)
        }
    }

    @Test func `a key is attested once, and signs with a counter that rises`() async throws {
        try await Stage.with { stage in
            let key = try await stage.call(DevelopmentAttestationAPI.appAttestKey, AppAttestKeyQuery(appID: Self.app))
                .keyID
            let id = try #require(AppAttestKeyID(base64: key))
            let policy = AppAttestPolicy(
                apps: [try #require(AppID(Self.app))], environments: [.development], categories: [.appStore],
                roots: try #require(PinnedRoots(pem: stage.apple.rootPEM)))
            #expect(try await stage.assertionStatus(key, Self.hash(1)) == 400)
            let attested = try await stage.call(
                DevelopmentAttestationAPI.attestation,
                AttestationQuery(keyID: key, clientDataHash: Self.hash(1), environment: .development))
            let object = try #require(Data(base64Encoded: attested.attestation))
            let publicKey = try policy.verify(
                attestation: Array(object), keyID: id, clientDataHash: Array(SHA256.hash(data: [1] as [UInt8])),
                now: stage.clock.now
            ).publicKey
            #expect(try await stage.attestationStatus(key, Self.hash(1)) == 400)
            for counter in 1...3 as ClosedRange<UInt32> {
                let answer = try await stage.call(
                    DevelopmentAttestationAPI.assertion, AssertionQuery(keyID: key, clientDataHash: Self.hash(2)))
                let assertion = try #require(Data(base64Encoded: answer.assertion))
                let verified = try policy.verify(
                    assertion: Array(assertion), by: publicKey, clientData: [2] as [UInt8], lastCounter: counter - 1)
                #expect(verified == counter)
            }
        }
    }

    @Test func `an app that isn't one gets no key, and a key that nobody made does nothing`() async throws {
        try await Stage.with { stage in
            let app = String(decoding: try AppAttestKeyQuery(appID: "de.example.app").encodedBody(), as: UTF8.self)
            #expect(try await stage.send(DevelopmentAttestationAPI.appAttestKey.route.path, app).status == 400)
            #expect(try await stage.attestationStatus(Self.hash(3), Self.hash(1)) == 400)
            #expect(try await stage.assertionStatus(Self.hash(3), Self.hash(1)) == 400)
            let key = try await stage.call(DevelopmentAttestationAPI.appAttestKey, AppAttestKeyQuery(appID: Self.app))
                .keyID
            let wrong = String(repeating: "A", count: 44)
            #expect(try await stage.attestationStatus(key, wrong) == 400)
            #expect(try await stage.attestationStatus(key, "AAAA") == 400)
            #expect(try await stage.attestationStatus(key, Self.hash(1)) == 200)
            #expect(try await stage.assertionStatus(key, wrong) == 400)
            #expect(try await stage.assertionStatus(key, Self.hash(1)) == 200)
        }
    }

    private static let app = "\(team).de.example.app"

    private static func hash(_ byte: UInt8) -> String { Data(SHA256.hash(data: [byte])).base64EncodedString() }
}
