import CountryModel
import ExposureKeys
import Foundation
import Testing

@testable import SimulatedCountry

/// Each fault is made once, for the same reason as in ``OracleTests``.
@Suite("The oracle of a simulated country's Further app") struct FurtherOracleTests {
    private static let noon = Day(number: 20_458).firstHour.start.addingTimeInterval(43_200)
    private static let id = UUID()
    private static let (owner, listener) = (PersonID(rawValue: 0), PersonID(rawValue: 1))

    /// Person 1 hears person 0, who learns of a positive test at noon, and is told of some ids hours later.
    private static func judge(
        heardAfter hours: Double = -1, isOfDay: Bool = false, isPositive: Bool = true,
        told: [(ids: Set<UUID>, count: Int, after: Double)], end: Double = 100
    ) -> (faults: [Oracle.Fault], judged: Int) {
        var oracle = FurtherOracle()
        oracle.heard(id, .init(owner: owner, isOfDay: isOfDay, at: noon + hours * 3600), by: listener)
        if isPositive { oracle.learnedPositive(owner, at: noon) }
        oracle.told(told.map { .init(ids: $0.ids, count: $0.count, at: noon + $0.after * 3600) }, to: listener)
        return (oracle.judge(at: noon + end * 3600).map(\.fault), oracle.judgedPairs)
    }

    @Test("it is content when whoever met a person with a positive test was told, once, and nobody else was")
    func content() {
        let result = Self.judge(told: [([Self.id], 1, 7), ([], 0, 31)])
        #expect(result.faults.isEmpty)
        #expect(result.judged == 1)
        #expect(Self.judge(isPositive: false, told: [([], 0, 7)]).faults.isEmpty)
    }

    @Test(
        "whoever isn't told in time is a case: of an id of a day later, and a day later if it was heard after the report",
        arguments: [(-1, false, 35), (-1, true, 41), (3, false, 38), (3, true, 68)])
    func neverTold(heardAfter hours: Double, isOfDay: Bool, within limit: Double) {
        func faults(toldAfter time: Double?) -> [Oracle.Fault] {
            Self.judge(heardAfter: hours, isOfDay: isOfDay, told: time.map { [([Self.id], 1, $0)] } ?? []).faults
        }
        #expect(faults(toldAfter: nil) == [.neverTold])
        #expect(faults(toldAfter: limit) == [])
        #expect(faults(toldAfter: limit + 1) == [.neverTold])
    }

    @Test("an id that is told twice, or counted more often than told, is a case")
    func toldTwice() {
        #expect(Self.judge(told: [([Self.id], 1, 7), ([Self.id], 1, 31)]).faults == [.toldTwice])
        #expect(Self.judge(told: [([Self.id], 1, 7), ([], 1, 31)]).faults == [.toldTwice])
    }

    @Test("an id that nobody heard, whose owner has no positive test, or that was told too early is a case")
    func toldOfNobody() {
        #expect(Self.judge(told: [([Self.id, UUID()], 2, 7)]).faults == [.toldOfNobody])
        #expect(Self.judge(isPositive: false, told: [([Self.id], 1, 7)]).faults == [.toldOfNobody])
        #expect(Self.judge(told: [([Self.id], 1, -1)]).faults == [.toldOfNobody])
        #expect(Self.judge(heardAfter: 8, told: [([Self.id], 1, 7)]).faults == [.toldOfNobody])
    }

    @Test("nothing is expected soon after a report, nor of one that is about to be forgotten")
    func lenience() {
        let early = Self.judge(told: [], end: 34)
        #expect(early.faults.isEmpty && early.judged == 0)
        let late = Self.judge(heardAfter: 24 * 10, told: [], end: 24 * 20)
        #expect(late.faults.isEmpty && late.judged == 0)
    }
}
