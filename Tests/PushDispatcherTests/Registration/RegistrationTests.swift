import Credentials
import Foundation
import HTTPContract
import Postgres
import PushFormat
import Running
import SwiftProtobuf
import TestSupport
import Testing

@testable import PushDispatcher

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct RegistrationTests {
    private static let token = String(repeating: "a1", count: 32)
    private static let other = String(repeating: "b2", count: 32)
    private static let hour = Int32(DispatcherStage.now.timeIntervalSince1970) / 3600

    @Test(
        "a phone registers, renews, changes its token and deregisters, and all answers are alike",
        arguments: [
            "/v3/register", "/v1/register",
        ])
    func life(path: String) async throws {
        try await DispatcherStage.run { stage in
            let before = try await stage.stored("A")
            #expect(before.isEmpty)
            #expect(try await stage.accepts("A", Self.token, at: path))
            var row = DispatcherStage.Stored(token: Self.token, kind: 0, hour: Self.hour, standing: 0)
            #expect(try await stage.has(row, for: "A"))
            stage.clock.advance(by: 7200)
            #expect(try await stage.accepts("A", Self.token, at: path))
            row = DispatcherStage.Stored(token: Self.token, kind: 0, hour: Self.hour + 2, standing: 0)
            #expect(try await stage.has(row, for: "A"))
            #expect(try await stage.accepts("A", Self.other.uppercased(), .iod, at: path))
            row = DispatcherStage.Stored(token: Self.other, kind: 2, hour: Self.hour + 2, standing: 0)
            #expect(try await stage.has(row, for: "A"))
            #expect(try await stage.accepts("A", "", at: path))
            #expect(try await stage.stored("A").isEmpty)
            #expect(try await stage.accepts("A", " \n", at: path))
            #expect(try await stage.stored("A").isEmpty)
        }
    }

    @Test("a reinstalled app replaces the registration with the same token, and others stay")
    func installedAgain() async throws {
        try await DispatcherStage.run { stage in
            for (instance, token) in [("A", Self.token), ("B", Self.other), ("C", Self.token)] {
                #expect(try await stage.accepts(instance, token))
            }
            let found = try await stage.stored("A", "B", "C").mapValues(\.token)
            #expect(found == ["B": Self.other, "C": Self.token])
        }
    }

    @Test("a renewal keeps an accepted standing and resets a refused one")
    func standing() async throws {
        try await DispatcherStage.run { stage in
            for (before, token, after) in [
                (Int16(1), Self.token, Int16(1)), (2, Self.token, 0), (1, Self.other, 0), (2, Self.other, 0),
            ] {
                _ = try await stage.register("A", Self.token)
                try await stage.asSuperuser { session in
                    try session.execute("UPDATE push_dispatcher.registration SET standing = \(before)")
                }
                _ = try await stage.register("A", token)
                let found = try await stage.stored("A")["A"]?.standing
                #expect(found == after)
            }
        }
    }

    @Test("an Android phone's token is stored unchanged")
    func android() async throws {
        try await DispatcherStage.run { stage in
            let token = "fcm:" + String(repeating: "Z_9", count: 60)
            #expect(try await stage.accepts("A", token, .and))
            let found = try await stage.stored("A")["A"]
            #expect(found?.token == token && found?.kind == 1)
        }
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var instance = "A"
        var token = RegistrationTests.token
        var type = PushType.ios
    }

    static let bad = [
        Bad(testDescription: "an odd number of digits", token: "abc"),
        Bad(testDescription: "no digits", token: "zz"),
        Bad(testDescription: "digits of another script", token: "١٢"),
        Bad(testDescription: "201 digits", token: String(repeating: "a", count: 202)),
        Bad(testDescription: "a token with spaces around it", token: " aabb "),
        Bad(testDescription: "an invalid token of a development build", token: "abc", type: .iod),
        Bad(testDescription: "an Android token with a space", token: "fcm token", type: .and),
        Bad(
            testDescription: "an Android token that is too long", token: String(repeating: "a", count: 256), type: .and),
        Bad(testDescription: "an unknown kind of phone", type: .UNRECOGNIZED(3)),
        Bad(testDescription: "no device id", instance: ""),
        Bad(testDescription: "no device id, deregistering", instance: "", token: ""),
        Bad(testDescription: "a device id that is too long", instance: String(repeating: "a", count: 256)),
    ]

    @Test("an invalid registration is refused and changes nothing", arguments: bad)
    func malformed(_ bad: Bad) async throws {
        try await DispatcherStage.run { stage in
            _ = try await stage.register("A", Self.other)
            let before = try await stage.stored("A")
            #expect(try await stage.register(bad.instance, bad.token, bad.type).status == 400)
            #expect(try await stage.stored("A") == before)
        }
    }

    @Test("both media types of protobuf are accepted and no other, and an invalid message is 400")
    func media() async throws {
        try await DispatcherStage.run { stage in
            let body = try PushRegistration.with { $0.deviceID = "A" }.serializedBytes() as Data
            for (media, status) in [
                ("application/x-protobuf", 200), ("application/protobuf", 200), ("Application/Protobuf; v=1", 200),
                ("application/json", 415), ("application/octet-stream", 415), (nil, 415),
            ] {
                #expect(try await stage.post("/v3/register", body, media: media).status == status)
            }
            #expect(try await stage.post("/v3/register", Data([0xff])).status == 400)
            #expect(try await stage.post("/v3/register", Data(repeating: 0, count: 4097)).status == 413)
        }
    }

    @Test("only the proxy may register, and only distribution may announce", arguments: Role.allCases)
    func callers(role: Role) async throws {
        try await DispatcherStage.run(caller: role) { stage in
            let registered = try await stage.register("A", Self.token).status
            #expect(registered == (role == .metadataProxy ? 200 : 403))
            let announced = try await stage.announce().status
            #expect(announced == (role == .distribution ? 202 : 403))
        }
    }

    @Test("concurrent registrations of one token are all answered, and one row a token remains")
    func atOnce() async throws {
        try await DispatcherStage.run { stage in
            let tokens = ["a1", "b2", "c3"].map { String(repeating: $0, count: 32) }
            try await withThrowingTaskGroup(of: Int.self) { group in
                for turn in 0..<120 {
                    group.addTask {
                        let token = turn % 11 == 10 ? "" : tokens[turn / 3 % 3]
                        return try await stage.register("phone \(turn % 4)", token).status
                    }
                }
                for try await status in group { #expect(status == 200) }
            }
            let stored = try await stage.stored("phone 0", "phone 1", "phone 2", "phone 3")
            #expect(Set(stored.values.map(\.token)).count == stored.count)
            #expect(stored.values.allSatisfy { $0.token != nil })
        }
    }

    @Test("announcements before a wave starts count as one")
    func announcements() async throws {
        try await DispatcherStage.run(caller: .distribution) { stage in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await stage.announce().status } }
                for try await status in group { #expect(status == 202) }
            }
            let planned = try await stage.asSuperuser { session in
                try session.rows("SELECT planned_at FROM push_dispatcher.wave WHERE started_at IS NULL", as: Date.self)
            }
            // Without registrations, the dispatcher may have finished it already.
            #expect(planned.isEmpty || planned == [DispatcherStage.now])
        }
    }
}
