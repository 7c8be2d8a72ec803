import Calling
import ExposureKeys
import Foundation
import HTTPContract
import Postgres
import Running
import TLS
import TestSupport
import Testing
import TraceKeyAPI
import TraceKeyFormat

@testable import HealthPortal

/// A health authority's contact tracing system uploads trace keys.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(10)))
struct TraceKeyUploadTests {
    /// The stage's day.
    static let today = Day(containing: PortalStage.start)

    static func key(_ number: UInt8, day: Day = today, secret: UInt8 = 2, nonce: UInt8 = 4) -> TraceKey? {
        TraceKey(
            identity: [number] + [UInt8](repeating: 1, count: 31), secretKey: [UInt8](repeating: secret, count: 48),
            day: day,
            associatedData: [UInt8](repeating: 3, count: 40), nonce: [UInt8](repeating: nonce, count: 24))
    }

    static func body(_ keys: TraceKey?...) throws -> String {
        String(decoding: try TraceKeyList(keys.compactMap(\.self)).json(), as: UTF8.self)
    }

    /// Identity and two hours of each stored key.
    static func rows(_ stage: PortalStage) async throws -> [[Int]] {
        try await TestPostgres.withClient(stage.database.superuserConnection) { client in
            try await client.session { session in
                try session.rows(
                    "SELECT identity, bucket FROM venues.trace_key ORDER BY identity", as: [UInt8].self, Int32.self)
            }
        }.map { [Int($0.0[0]), Int($0.1)] }
    }

    private static func fill(_ stage: PortalStage, _ count: Int) async throws {
        try await TestPostgres.withClient(stage.database.superuserConnection) { superuser in
            _ = try await superuser.session {
                try $0.execute(
                    """
                    INSERT INTO venues.trace_key (identity, secret_key, day, associated_data, nonce, bucket)
                    SELECT sha256(number::text::bytea), \([UInt8](repeating: 2, count: 48)), \(today.number),
                        \([UInt8](repeating: 3, count: 40)), \([UInt8](repeating: 4, count: 24)), 1
                    FROM generate_series(1, \(Int32(count))) AS numbers (number)
                    """)
            }
        }
    }

    @Test func `keys are stored with the two hours in which they came, and a repeat changes nothing`() async throws {
        try await PortalStage.run { stage in
            let token = try stage.provider.clientToken()
            let body = try Self.body(Self.key(1), Self.key(2, day: Self.today.advanced(by: -14)))
            stage.clock.advance(by: 1_000)
            #expect(try await stage.upload(body, token) == 200)
            stage.clock.advance(by: 1_000)
            #expect(try await stage.upload(body, token) == 200)
            let bucket = Int(PortalStage.start.timeIntervalSince1970) / 7200
            #expect(try await Self.rows(stage) == [[1, bucket], [2, bucket]])
        }
    }

    @Test func `a token is good for one body`() async throws {
        try await PortalStage.run { stage in
            let token = try stage.provider.clientToken()
            #expect(try await stage.upload(try Self.body(Self.key(1)), token) == 200)
            #expect(try await stage.upload(try Self.body(Self.key(2)), token) == 409)
            #expect(try await Self.rows(stage).map { $0[0] } == [1])
        }
    }

