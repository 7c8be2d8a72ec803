import FoundationEssentials
import Running
import Serving
import TestSupport
import Testing

@testable import MetadataProxy

@Suite struct RefusalLimitTests {
    private let clock = ManualClock(Date(timeIntervalSince1970: 1_779_796_800))
    private let limit: RefusalLimit

    init() {
        limit = RefusalLimit(10, clock: clock.clock)
    }

    private func prefix(_ text: String = "203.0.113.7") throws -> AddressPrefix {
        AddressPrefix(bytes: try #require(addressBytes(text)))
    }

    /// How many of a number of consecutive requests are admitted, if the service refuses, or accepts, them all.
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

    @Test("a prefix that reaches the limit is refused for five minutes, and other prefixes are not affected")
    func refusals() throws {
        #expect(try through(30) == 10)
        #expect(try through(30, from: "203.0.114.7") == 10)
        clock.advance(by: 299)
        #expect(try through(1) == 0)
        clock.advance(by: 1)
        #expect(try through(30) == 10)
    }

    @Test("a clock that is set back refuses nobody for longer, nor is the service under strain for longer")
    func clockSetBack() throws {
        limit.note(isStrained: true)
        #expect(try through(30) == 2)
        clock.advance(by: -3600)
        #expect(try through(30) == 10)
    }

    @Test("accepted requests are not counted")
    func successes() throws {
        #expect(try through(1_000, areRefused: false) == 1_000)
        #expect(try through(30) == 10)
    }

    /// How many more requests are admitted while a number of them are in progress.
    private func through(_ count: Int, beside inProgress: Int) throws -> Int {
        guard inProgress > 0 else { return try through(count) }
        guard var attempt = limit.attempt(from: try prefix()) else { return 0 }
        let more = try through(count, beside: inProgress - 1)
        attempt.refused()
        return more
    }

    @Test("refusals and requests in progress may reach four times the limit together; under strain a fifth of it")
    func together() throws {
        #expect(try through(30, beside: 35) == 5)
        clock.advance(by: 300)
        limit.note(isStrained: true)
        #expect(try through(30, beside: 1) == 1)
    }

    @Test("a request that ends in a later window changes nothing in that window")
    func windows() throws {
        var early = limit.attempt(from: try prefix())
        clock.advance(by: 300)
        #expect(try through(10) == 10)
        early?.refused()
        early = nil
        #expect(try through(1) == 0)
    }

    @Test(
        "under strain a prefix has a fifth of the limit, as long as the service reports strain, and for a minute at most"
    )
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
