import ExposureFormat
import ExposureKeys
import Exposures
import Foundation
import Phone
import TestSupport
import Testing

/// A phone's day, written down: all that it asks for, when, and what it shows its owner.
@Suite struct GoldenDayTests {
    private static let day = Day(number: 20_600)
    private static let midnight = day.firstHour.start

    /// An Android phone whose runs begin 20 minutes and 34 seconds after the hour. It compares each four hours. Its owner opens the app at
    /// six in the evening.
    private static let written = """
        00:20:34 configuration, days, hours, yesterday, compare yesterday
        01:20:34 configuration, hours, 0
        02:20:34 configuration, hours, 1
        03:20:34 configuration, hours, 2
        04:20:34 configuration, hours, 3, compare 0 1 2 3
        05:20:34 configuration, hours, 4
        06:20:34 configuration, hours, 5
        07:20:34 configuration, hours, 6
        08:20:34 configuration, hours, 7, compare 4 5 6 7
        09:20:34 configuration, hours, 8
        10:20:34 configuration, hours, 9
        11:20:34 configuration, hours, 10
        12:20:34 configuration, hours, 11, compare 8 9 10 11
        13:20:34 configuration, hours, 12
        14:20:34 configuration, hours, 13
        15:20:34 configuration, hours, 14
        16:20:34 configuration, hours, 15, compare 12 13 14 15
        17:20:34 configuration, hours, 16
        18:00:00 configuration, hours
        18:20:34 configuration, hours, 17
        19:20:34 configuration, hours, 18
        20:20:34 configuration, hours, 19, compare 16 17 18 19
        21:20:34 configuration, hours, 20
        22:20:34 configuration, hours, 21
        23:20:34 configuration, hours, 22
        """

    /// One line for each moment.
    private static func lines(of log: [SimulatedPhone.Sent]) -> [String] {
        var moments: [(at: Date, asked: [String])] = []
        for sent in log where sent.at >= midnight {
            if moments.last?.at != sent.at { moments.append((sent.at, [])) }
            moments[moments.count - 1].asked.append(name(sent.kind))
        }
        return moments.map { moment in
            let second = Int(moment.at.timeIntervalSince(midnight))
            let time = String(format: "%02d:%02d:%02d", second / 3600, second / 60 % 60, second % 60)
            return "\(time) \(moment.asked.joined(separator: ", "))"
        }
    }

    private static func name(_ kind: App.Request.Kind) -> String {
        switch kind {
        case .configuration: "configuration"
        case .dayIndex: "days"
        case .hourIndex(day): "hours"
        case .package(let package, _): name(package)
        case .detect(let packages): "compare \(packages.map(name).joined(separator: " "))"
        default: "something else"
        }
    }

    private static func name(_ package: KeyPackage) -> String {
        if package == .day(day.advanced(by: -1)) { return "yesterday" }
        return package.day == day ? package.hour.map { "\($0.ofDay)" } ?? "today" : "another day"
    }

    /// The key of a person who is near for half an hour from nine o'clock on, tests positive, and shares the day's key at noon. It is
    /// published when nobody can pretend to be the person any more, in the package of 14 o'clock.
    private static func meet(_ phone: inout SimulatedPhone) throws {
        var random = SeededGenerator(seed: 2)
        var other = Phone(at: midnight, using: &random)
        let metadata = BroadcastMetadata(transmitPower: -20, calibrationConfidence: .high)
        for scan in 0..<8 {
            let now = midnight + 9 * 3600 + Double(scan) * 240
            let heard = try other.advertisement(in: IntervalNumber(containing: now), metadata)
            phone.store.hear([Reception(try #require(heard), strength: -70)], at: now)
        }
        other.rollOver(at: midnight + 12 * 3600)
        let keys = other.diagnosisKeys(of: day...day, .day(day))
        #expect(keys.map(\.rollingPeriod.length) == [72])
        phone.tree.keys[.hour(day.firstHour.advanced(by: 14))] = keys.map(ExportedKey.init)
    }

    @Test("a phone hears somebody, downloads, compares, and shows a red card: a day, request by request")
    func requests() throws {
        var phone = SimulatedPhone(
            .android(wifi: .always, dozes: false), at: Self.midnight - 12 * 3600, seed: 1, phase: 1234)
        var cards: [RiskCard] = []
        for hour in 0..<24 {
            if hour == 9 { try Self.meet(&phone) }
            if hour == 18 { phone.tell(.opened) }
            phone.live(until: Self.midnight + Double(hour + 1) * 3600)
            let windows = phone.store.windows(by: phone.app.rules.keys, at: phone.now, using: &phone.random)
            cards.append(phone.app.card(of: windows, at: phone.now))
        }
        #expect(Self.lines(of: phone.log) == Self.written.split(separator: "\n").map { String($0) })
        // The package of 14 o'clock comes at 15:20, and is compared an hour later.
        #expect(cards == Array(repeating: .low, count: 16) + Array(repeating: .high, count: 8))
    }
}
