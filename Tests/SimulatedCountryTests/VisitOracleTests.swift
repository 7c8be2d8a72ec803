import CountryModel
import ExposureKeys
import Foundation
import Testing
import Venues

@testable import SimulatedCountry

/// Each fault is made once, for the same reason as in ``OracleTests``.
@Suite("The oracle of a simulated country's venues") struct VisitOracleTests {
    /// Noon of a day, and visits of an hour's length that begin minutes after it.
    private static let noon = Day(number: 20_458).firstHour.start.addingTimeInterval(43_200)
    private static let shared = noon.addingTimeInterval(86_400)
    private static let end = noon.addingTimeInterval(86_400 * 5)

    private static func visit(
        of person: UInt32, to venue: UInt32 = 1, from minute: Int64 = 0, for minutes: Int64 = 60
    ) -> PhoneVisit {
        let start = Int64(noon.timeIntervalSince1970) + minute * 60
        return PhoneVisit(
            person: PersonID(rawValue: person), venue: VenueID(rawValue: venue), seconds: start..<start + minutes * 60)
    }

    /// Person 0 shares a visit; others were there, or not, and found its report, or not.
    private static func faults(
        others: [PhoneVisit], found: [PhoneVisit], sharedToo: [PhoneVisit] = [], at end: Date = end
    ) -> (faults: [Oracle.Fault], judged: Int) {
        var oracle = VisitOracle(.shipped)
        for visit in [visit(of: 0)] + others { oracle.checkedIn(visit) }
        for visit in [visit(of: 0)] + sharedToo { oracle.shared(visit, acknowledged: shared) }
        oracle.found(Set(found))
        return (oracle.judge(at: end).map(\.fault), oracle.judgedPairs)
    }

    @Test("it is content when everybody who was there at the same time found the report, and nobody else did")
    func content() {
        let beside = Self.visit(of: 1, from: 30)
        let others = [beside, Self.visit(of: 2, to: 2), Self.visit(of: 3, from: 600)]
        let result = Self.faults(others: others, found: [beside])
        #expect(result.faults.isEmpty)
        #expect(result.judged == 1)
    }

    @Test("whoever was there and didn't find the report is a case")
    func neverMatched() {
        #expect(Self.faults(others: [Self.visit(of: 1, from: 30)], found: []).faults == [.visitNeverMatched])
    }

    @Test(
        "a report that a phone found at another venue, at another time, or of itself is a case",
        arguments: [visit(of: 2, to: 2), visit(of: 3, from: 600), visit(of: 0)])
    func nobody(_ visit: PhoneVisit) {
        #expect(Self.faults(others: [visit], found: [visit]).faults == [.visitOfNobody])
    }

    @Test("whoever came while a visitor's breath was still in the air has to find the report")
    func aerosol() {
        let after = Self.visit(of: 1, from: 61)
        #expect(Self.faults(others: [after], found: []).faults == [.visitNeverMatched])
        #expect(Self.faults(others: [after], found: [after]).faults.isEmpty)
    }

    @Test("nothing is expected of people who have shared themselves, nor soon after the upload")
    func lenience() {
        let beside = Self.visit(of: 1, from: 30)
        let sharer = Self.faults(others: [beside], found: [], sharedToo: [beside])
        #expect(sharer.faults.isEmpty && sharer.judged == 0)
        let early = Self.faults(others: [beside], found: [], at: Self.shared.addingTimeInterval(59 * 3600))
        #expect(early.faults.isEmpty && early.judged == 0)
    }
}
