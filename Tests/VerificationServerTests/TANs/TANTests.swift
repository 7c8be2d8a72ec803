import Calling
import Credentials
import Foundation
import HTTPContract
import HTTPTypes
import Running
import TestSupport
import Testing
import VerificationAPI

@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct TANTests {
    @Test("only a positive test receives a TAN")
    func positive() async throws {
        try await VerificationStage.run { stage in
            for (number, code) in TestResultCode.allCases.enumerated() where code.forApps == code {
                let token = try await stage.registered(.numbered(number), code)
                if code.isPositive {
                    _ = try await stage.tan(token)
                } else {
                    await #expect(throws: CallError.refused(.badRequest), "\(code)") { try await stage.tan(token) }
                }
            }
            // Issuing one writes nothing.
            #expect(try await stage.counts()["used_tan"] == nil)
        }
    }

    @Test("a phone that was refused while the result was pending receives a TAN once it is positive")
    func laterPositive() async throws {
        try await VerificationStage.run { stage in
            let token = try await stage.registered(.numbered(1), .pcrPending)
            await #expect(throws: CallError.refused(.badRequest)) { try await stage.tan(token) }
            stage.results.set(.pcrPositive, for: .numbered(1))
            _ = try await stage.tan(token)
        }
    }

    @Test("a repeat returns the same TAN until an upload is confirmed with it, and never another one")
    func repeated() async throws {
        try await VerificationStage.run(settings: ["tan.perRegistration": "1"]) { stage in
            let token = try await stage.registered(.numbered(1))
            let tan = try await stage.tan(token)
            #expect(try await stage.tan(token) == tan)
            #expect(try await stage.reserve(tan, .tag(1)) == .granted)
            #expect(try await stage.tan(token) == tan)
            #expect(try await stage.confirm(tan, .tag(1)) == .granted)
            await #expect(throws: CallError.refused(.badRequest)) { try await stage.tan(token) }
            // Nor ever after.
            stage.clock.advance(by: 21 * 86_400)
            try await stage.applyRetention()
            #expect(try await stage.counts() == ["session": 1, "registered_guid": 1, "used_tan": 1])
            await #expect(throws: CallError.refused(.badRequest)) { try await stage.tan(token) }
        }
    }

    @Test(
        "two uploads are allowed unless configured: each TAN is issued after the upload before, and none too many",
        arguments: [nil, 1, 2, 3, 14])
    func several(perRegistration: Int?) async throws {
        let settings = perRegistration.map { ["tan.perRegistration": "\($0)"] } ?? [:]
        try await VerificationStage.run(settings: settings) { stage in
            let token = try await stage.registered(.numbered(1))
            var tans: Set<TAN> = []
            for number in 1...(perRegistration ?? 2) {
                let tan = try await stage.tan(token)
                #expect(try await stage.tan(token) == tan)
                #expect(tans.insert(tan).inserted)
                #expect(try await stage.reserve(tan, .tag(number)) == .granted)
                #expect(try await stage.tan(token) == tan)
                #expect(try await stage.confirm(tan, .tag(number)) == .granted)
                // The next may be for another day.
                stage.clock.advance(by: 86_400)
            }
            await #expect(throws: CallError.refused(.badRequest)) { try await stage.tan(token) }
        }
    }

    @Test("a teleTAN, too, authorises two uploads")
    func twoByTelephone() async throws {
        try await VerificationStage.run { stage in
            let token = try await stage.register(.teleTAN(try await stage.teleTAN(.test)))
            for number in 1...2 {
                let tan = try await stage.tan(token)
                #expect(try await stage.reserve(tan, .tag(number)) == .granted)
                #expect(try await stage.confirm(tan, .tag(number)) == .granted)
            }
            await #expect(throws: CallError.refused(.badRequest)) { try await stage.tan(token) }
        }
    }

    @Test("a number of uploads that can't be is refused at the start", arguments: ["0", "15"])
    func refusedNumber(perRegistration: String) async throws {
        await #expect(throws: ConfigurationProblem.self) {
            try await VerificationStage.run(settings: ["tan.perRegistration": perRegistration]) { _ in }
        }
    }

    @Test("many concurrent requests receive one TAN")
    func once() async throws {
        try await VerificationStage.run { stage in
            let token = try await stage.registered(.numbered(1))
            let tans = try await withThrowingTaskGroup(of: TAN.self) { group in
                for _ in 0..<50 { group.addTask { try await stage.tan(token) } }
                return try await group.reduce(into: Set<TAN>()) { $0.insert($1) }
            }
            #expect(tans.count == 1)
        }
    }

    @Test("a TAN is valid for a day and the rest of its last hour, and then another is issued for the same upload")
    func lifetime() async throws {
        try await VerificationStage.run(settings: ["tan.perRegistration": "1"]) { stage in
            stage.clock.advance(by: 59 * 60)
            let token = try await stage.registered(.numbered(1))
            let tan = try await stage.tan(token)
            stage.clock.advance(by: 86_400 + 59)
            #expect(try await stage.reserve(tan, .tag(1)) == .granted)
            stage.clock.advance(by: 1)
            #expect(try await stage.reserve(tan, .tag(1)) == .refused)
            let next = try await stage.tan(token)
            #expect(next != tan)
            // The upload for which the first was reserved has it still.
            #expect(try await stage.reserve(next, .tag(2)) == .refused)
            #expect(try await stage.reserve(next, .tag(1)) == .granted)
            #expect(try await stage.confirm(next, .tag(1)) == .granted)
            await #expect(throws: CallError.refused(.badRequest)) { try await stage.tan(token) }
            #expect(try await stage.counts()["used_tan"] == 1)
        }
    }

    @Test("the lifetime of a TAN is configured, but none outlives its registration by more than a day")
    func configuredLifetime() async throws {
        try await VerificationStage.run(settings: ["tan.lifetime": "336"]) { stage in
            let token = try await stage.registered(.numbered(1))
            let early = try await stage.tan(token)
            stage.clock.advance(by: 336 * 3600)
            #expect(try await stage.reserve(early, .tag(1), .onBehalf) == .refused)
            #expect(try await stage.reserve(early, .tag(1)) == .granted)
            stage.clock.advance(by: 3600)
            #expect(try await stage.reserve(early, .tag(1)) == .refused)
            stage.clock.advance(by: (21 * 24 - 337) * 3600)
            let last = try await stage.tan(token)
            stage.clock.advance(by: 24 * 3600)
            #expect(try await stage.reserve(last, .tag(1)) == .granted)
            stage.clock.advance(by: 3600)
            #expect(try await stage.reserve(last, .tag(1)) == .refused)
        }
    }

    @Test("issuing a TAN leaves no trace in the database, not even a row's lock")
    func writesNothing() async throws {
        try await VerificationStage.run { stage in
            let token = try await stage.registered(.numbered(1))
            let before = try await stage.traces()
            for _ in 0..<5 { _ = try await stage.tan(token) }
            #expect(try await stage.traces() == before)
            // The same look finds what a reservation writes.
            _ = try await stage.reserve(try await stage.tan(token), .tag(1))
            #expect(try await stage.traces() != before)
        }
    }

    @Test("nothing stored of a TAN is stored of its registration")
    func unlinked() async throws {
        try await VerificationStage.run { stage in
            let token = try await stage.registered(.numbered(1))
            let tan = try await stage.tan(token)
            _ = try await stage.reserve(tan, .tag(1))
            let rows = try await stage.rows()
            let row = try #require(rows.first { $0.hasPrefix("used_tan ") })
            let digest = try #require(row.firstMatch(of: /[0-9a-f]{64}/)?.output)
            for other in rows where !other.hasPrefix("used_tan ") { #expect(!other.contains(digest)) }
            #expect(!row.contains(token.digest.hex))
            #expect(!row.contains(HashedGUID.numbered(1).text))
            #expect(!row.contains(Digest(sha256: tan.text.utf8).hex))
            // No time of day, anywhere.
            for row in rows { #expect(!row.contains(/\d\d:\d\d:\d\d/)) }
        }
    }

    @Test("another key gives another TAN for the same token")
    func keyed() async throws {
        let token = RegistrationToken(try #require(RandomIdentifier("63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f")))
        var tans: Set<TAN> = []
        for digit in ["a", "b"] {
            let path = URL.temporaryDirectory.appending(path: "tan-key-\(UUID().uuidString)").path
            try Data(String(repeating: digit, count: 64).utf8).write(to: URL(filePath: path))
            defer { try? FileManager.default.removeItem(atPath: path) }
            let tan = try await VerificationStage.run(settings: ["secrets.tanKey": path]) { stage in
                stage.results.set(.pcrPositive, for: .numbered(1))
                try await stage.plantSession(token, .numbered(1))
                return try await stage.tan(token)
            }
            tans.insert(tan)
        }
        #expect(tans.count == 2)
    }
}
