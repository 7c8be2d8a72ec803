import Credentials
import Foundation
import HTTPContract
import HTTPTypes
import ServiceKit
import TestSupport
import Testing
import VerificationAPI

@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct TANTests {
    @Test("only a positive test is given a TAN")
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
            #expect(try await stage.counts()["tan"] == 2)
        }
    }

    @Test("who was refused while the result was open is given a TAN when it is positive")
    func laterPositive() async throws {
        try await VerificationStage.run { stage in
            let token = try await stage.registered(.numbered(1), .pcrPending)
            await #expect(throws: CallError.refused(.badRequest)) { try await stage.tan(token) }
            stage.results.set(.pcrPositive, for: .numbered(1))
            _ = try await stage.tan(token)
        }
    }

    @Test("a repeat is given the same TAN until an upload is confirmed with it, and never another one")
    func repeated() async throws {
        try await VerificationStage.run { stage in
            let token = try await stage.registered(.numbered(1))
            let tan = try await stage.tan(token)
            #expect(try await stage.tan(token) == tan)
            #expect(try await stage.reserve(tan, .tag(1)) == .granted)
            #expect(try await stage.tan(token) == tan)
            #expect(try await stage.confirm(tan, .tag(1)) == .granted)
            await #expect(throws: CallError.refused(.badRequest)) { try await stage.tan(token) }
            // Nor after the TAN's row is gone.
            stage.clock.advance(by: 15 * 60 + 1)
            try await stage.applyRetention()
            #expect(try await stage.counts() == ["session": 1, "registered_guid": 1])
            await #expect(throws: CallError.refused(.badRequest)) { try await stage.tan(token) }
        }
    }

    @Test("where two uploads are allowed, the second TAN comes after the first upload, and no third")
    func two() async throws {
        try await VerificationStage.run(settings: ["tan.perRegistration": "2"]) { stage in
            let token = try await stage.registered(.numbered(1))
            let first = try await stage.tan(token)
            #expect(try await stage.tan(token) == first)
            _ = try await stage.reserve(first, .tag(1))
            _ = try await stage.confirm(first, .tag(1))
            let second = try await stage.tan(token)
            #expect(second != first)
            #expect(try await stage.tan(token) == second)
            _ = try await stage.reserve(second, .tag(2))
            _ = try await stage.confirm(second, .tag(2))
            await #expect(throws: CallError.refused(.badRequest)) { try await stage.tan(token) }
        }
    }

    @Test("who asks many times at once is given one TAN")
    func once() async throws {
        try await VerificationStage.run { stage in
            let token = try await stage.registered(.numbered(1))
            let tans = try await withThrowingTaskGroup(of: TAN.self) { group in
                for _ in 0..<50 { group.addTask { try await stage.tan(token) } }
                return try await group.reduce(into: Set<TAN>()) { $0.insert($1) }
            }
            #expect(tans.count == 1)
            #expect(try await stage.counts()["tan"] == 1)
        }
    }

    @Test("a TAN lives for 14 days")
    func lifetime() async throws {
        try await VerificationStage.run { stage in
            let token = try await stage.registered(.numbered(1))
            let tan = try await stage.tan(token)
            stage.clock.advance(by: 14 * 86_400 - 1)
            try await stage.applyRetention()
            #expect(try await stage.tan(token) == tan)
            stage.clock.advance(by: 1)
            await #expect(throws: CallError.refused(.badRequest)) { try await stage.tan(token) }
            #expect(try await stage.reserve(tan, .tag(1)) == .refused)
            stage.clock.advance(by: 1)
            try await stage.applyRetention()
            #expect(try await stage.counts()["tan"] == nil)
            await #expect(throws: CallError.refused(.badRequest)) { try await stage.tan(token) }
        }
    }

    @Test("nothing that is stored of a TAN is stored of its registration")
    func unlinked() async throws {
        try await VerificationStage.run { stage in
            let token = try await stage.registered(.numbered(1))
            let tan = try await stage.tan(token)
            _ = try await stage.reserve(tan, .tag(1))
            let rows = try await stage.rows()
            let row = try #require(rows.first { $0.hasPrefix("tan ") })
            #expect(row.contains(tan.digest.hex))
            for other in rows where !other.hasPrefix("tan ") {
                #expect(!other.contains(tan.digest.hex))
            }
            #expect(!row.contains(token.digest.hex))
            #expect(!row.contains(HashedGUID.numbered(1).text))
            // No time but the expiry's, which is the issue's.
            #expect(row.matches(of: /\d\d:\d\d:\d\d/).count == 1)
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
