import ExposureKeys
import Testing

@testable import SimulatedCountry

@Suite("The schedule of injected faults") struct FaultScheduleTests {
    private static let hours = (0..<2400).map { Hour(number: 490_000 + $0) }

    @Test("each kind comes about twice a day, one fault in a slot at most, and never in a slot in which it can't")
    func rates() {
        let schedule = FaultSchedule(faults: InjectedFault.allCases, seed: 1)
        var counts: [InjectedFault: Int] = [:]
        for entries in Self.hours.map(schedule.entries) {
            #expect(Set(entries.map(\.slot)).count == entries.count)
            for entry in entries {
                counts[entry.fault, default: 0] += 1
                #expect((0...4).contains(entry.slot))
                #expect(entry.slot > 0 || [.kill, .database, .disk].contains(entry.fault))
            }
        }
        // 200 are expected of each, less those whose slot was taken; the bounds are six standard deviations away.
        for fault in InjectedFault.allCases { #expect((100...285).contains(counts[fault] ?? 0), "\(fault)") }
    }

    @Test("the same seed gives the same moments, whichever other kinds are asked for, and another seed gives others")
    func seeds() {
        let all = Self.hours.flatMap(FaultSchedule(faults: InjectedFault.allCases, seed: 1).entries)
        let kills = Self.hours.flatMap(FaultSchedule(faults: [.kill], seed: 1).entries)
        #expect(!kills.isEmpty && kills.allSatisfy { $0.fault == .kill })
        #expect(kills == all.filter { $0.fault == .kill })
        #expect(kills != Self.hours.flatMap(FaultSchedule(faults: [.kill], seed: 2).entries))
        #expect(Self.hours.flatMap(FaultSchedule(faults: [], seed: 1).entries).isEmpty)
    }
}
