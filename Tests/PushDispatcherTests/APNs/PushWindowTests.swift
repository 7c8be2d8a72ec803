import Foundation
import Loop
import TestSupport
import Testing

@testable import PushDispatcher

/// The pushes of a window, without a connection: what is sent, retried and given up, and when.
struct PushWindowTests {
    private static let start = Moment(nanoseconds: 1_000_000_000_000)
    private static let lane = PushLane(environment: .production, isQuarantine: false)
    private var random: any RandomNumberGenerator = SeededGenerator(seed: 1)

    private static func window(_ count: Int, expiry: Duration = .seconds(7200)) throws -> PushWindow {
        PushWindow(
            try (0..<count).map { try APNsStage.push($0) },
            backoff: Backoff(base: .milliseconds(500), cap: .seconds(60)), expiry: start + expiry)
    }

    @Test("pushes are sent in their order, and outcomes are returned in it")
    func order() throws {
        var window = try Self.window(3)
        let numbers = (0..<3).compactMap { _ in window.next(in: Self.lane)?.number }
        #expect(numbers == [0, 1, 2])
        #expect(window.next(in: Self.lane) == nil)
        window.settle(2, .accepted)
        window.settle(0, .wrongToken)
        #expect(window.result == nil)
        window.settle(1, .givenUp)
        #expect(window.result == [.wrongToken, .givenUp, .accepted])
    }

    @Test("the four kinds of connection have queues of their own")
    func lanes() throws {
        let pushes = try PushLane.allCases.enumerated().map { number, lane in
            try APNsStage.push(number, environment: lane.environment, isSuspect: lane.isQuarantine)
        }
        var window = PushWindow(
            pushes, backoff: Backoff(base: .seconds(1), cap: .seconds(1)), expiry: Self.start + .seconds(3600))
        for (number, lane) in PushLane.allCases.enumerated() {
            #expect(lane.index == number)
            #expect(window.waiting(in: lane) == 1)
            #expect(window.next(in: lane)?.number == number)
        }
    }

    @Test("each cause allows a number of retries, and then has its outcome", arguments: RetryCause.allCases)
    mutating func limits(cause: RetryCause) throws {
        var window = try Self.window(1)
        var now = Self.start
        var sent = 0
        while window.result == nil {
            while window.next(in: Self.lane) == nil {
                now = try #require(window.nextMoment)
                window.release(at: now)
            }
            sent += 1
            window.again(0, cause, at: now, using: &random)
        }
        #expect(sent == cause.limit + 1)
        #expect(window.result == [cause.end])
        // Nobody waits longer than the sum of all pauses, each at its longest.
        #expect(now - Self.start <= .seconds(12_000))
    }

    @Test("retries are counted by cause: a push that was refused often may still be retried after a 500")
    mutating func apart() throws {
        var window = try Self.window(1)
        for _ in 0..<100 {
            _ = window.next(in: Self.lane)
            window.again(0, .refusedStream, at: Self.start, using: &random)
        }
        for _ in 0..<3 {
            window.release(at: Self.start + .seconds(1800))
            _ = window.next(in: Self.lane)
            window.again(0, .serverError, at: Self.start, using: &random)
        }
        #expect(window.result == nil)
    }

    @Test("a push in backoff isn't sent before its end")
    mutating func pauses() throws {
        var window = try Self.window(2)
        _ = window.next(in: Self.lane)
        window.again(0, .overloaded, retryAfter: 10, at: Self.start, using: &random)
        #expect(window.nextMoment == Self.start + .seconds(10))
        window.release(at: Self.start + .seconds(10) - .nanoseconds(1))
        #expect(window.waiting(in: Self.lane) == 1)
        window.release(at: Self.start + .seconds(10))
        #expect(window.waiting(in: Self.lane) == 2)
        #expect(window.nextMoment == nil)
    }

