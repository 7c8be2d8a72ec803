import Credentials
import Foundation
import HTTPContract
import HTTPTypes
import Running
import TestSupport
import Testing
import VerificationAPI
import VerificationServer

@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct OfficerKeysTests {
    /// Two generations of the identity provider's keys, with a clock that stands still; tokens are valid for a day.
    private let old: OfficerTokens
    private let new: OfficerTokens

    init() {
        let clock = ManualClock(VerificationStage.start)
        old = OfficerTokens(clock: clock, prefix: "old")
        new = OfficerTokens(clock: clock, prefix: "new")
    }

    private static var claims: OfficerTokens.Claims {
        var claims = OfficerTokens.Claims()
        claims.exp = 86_400
        return claims
    }

    /// The status that a token is answered with.
    private func ask(
        _ officers: OfficerTokens, header: String? = nil, signature: OfficerTokens.Signature = .right,
        _ claims: OfficerTokens.Claims = Self.claims, on stage: VerificationStage
    ) async throws -> Int {
        let token = try officers.token(claims, header: header, signature: signature)
        return try await stage.rawPortal(.portal) {
            try await $0.send("POST", "/version/v1/tan/teletan", fields: ["authorization": "Bearer \(token)"]).status
        }
    }

    /// Expects the status that a token is answered with.
    private func expect(
        _ status: Int, _ officers: OfficerTokens, header: String? = nil,
        signature: OfficerTokens.Signature = .right, _ claims: OfficerTokens.Claims = Self.claims,
        on stage: VerificationStage, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let answered = try await ask(officers, header: header, signature: signature, claims, on: stage)
        #expect(answered == status, sourceLocation: sourceLocation)
    }

    /// Waits for the job's first run: the clock is moved only after it, because else that run would be one more read.
    private func firstRun(on stage: VerificationStage) async {
        let success = "job_last_success_seconds{job=\"officer-keys\""
        while !stage.runtime.metrics.text.contains(success) { await Task.yield() }
    }

    private func failures(_ stage: VerificationStage) throws -> Int {
        let name = "officer_keys_failures_total "
        let line = try #require(stage.runtime.metrics.text.split(separator: "\n").first { $0.hasPrefix(name) })
        return try #require(Int(line.dropFirst(name.count)))
    }

    @Test("keys are read from the identity provider, over HTTPS or on the same machine", arguments: [false, true])
    func fetched(plain: Bool) async throws {
        let provider = try OfficerKeyServer(.keys(old.keySet))
        try await provider.run(plain: plain) {
            try await VerificationStage.run(settings: plain ? provider.plainSettings : provider.settings) { stage in
                try await expect(201, old, on: stage)
                let rsa = #"{"alg":"RS256","typ":"JWT","kid":"old-rsa"}"#
                try await expect(201, old, header: rsa, signature: .rsa, on: stage)
                try await expect(401, new, on: stage)
                #expect(provider.questions == 2)
                #expect(try failures(stage) == 0)
            }
        }
    }

    @Test("a token by a new key is accepted at once, whenever keys are replaced, and one by a removed key is refused")
    func rotation() async throws {
        let provider = try OfficerKeyServer(.keys(old.keySet))
        try await provider.run {
            try await VerificationStage.run(settings: provider.settings) { stage in
                try await expect(201, old, on: stage)
                await firstRun(on: stage)
                // Right after a read, and again right after the read that the token causes.
                for keys in [(new, old), (old, new), (new, old)] {
                    provider.set(.keys(keys.0.keySet))
                    try await expect(201, keys.0, on: stage)
                    try await expect(401, keys.1, on: stage)
                }
            }
        }
    }

    @Test("tokens with unknown keys cause ten reads a minute at most, and otherwise invalid tokens none")
    func bounded() async throws {
        let provider = try OfficerKeyServer(.keys(old.keySet))
        try await provider.run {
            try await VerificationStage.run(settings: provider.settings) { stage in
                func many() async throws {
                    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                        for _ in 0..<12 { group.addTask { try await ask(new, on: stage) } }
                        return try await group.reduce(into: []) { $0.append($1) }
                    }
                    #expect(statuses == Array(repeating: 401, count: 12))
                }
                try await expect(201, old, on: stage)
                await firstRun(on: stage)
                var others = Self.claims
                others.iss = "\"https://identity.test/realms/other\""
                try await expect(401, new, others, on: stage)
                try await expect(401, new, header: #"{"alg":"ES256"}"#, on: stage)
                #expect(provider.questions == 1)

                for _ in 0..<12 { try await expect(401, new, on: stage) }
                #expect(provider.questions == 11)
                stage.clock.advance(by: 59)
                try await many()
                #expect(provider.questions == 11)
                stage.clock.advance(by: 1)
                try await expect(401, new, on: stage)
                #expect(provider.questions == 12)
            }
        }
    }

    @Test("without the identity provider the server starts and serves phones, and officers wait until it is reachable")
    func downAtStart() async throws {
        let provider = try OfficerKeyServer(.keys(old.keySet))
        try await VerificationStage.run(settings: provider.settings) { stage in
            try await expect(503, old, on: stage)
            _ = try await stage.register(.guid(.numbered(1)))
            let admin = "http://127.0.0.1:\(try await stage.runtime.adminPort)"
            let ready = try await RawClient.with(admin, tls: nil) { try await $0.send("GET", "/ready").status }
            #expect(ready == 200)
            #expect(try failures(stage) == 1)
            // A caller without a valid token doesn't learn it.
            var others = Self.claims
            others.roles = "[]"
            try await expect(401, old, others, on: stage)

            try await provider.run {
                try await expect(503, old, on: stage)
                stage.clock.advance(by: 5)
                try await expect(201, old, on: stage)
            }
        }
    }

    @Test("while the identity provider is down, its keys stay valid")
    func downLater() async throws {
        let provider = try OfficerKeyServer(.keys(old.keySet))
        try await VerificationStage.run(settings: provider.settings) { stage in
            // It may have come after the server's first try.
            stage.clock.advance(by: 60)
            try await provider.run {
                try await expect(201, old, on: stage)
            }
            let before = try failures(stage)
            stage.clock.advance(by: 3600)
            try await expect(401, new, on: stage)
            #expect(try failures(stage) == before + 1)
            try await expect(201, old, on: stage)
        }
    }

    @Test("an answer that isn't a key set, or is too large or too slow, changes nothing, and phones aren't affected")
    func badAnswers() async throws {
        let keys = old.keySet
        let answers: [OfficerKeyServer.Answer] = [
            .status(.internalServerError), .status(.notFound), .redirect(keys), .huge(keys), .silence, .almost(keys),
            .keys(""), .keys(#"{"keys":[]}"#), .keys("[\(keys)"),
        ]
        let provider = try OfficerKeyServer(.status(.serviceUnavailable))
        try await provider.run {
            try await VerificationStage.run(settings: provider.settings) { stage in
                try await expect(503, old, on: stage)
                var failed = try failures(stage)
                for (index, answer) in answers.enumerated() {
                    provider.set(answer)
                    stage.clock.advance(by: 60)
                    async let officer = ask(old, on: stage)
                    _ = try await stage.register(.guid(.numbered(index)))
                    let began = ContinuousClock.now
                    let status = try await officer
                    #expect(ContinuousClock.now - began < .seconds(9), "\(index)")
                    #expect(status == 503, "\(index)")
                    failed += 1
                    #expect(try failures(stage) == failed, "\(index)")
                }
                provider.set(.keys(keys))
                stage.clock.advance(by: 60)
                try await expect(201, old, on: stage)
                // Now there is something to keep.
                for answer in [OfficerKeyServer.Answer.huge(new.keySet), .status(.ok)] {
                    provider.set(answer)
                    stage.clock.advance(by: 60)
                    try await expect(401, new, on: stage)
                    try await expect(201, old, on: stage)
                }
            }
        }
    }

    @Test("a server with a certificate of another authority is not trusted")
    func foreignProvider() async throws {
        let provider = try OfficerKeyServer(.keys(old.keySet))
        let other = try TestCertificates()
        let settings = provider.settings.merging(["officers.authorities": "\(other.directory)/authority.pem"]) { $1 }
        try await provider.run {
            try await VerificationStage.run(settings: settings) { stage in
                try await expect(503, old, on: stage)
                #expect(provider.questions == 0)
            }
        }
    }

    @Test("a file is read again like a URL, and an invalid one changes nothing")
    func file() async throws {
        let file = URL.temporaryDirectory.appending(path: "officers-\(UUID().uuidString)")
        try Data(old.keySet.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await VerificationStage.run(settings: ["officers.keys": file.path]) { stage in
            try await expect(201, old, on: stage)
            try Data(new.keySet.utf8.dropLast(9)).write(to: file)
            stage.clock.advance(by: 60)
            try await expect(401, new, on: stage)
            #expect(try failures(stage) == 1)
            try await expect(201, old, on: stage)
            try Data(new.keySet.utf8).write(to: file)
            stage.clock.advance(by: 60)
            try await expect(201, new, on: stage)
            try await expect(401, old, on: stage)
        }
    }

    @Test(
        "a location from which anybody could inject keys is an error at start",
        arguments: [
            "http://identity.test/keys", "http://localhost.identity.test/keys", "http://localhost@identity.test/keys",
            "http://127.0.0.1.identity.test/", "ftp://localhost/keys", "file:///etc/keys", "https:///keys",
            "/nowhere/keys.json",
        ])
    func places(place: String) async throws {
        let problem = await #expect(throws: ConfigurationProblem.self) {
            try await VerificationStage.run(settings: ["officers.keys": place]) { _ in }
        }
        #expect(problem?.description.contains("officers.keys") == true)
    }

    @Test("a file of authorities without any is an error at start")
    func noAuthorities() async throws {
        let provider = try OfficerKeyServer(.keys(old.keySet))
        let settings = provider.settings.merging(["officers.authorities": "/dev/null"]) { $1 }
        await #expect(throws: ConfigurationProblem.self) {
            try await VerificationStage.run(settings: settings) { _ in }
        }
    }
}
