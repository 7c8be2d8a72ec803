import ExposureKeys
import Foundation
import FurtherAPI
import Phone
import Testing

@Suite struct FurtherIdentityTests {
    private let today = Day(number: 18_387)
    private let answers = Questionnaire.Answers(feelingSick: true, hasBeenTested: true, testResult: true)

    private func days(_ count: Int) -> [Day] { (0..<count).map { today.advanced(by: -$0) } }

    /// Computed apart with Python's `hmac` and `uuid`: secret 00…1f, day 18387.
    @Test("the id of a day is a code of the day under the phone's secret")
    func vector() {
        let identity = FurtherIdentity.daily(secret: Array(0..<32))
        #expect(identity.id(on: today).uuidString == "108765AA-32FE-4AE0-ABFF-8B475A2B5F1D")
    }

    @Test("daily ids are version-4 UUIDs, and all different")
    func form() {
        let ids = (0..<20).flatMap { _ in
            let identity = FurtherIdentity.daily()
            return days(28).map { identity.id(on: $0).uuidString }
        }
        #expect(Set(ids).count == ids.count)
        #expect(
            ids.allSatisfy {
                $0.wholeMatch(of: /[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}/) != nil
            })
    }

    @Test("a lasting id is the same on every day")
    func lasting() {
        let id = UUID()
        #expect(Set(days(20).map { FurtherIdentity.lasting(id).id(on: $0) }) == [id])
    }

    @Test("a batch has 14 records, whatever it says", arguments: [0, 1, 13, 14, 15])
    func size(count: Int) {
        var random = SystemRandomNumberGenerator()
        let identity = FurtherIdentity.daily()
        let batch = identity.batch(of: answers, lastUpdate: 5, on: days(count), using: &random)
        let own = Set(days(min(count, 14)).map(identity.id(on:)))
        #expect(batch.count == 14)
        #expect(Set(batch.map(\.id)).count == 14)
        #expect(Set(batch.filter { $0.answers == answers }.map(\.id)) == own)
        #expect(batch.filter { !own.contains($0.id) }.allSatisfy { $0.answers == .negative })
        #expect(Set(batch.map(\.lastUpdate)) == [5])
    }

    @Test("the place in a batch doesn't tell which record is real")
    func order() {
        var random = SystemRandomNumberGenerator()
        let identity = FurtherIdentity.daily()
        let places = (0..<300).compactMap { _ in
            identity.batch(of: answers, lastUpdate: 5, on: [today], using: &random)
                .firstIndex { $0.id == identity.id(on: today) }
        }
        // A place that is missing among 300 has a probability of 14 · (13/14)^300, about 3 in a thousand million.
        #expect(Set(places) == Set(0..<14))
    }
}
