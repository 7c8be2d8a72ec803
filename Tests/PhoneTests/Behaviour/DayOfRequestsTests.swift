import ExposureFormat
import ExposureKeys
import Foundation
import Phone
import TestSupport
import Testing
import Venues

/// How much a phone asks for in a day, by its class.
@Suite struct DayOfRequestsTests {
    private static let day = Day(number: 20_600)
    private static let start = day.firstHour.start

    /// The requests of one day of a phone that was installed two days before.
    private static func day(
        of device: DeviceClass, seed: UInt64 = 1, phase: Int32 = 1234, before: (inout SimulatedPhone) -> Void = { _ in }
    ) -> [App.Request.Kind] {
        var phone = SimulatedPhone(device, at: start - 2 * 86_400, seed: seed, phase: phase)
        before(&phone)
        phone.live(until: start + 86_400 - 1)
        return phone.log.filter { $0.at >= start && $0.kind.isGet }.map(\.kind)
    }

    private struct Count: Equatable {
        var configurations = 0
        var dayIndexes = 0
        var hourIndexes = 0
        var days = 0
        var hours = 0
        var warnings = 0

        init(_ kinds: [App.Request.Kind]) {
            for kind in kinds {
                switch kind {
                case .configuration: configurations += 1
                case .dayIndex: dayIndexes += 1
                case .hourIndex: hourIndexes += 1
                case .package(let package, _): if package.hour == nil { days += 1 } else { hours += 1 }
                default: warnings += 1
                }
            }
        }

        init(_ numbers: Int...) {
            (configurations, dayIndexes, hourIndexes) = (numbers[0], numbers[1], numbers[2])
            (days, hours, warnings) = (numbers[3], numbers[4], numbers[5])
        }
    }

    // Corona-Warn-App's model: configuration and list in each run, one file an hour, one a day.
    @Test(
        "an Android phone's day on each kind of network",
        arguments: [
            (DeviceClass.WiFi.always, [24, 1, 24, 1, 23], 73), (.nights, [24, 1, 8, 1, 23], 57),
            (.never, [24, 1, 0, 1, 0], 26),
        ])
    func android(wifi: DeviceClass.WiFi, counts: [Int], all: Int) {
        let kinds = Self.day(of: .android(wifi: wifi, dozes: false))
        #expect(Count(kinds) == Count(counts[0], counts[1], counts[2], counts[3], counts[4], 0))
        #expect(kinds.count == all)
    }

    @Test("a visit in the diary costs a list and a package of reports an hour, or, in Apple's form, every two hours")
    func reports() throws {
        let (corona, seed) = (try CheckInStage.location(), try CheckInStage.code())
        let count = { (codes: [VenueCode]) in
            Count(
                Self.day(of: .android(wifi: .never, dozes: false)) { phone in
                    for code in codes { phone.tell(.checkedIn(code, minutes: 30)) }
                }
            ).warnings
        }
        #expect(count([]) == 0)
        #expect(count([corona]) == 48)
        #expect(count([seed]) == 24)
        #expect(count([corona, seed]) == 72)
    }

    @Test("a list of reports that names more hours than there can be costs no more than another")
    func boundless() throws {
        let codes = [try CheckInStage.location(), try CheckInStage.code()]
        let kinds = Self.day(of: .android(wifi: .never, dozes: false)) { phone in
            phone.tree.isBoundless = true
            for code in codes { phone.tell(.checkedIn(code, minutes: 30)) }
        }
        #expect(Count(kinds).warnings == 72)
    }

    @Test("an iPhone asks for both lists in each run, and has every key at the end", arguments: [2, 4, 6, 12, 24])
    func ios(wakeUps: Int) {
        for seed in 0..<20 {
            let kinds = Self.day(of: .ios(wakeUps: wakeUps), seed: UInt64(seed))
            let count = Count(kinds)
            let runs = count.configurations
            #expect(Double(runs) >= 0.5 * Double(wakeUps) && Double(runs) < 2.1 * Double(wakeUps))
            #expect(count.dayIndexes == runs && count.days == 1)
            #expect(count.hours <= 23 || count.hourIndexes > runs)
            // One list more if the first run came before yesterday's package was published.
            #expect((runs...(runs + 2)).contains(count.hourIndexes))
        }
    }

    @Test("by night, Doze lets a phone ask every two to six hours, and by day at its own moment of each hour")
    func doze() {
        for seed in 0..<50 {
            var phone = SimulatedPhone(.android(wifi: .always), at: Self.start - 86_400, seed: UInt64(seed))
            phone.live(until: Self.start + 3 * 86_400)
            let runs = phone.log.filter { if case .configuration = $0.kind { true } else { false } }.map(\.at)
                .filter { $0 >= Self.start }
            let phase = Double(phone.app.phase)
            for (run, next) in zip(runs, runs.dropFirst()) {
                let seconds = next.timeIntervalSince1970.truncatingRemainder(dividingBy: 86_400)
                if (25_200..<82_800).contains(seconds) {
                    #expect(seconds.truncatingRemainder(dividingBy: 3600) == phase)
                } else {
                    #expect((7200...21_600).contains(next.timeIntervalSince(run)))
                }
            }
        }
    }

    @Test("phones spread their requests over the hour: no minute has a multiple of its share")
    func spread() {
        var random = SeededGenerator(seed: 3)
        var minutes = [Int](repeating: 0, count: 60)
        for _ in 0..<6000 {
            let app = App(App.Setup(device: .android(wifi: .always)), installedAt: Self.start, using: &random)
            minutes[Int(app.phase) / 60] += 1
        }
        // A hundred in each on average: six standard deviations.
        #expect(minutes.allSatisfy { (40...160).contains($0) })
    }

    @Test("the state of a phone after three days has a few kilobytes")
    func size() throws {
        var phone = SimulatedPhone(.android(wifi: .always), dummies: .vigil, at: Self.start, seed: 1)
        phone.live(until: Self.start + 3 * 86_400)
        let heap = phone.app.downloads.files.count * MemoryLayout<Downloads.File>.stride
        #expect(MemoryLayout<App>.size + heap < 4096)
        let kept = try JSONEncoder().encode(phone.app)
        #expect(try JSONDecoder().decode(App.self, from: kept).downloads == phone.app.downloads)
    }
}
