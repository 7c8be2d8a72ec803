import Foundation
import TestSupport
import Testing

@testable import HealthPortal

@Suite struct ZoneFileTests {
    /// Zones of all kinds: with summer time, without, south of the equator, by half an hour, with one more day or one less.
    private static let zones = [
        "Europe/Berlin", "Europe/Dublin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe",
        "Africa/Casablanca",
        "Pacific/Apia", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "UTC",
    ]

    @Test("clocks show what Foundation says that they show, until 2037", arguments: zones)
    func clocks(name: String) throws {
        let zone = try #require(ZoneFile(name))
        let other = try #require(TimeZone(identifier: name))
        // 1950 to 2036, in steps that are no multiple of an hour.
        for second in stride(from: Int64(-631_152_000), to: 2_114_380_800, by: 211_333) {
            let offset = Int64(other.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second))))
            #expect(zone.local(second) == second + offset, "\(name) \(second)")
            // Back again: the same second, or an hour earlier at which clocks showed this, too.
            let back = try #require(zone.second(local: second + offset))
            #expect(back <= second && back > second - 7200 && zone.local(back) == second + offset)
        }
    }

    @Test("around each change of the clocks a second is right, too", arguments: zones)
    func changes(name: String) throws {
        let zone = try #require(ZoneFile(name))
        let other = try #require(TimeZone(identifier: name))
        var moment = Date(timeIntervalSince1970: 0)
        while let next = other.nextDaylightSavingTimeTransition(after: moment), next.timeIntervalSince1970 < 2.1e9 {
            for second in (-1...1).map({ Int64(next.timeIntervalSince1970) + $0 }) {
                let offset = other.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second)))
                #expect(zone.local(second) == second + Int64(offset), "\(name) \(second)")
            }
            moment = next
        }
    }

    @Test(
        "what names no zone is refused",
        arguments: [
            "", "/", "Europe", "Europe/", "/Europe/Berlin", "Mars/Olympus", "../zoneinfo/UTC", "Europe/../UTC",
            "zone.tab",
            "./UTC", "UTC\u{0}", "/etc/passwd", "Ｕ",
        ])
    func names(name: String) {
        #expect(ZoneFile(name) == nil)
    }

    @Test("a file that is cut or changed is read or refused")
    func malformed() throws {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/Europe/Berlin")))
        #expect(ZoneFile(bytes: bytes)?.local(0) == 3600)
        // The rule at the end is cut off last.
        let rule = try #require(bytes.dropLast().lastIndex(of: UInt8(ascii: "\n")))
        for count in 0..<rule { #expect(ZoneFile(bytes: Array(bytes.prefix(count))) == nil) }
        var random = SeededGenerator(seed: 36)
        for _ in 0..<2000 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                changed[Int.random(in: 0..<changed.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            _ = ZoneFile(bytes: changed)?.local(1_779_796_800)
            _ = ZoneFile(bytes: changed)?.second(local: 1_779_796_800)
        }
    }

    @Test("a file that leaves changes to come to a rule is refused")
    func rules() throws {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/UTC")))
        #expect(ZoneFile(bytes: bytes) != nil)
        let end = try #require(bytes.dropLast().lastIndex(of: UInt8(ascii: "\n")))
        #expect(ZoneFile(bytes: bytes[...end] + Array("CET-1CEST,M3.5.0,M10.5.0/3\n".utf8)) == nil)
        // Version 1 has times of 32 bits only.
        #expect(ZoneFile(bytes: bytes.prefix(4) + [0] + bytes.dropFirst(5)) == nil)
    }
}