    @Test func `a body that is refused leaves the token good`() async throws {
        try await PortalStage.run { stage in
            let token = try stage.provider.clientToken()
            let tomorrow = Self.today.advanced(by: 1)
            let many = (0...100).map { Self.key(UInt8($0)) }
            let bodies = [
                "", "{}", "[]", "[1]", try Self.body(Self.key(1), Self.key(2, day: tomorrow)),
                try Self.body(Self.key(1, day: Self.today.advanced(by: -15))),
                String(decoding: try TraceKeyList(many.compactMap(\.self)).json(), as: UTF8.self),
            ]
            for body in bodies { #expect(try await stage.upload(body, token) == 400, "\(body)") }
            #expect(try await Self.rows(stage).isEmpty)
            #expect(try await stage.upload(try Self.body(Self.key(1)), token) == 200)
        }
    }

    @Test func `a token with numbers that nobody expects is refused`() async throws {
        try await PortalStage.run { stage in
            let body = try Self.body(Self.key(1))
            for value in HostileJSON.values {
                for claim in ["iat", "exp", "aud", "scope"] {
                    let token = try stage.provider.clientToken { $0[claim] = value }
                    #expect(try await stage.upload(body, token) == 401, "\(claim) \(value.prefix(40))")
                }
            }
            #expect(try await Self.rows(stage).isEmpty)
            #expect(try await stage.upload(body, try stage.provider.clientToken()) == 200)
        }
    }

    @Test func `two keys with one identity and nonce are refused together, so that none is lost unnoticed`()
        async throws
    {
        try await PortalStage.run { stage in
            let token = try stage.provider.clientToken()
            let twins = [
                try Self.body(Self.key(1), Self.key(1, secret: 5)),
                try Self.body(Self.key(1), Self.key(1, day: Self.today.advanced(by: -1)), Self.key(2)),
            ]
            for body in twins { #expect(try await stage.upload(body, token) == 400) }
            #expect(try await Self.rows(stage).isEmpty)
            // With a nonce of its own, a venue's hour may have several keys.
            #expect(try await stage.upload(try Self.body(Self.key(1), Self.key(1, nonce: 5)), token) == 200)
            #expect(try await Self.rows(stage).map { $0[0] } == [1, 1])
        }
    }

    @Test func `a key whose identity and nonce are stored stays as it was, and the others of the upload are stored`()
        async throws
    {
        try await PortalStage.run { stage in
            #expect(try await stage.upload(try Self.body(Self.key(1)), try stage.provider.clientToken()) == 200)
            let other = try Self.body(Self.key(1, secret: 5), Self.key(2))
            #expect(try await stage.upload(other, try stage.provider.clientToken()) == 200)
            let secrets = try await TestPostgres.withClient(stage.database.superuserConnection) { client in
                try await client.session {
                    try $0.rows("SELECT secret_key FROM venues.trace_key ORDER BY identity", as: [UInt8].self)
                }
            }
            #expect(secrets.map { $0[0] } == [2, 2])
        }
    }

    @Test func `nobody uploads without a valid token of the identity provider for this purpose`() async throws {
        try await PortalStage.run { stage in
            let body = try Self.body(Self.key(1))
            let provider = stage.provider
            func refused(
                _ why: String, header: String = #"{"alg":"ES256","kid":"one"}"#,
                signature: TestProvider.Signature = .right, _ change: (inout [String: String]) -> Void = { _ in }
            ) async throws {
                let token = try provider.clientToken(header: header, signature: signature, change)
                #expect(try await stage.upload(body, token) == 401, "\(why)")
            }
            let now = Int(stage.clock.now.timeIntervalSince1970)
            #expect(try await stage.upload(body, nil) == 401)
            #expect(try await stage.upload(body, "no token") == 401)
            try await refused("signed by another", signature: .foreign)
            try await refused("not signed", header: #"{"alg":"none","kid":"one"}"#, signature: .none)
            try await refused(
                "signed with the public key", header: #"{"alg":"HS256","kid":"one"}"#, signature: .publicKey)
            try await refused("a key that isn't there", header: #"{"alg":"ES256","kid":"two"}"#)
            try await refused("another issuer") { $0["iss"] = #""https://example.org""# }
            try await refused("for another service") { $0["aud"] = #""verification-server""# }
            try await refused("an officer's scope") { $0["scope"] = #""openid profile""# }
            try await refused("part of the scope") { $0["scope"] = #""trace-keys-2 trace""# }
            try await refused("without a scope") { $0["scope"] = nil }
            try await refused("without an identifier") { $0["jti"] = nil }
            try await refused("with an empty identifier") { $0["jti"] = #""""# }
            try await refused("over") {
                $0["iat"] = "\(now - 3600)"
                $0["exp"] = "\(now - 61)"
            }
            try await refused("for more than an hour") { $0["exp"] = "\(now + 3601)" }
            try await refused("of the future") {
                $0["iat"] = "\(now + 61)"
                $0["exp"] = "\(now + 600)"
            }
            try await refused("not yet") { $0["nbf"] = "\(now + 61)" }
            try await refused("without an end") { $0["exp"] = nil }
            #expect(try await Self.rows(stage).isEmpty)
            // The control: nothing else is wrong with these requests.
            #expect(try await stage.upload(body, try provider.clientToken()) == 200)
        }
    }

    @Test func `another role's certificate doesn't help`() async throws {
        try await PortalStage.run { stage in
            let (body, token) = (try Self.body(Self.key(1)), try stage.provider.clientToken())
            for role in [Role.lab, .portal, .metadataProxy, .healthPortal] {
                #expect(try await stage.upload(body, token, as: role) == 403)
            }
            #expect(try await Self.rows(stage).isEmpty)
        }
    }

    @Test func `keys are limited, all or none, and an upload that was stored before gets its answer again`()
        async throws
    {
        try await PortalStage.run { stage in
            let (body, token) = (try Self.body(Self.key(1)), try stage.provider.clientToken())
            #expect(try await stage.upload(body, token) == 200)
            try await Self.fill(stage, VenueLimit.rows - 2)
            let other = try stage.provider.clientToken()
            #expect(try await stage.upload(try Self.body(Self.key(2), Self.key(3)), other) == 429)
            #expect(try await Self.rows(stage).count == VenueLimit.rows - 1)
            #expect(try await stage.upload(body, token) == 200)
            // The token is still good, and there is room for one.
            #expect(try await stage.upload(try Self.body(Self.key(2)), other) == 200)
            #expect(try await stage.upload(try Self.body(Self.key(3)), try stage.provider.clientToken()) == 429)
            #expect(try await stage.upload(body, token) == 200)
        }
    }

    @Test func `of uploads with one token at once one is stored`() async throws {
        try await PortalStage.run(replicas: 2) { stage in
            let token = try stage.provider.clientToken()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in UInt8(1)...8 {
                    let body = try Self.body(Self.key(number))
                    group.addTask { try await stage.upload(body, token, replica: Int(number) % 2) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200] + [Int](repeating: 409, count: 7))
            #expect(try await Self.rows(stage).count == 1)
        }
    }
}

extension PortalStage {
    /// Sends an upload of trace keys.
    ///
    /// - Returns: the status.
    func upload(
        _ body: String, _ token: String?, as role: Role = .contactTracing, replica: Int = 0
    ) async throws -> Int {
        try await send(
            .POST, tracingBases[replica] + "/v3/traceKeys",
            headers: [("content-type", "application/json")] + (token.map { [("authorization", "Bearer \($0)")] } ?? []),
            body: body, tls: try certificates.files(role: role).caller
        ).status
    }
}