    @Test("no backoff ends after the push's expiration, and none exceeds the cap")
    mutating func expiry() throws {
        var window = try Self.window(2, expiry: .seconds(30))
        _ = window.next(in: Self.lane)
        _ = window.next(in: Self.lane)
        window.again(0, .overloaded, retryAfter: 30, at: Self.start, using: &random)
        window.again(1, .overloaded, retryAfter: 29, at: Self.start, using: &random)
        #expect(window.nextMoment == Self.start + .seconds(29))
        var patient = try Self.window(1)
        _ = patient.next(in: Self.lane)
        patient.again(0, .overloaded, retryAfter: 3600, at: Self.start, using: &random)
        #expect(patient.nextMoment == Self.start + .seconds(60))
    }

    @Test("unsent pushes are given up at the expiry, and sent ones are waited for")
    func tooLate() throws {
        var window = try Self.window(2, expiry: .seconds(30))
        _ = window.next(in: Self.lane)
        window.release(at: Self.start + .seconds(30) - .nanoseconds(1))
        #expect(window.waiting(in: Self.lane) == 1)
        window.release(at: Self.start + .seconds(30))
        #expect(window.waiting(in: Self.lane) == 0)
        #expect(window.result == nil)
        window.settle(0, .accepted)
        #expect(window.result == [.accepted, .givenUp])
    }

    @Test("a refusal stops waiting pushes and those in backoff, and sent ones keep their own reply")
    mutating func refusal() throws {
        var window = try Self.window(5)
        for _ in 0..<4 { _ = window.next(in: Self.lane) }
        window.again(0, .overloaded, retryAfter: 5, at: Self.start, using: &random)
        window.settle(1, .refused(.badTopic))
        #expect(window.waiting(in: Self.lane) == 0)
        #expect(window.nextMoment == nil)
        window.settle(2, .accepted)
        window.again(3, .lost, at: Self.start, using: &random)
        let refused = PushOutcome.refused(.badTopic)
        #expect(window.result == [refused, refused, .accepted, refused, refused])
    }

    @Test("a refusal by the sandbox doesn't affect production's pushes")
    mutating func refusalOfOne() throws {
        let pushes = try [APNsEnvironment.sandbox, .production, .sandbox].enumerated().map { number, environment in
            try APNsStage.push(number, environment: environment)
        }
        var window = PushWindow(
            pushes, backoff: Backoff(base: .seconds(1), cap: .seconds(1)), expiry: Self.start + .seconds(3600))
        let refused = PushOutcome.refused(.badEnvironmentKeyInToken)
        _ = window.next(in: PushLane(environment: .sandbox, isQuarantine: false))
        window.settle(0, refused)
        #expect(window.waiting(in: Self.lane) == 1)
        _ = window.next(in: Self.lane)
        window.settle(1, .accepted)
        #expect(window.result == [refused, .accepted, refused])
    }

    @Test("giving up a lane doesn't affect the others")
    mutating func givenUp() throws {
        let pushes = try [false, true].map { try APNsStage.push(0, isSuspect: $0) }
        var window = PushWindow(
            pushes, backoff: Backoff(base: .seconds(1), cap: .seconds(1)), expiry: Self.start + .seconds(3600))
        window.giveUp(Self.lane)
        #expect(window.result == nil)
        #expect(window.waiting(in: PushLane(environment: .production, isQuarantine: true)) == 1)
        window.giveUp()
        #expect(window.result == [.unreachable, .givenUp])
    }

    @Test("backoff grows to the cap, with full jitter")
    mutating func backoff() {
        let backoff = Backoff(base: .milliseconds(500), cap: .seconds(60))
        for (attempt, most) in [(1, 0.5), (2, 1), (3, 2), (4, 4), (8, 60), (60, 60)] {
            let pauses = (0..<200).map { _ in
                backoff.pause(before: attempt, using: &random) / .seconds(1)
            }
            #expect(pauses.allSatisfy { (0...most).contains($0) })
            #expect(pauses.reduce(0, +) / 200 > most * 0.35 && pauses.reduce(0, +) / 200 < most * 0.65)
        }
    }
}
