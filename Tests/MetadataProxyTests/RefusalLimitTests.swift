import FoundationEssentials
import NIOCore
import ServiceKit
import Testing

@testable import MetadataProxy

@Suite struct RefusalLimitTests {
    private let clock = ManualClock(Date(timeIntervalSince1970: 1_779_796_800))
    private let limit: RefusalLimit

    init() {
        limit = RefusalLimit(10, clock: clock.clock)
    }

    private func prefix(_ text: String = "203.0.113.7") throws -> AddressPrefix {
        AddressPrefix(try SocketAddress(ipAddress: text, port: 40_000))
    }

    /// How many of so many requests, one after the other, are let through, all of which the service refuses or takes.
    private func through(_ count: Int, from text: String = "203.0.113.7", areRefused: Bool = true) throws -> Int {
        let prefix = try prefix(text)
        var through = 0
        for _ in 0..<count {
            guard var attempt = limit.attempt(from: prefix) else { continue }
            through += 1
            if areRefused { attempt.refused() }
        }
        return through
    }

    @Test("so many refusals of a prefix end its requests for five minutes, and others go on")
    func refusals() throws {
        #expect(try through(30) == 10)
        #expect(try through(30, from: "203.0.114.7") == 10)
        clock.advance(by: 299)
        #expect(try through(1) == 0)
        clock.advance(by: 1)
        #expect(try through(30) == 10)
    }

    @Test("requests that are taken are not counted")
    func successes() throws {
        #expect(try through(1_000, areRefused: false) == 1_000)
        #expect(try through(30) == 10)
    }

    /// How many more requests are let through while so many are under way.
    private func through(_ count: Int, beside underWay: Int) throws -> Int {
        guard underWay > 0 else { return try through(count) }
        guard var attempt = limit.attempt(from: try prefix()) else { return 0 }
        let more = try through(count, beside: underWay - 1)
        attempt.refused()
        return more
    }

    @Test("of refusals and requests under way a prefix has four times as many, under strain no more")
    func together() throws {
        #expect(try through(30, beside: 35) == 5)
        clock.advance(by: 300)
        limit.note(isStrained: true)
        #expect(try through(30, beside: 1) == 1)
    }

    @Test("a request of one window that ends in another takes nothing back there")
    func windows() throws {
        var early = limit.attempt(from: try prefix())
        clock.advance(by: 300)
        #expect(try through(10) == 10)
        early?.refused()
        early = nil
        #expect(try through(1) == 0)
    }

    @Test("under strain a prefix has a fifth, for as long as the service says so, and a minute at most")
    func strain() throws {
        limit.note(isStrained: true)
        #expect(try through(30) == 2)
        #expect(try through(30, from: "203.0.114.7") == 2)
        clock.advance(by: 60)
        #expect(try through(30) == 8)
        limit.note(isStrained: true)
        #expect(try through(30, from: "203.0.115.7") == 2)
        limit.note(isStrained: false)
        #expect(try through(30, from: "203.0.115.7") == 8)
    }
}
