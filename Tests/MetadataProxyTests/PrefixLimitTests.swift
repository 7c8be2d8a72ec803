import FoundationEssentials
import Running
import Serving
import TestSupport
import Testing

@testable import MetadataProxy

@Suite struct PrefixLimitTests {
    private func prefix(_ text: String) throws -> AddressPrefix {
        AddressPrefix(bytes: try #require(addressBytes(text)))
    }

    private func admitted(_ text: String, by limit: PrefixLimit, of attempts: Int) throws -> Int {
        let prefix = try prefix(text)
        return (0..<attempts).count { _ in limit.admits(prefix) }
    }

    @Test("a prefix may send as many requests as the limit allows in every five minutes")
    func window() throws {
        let clock = ManualClock(Date(timeIntervalSince1970: 1_779_796_800))
        let limit = PrefixLimit(3, clock: clock.clock)
        #expect(try admitted("203.0.113.7", by: limit, of: 5) == 3)
        clock.advance(by: 299)
        #expect(try admitted("203.0.113.7", by: limit, of: 5) == 0)
        clock.advance(by: 1)
        #expect(try admitted("203.0.113.7", by: limit, of: 5) == 3)
    }

    @Test("a clock that is set back refuses nobody for longer than five minutes")
    func clockSetBack() throws {
        let clock = ManualClock(Date(timeIntervalSince1970: 1_779_796_800))
        let limit = PrefixLimit(3, clock: clock.clock)
        #expect(try admitted("203.0.113.7", by: limit, of: 5) == 3)
        clock.advance(by: -3600)
        #expect(try admitted("203.0.113.7", by: limit, of: 5) == 3)
        #expect(try admitted("203.0.113.7", by: limit, of: 1) == 0)
    }

    @Test(
        "addresses of one network share a limit, others don't",
        arguments: [
            ("203.0.113.7", "203.0.113.250", true), ("203.0.113.7", "203.0.114.7", false),
            ("203.0.113.7", "::ffff:203.0.113.9", true), ("2001:db8:1::1", "2001:db8:1:ffff::2", true),
            ("2001:db8:1::1", "2001:db8:2::1", false), ("203.0.113.7", "2001:db8:1::1", false),
        ])
    func prefixes(one: String, other: String, isShared: Bool) throws {
        let limit = PrefixLimit(2, clock: .system)
        #expect(try admitted(one, by: limit, of: 2) == 2)
        #expect(try admitted(other, by: limit, of: 2) == (isShared ? 0 : 2))
    }

    @Test("ten thousand prefixes at a tenth of the limit are all admitted")
    func many() throws {
        let limit = PrefixLimit(50, clock: .system)
        for number in 0..<10_000 {
            #expect(try admitted("10.\(number / 256).\(number % 256).1", by: limit, of: 5) == 5)
        }
    }

    @Test("callers without an address are limited as well")
    func noAddress() {
        let limit = PrefixLimit(1, clock: .system)
        #expect(limit.admits(AddressPrefix(nil)))
        #expect(!limit.admits(AddressPrefix(nil)))
    }
}
