import ExposureKeys
import Testing

@testable import CountryModel

struct TestingTests {
    @Test("what happens to a test happens once, in its hour and in order: sample, registration, result, call")
    func journey() async {
        var country = Country(
            CountryStage.parameters {
                $0.disease.firstCases = 200
                $0.testing.electronicShare = 0.5
            })
        var swabs: [TestID: HourEvents.Swab] = [:]
        var registered: Set<TestID> = []
        var results: Set<TestID> = []
        var positives = 0
        var called: Set<TestID> = []
        await CountryStage.live(&country, days: 14) { country, events in
            for swab in events.swabs {
                #expect(swab.at.hour == events.hour && swabs.updateValue(swab, forKey: swab.test) == nil)
            }
            for registration in events.registrations {
                #expect(registration.at.hour == events.hour && registered.insert(registration.test).inserted)
                #expect(swabs[registration.test].map { $0.at <= registration.at && $0.route == .electronic } == true)
                #expect(country.people[registration.person.index].phone != nil)
            }
            for result in events.results {
                #expect(result.at.hour == events.hour && results.insert(result.test).inserted)
                #expect(swabs[result.test].map { $0.at <= result.at && $0.person == result.person } == true)
                positives += result.isPositive ? 1 : 0
            }
            for call in events.calls {
                #expect(call.at.hour == events.hour && called.insert(call.test).inserted)
                #expect(swabs[call.test]?.route == .telephone)
                #expect(country.people[call.person.index].phone != nil)
            }
        }
        #expect(positives > 20 && !called.isEmpty && !registered.isEmpty)
        #expect(positives <= country.statistics.total(\.allPositives))
        #expect(swabs.count == country.statistics.total(\.swabs))
        // Nobody is tested twice within a week.
        for tests in Dictionary(grouping: swabs.values, by: \.person).values {
            let times = tests.map(\.at).sorted()
            #expect(zip(times, times.dropFirst()).allSatisfy { $0.minutes(until: $1) >= 7 * Minute.perDay })
        }
    }
}
