import ExposureKeys
import Testing

@testable import CountryModel

struct TestingTests {
    private static let parameters = CountryStage.parameters(population: 20_000)
    private static let people = Population(parameters).people
    private static let swab = Minute(600, of: CountryStage.start)
    private static let records = people.map { person in
        TestRecord(
            TestID(rawValue: person.id.rawValue), of: person, .random, at: swab, seed: 5, TestingParameters())
    }

    private static func share<Element>(_ elements: [Element], _ property: (Element) -> Bool) -> Double {
        Double(elements.count(where: property)) / Double(max(1, elements.count))
    }

    /// Somebody infected so many days before the sample.
    private static func infection(daysBefore days: Double) -> Infection {
        Infection(of: people[0], at: swab.advanced(byDays: -days), by: nil, place: nil, seed: 5, DiseaseParameters())
    }

    @Test("samples find the infection from the third day to the fourteenth, as often as published")
    func sensitivity() {
        func positives(_ infection: Infection?) -> Double {
            Self.share(Self.records) { $0.isPositive(infection, TestingParameters()) }
        }
        for days in [3.1, 8, 13.9] {
            #expect(abs(positives(Self.infection(daysBefore: days)) - 0.8) < 0.015, "\(days) days")
        }
        for days in [-1, 0.5, 2.9, 14.1] {
            #expect(positives(Self.infection(daysBefore: days)) < 0.003, "\(days) days")
        }
        #expect(positives(nil) > 0 && positives(nil) < 0.003)
    }

    @Test("laboratories need a median of 12 hours and a mean of about 21")
    func laboratories() {
        let hours = Self.records.map { Double($0.swabAt.minutes(until: $0.resultAt)) / 60 }.sorted()
        #expect(hours[hours.count / 2].isNear(12, within: 0.05))
        // Seven days at the latest take a little of the mean.
        #expect(Moments(hours).mean.isNear(21, within: 0.08))
        #expect(hours[hours.count - 1] <= 7 * 24)
    }

    @Test("only users register, by the code if there is one; officers call by day")
    func routes() {
        #expect(abs(Self.share(Self.records) { $0.route == .electronic } - 0.85) < 0.015)
        let users = Self.records.filter { Self.people[$0.person.index].phone != nil }
        #expect(abs(Self.share(users) { $0.isRegistered } - 0.55) < 0.025)
        for record in Self.records {
            #expect(!record.isRegistered || Self.people[record.person.index].phone != nil)
            #expect((record.registersAt != nil) == (record.isRegistered && record.route == .electronic))
            #expect((480..<1080).contains(record.callAt.ofDay) && record.resultAt < record.callAt)
        }
    }

    @Test("four of five users share their keys, after half an hour to three quarters")
    func consent() {
        let sharings = Self.records.map { Sharing(of: $0, nil, seed: 5, TestingParameters()) }
        #expect(abs(Self.share(sharings) { $0 != nil } - 0.8) < 0.015)
        // So about one in seven positive people warns others.
        let warners = zip(Self.records, sharings).count { $0.isRegistered && $1 != nil }
        #expect((0.13...0.18).contains(Double(warners) / Double(Self.records.count)))
        let minutes = sharings.compactMap { $0?.minutesAfterResult }
        #expect(minutes.min() == 30 && minutes.max() == 45)
        // People without symptoms don't name a day.
        #expect(sharings.allSatisfy { [SymptomAnswer.none, .unsaid].contains($0?.symptoms ?? .unsaid) })
    }

    @Test("who has symptoms names the true day, or the range in which it lies", arguments: [1, 10, 20])
    func answers(daysAgo: Int) {
        let now = Self.swab
        let onset = now.advanced(byDays: Double(-daysAgo))
        let answers = (0..<5000).map { subject in
            var random = RandomStream(1, .sharing, UInt64(subject))
            return SymptomAnswer(onset: onset, at: now, TestingParameters(), using: &random)
        }
        let range: SymptomAnswer = daysAgo <= 7 ? .lastWeek : daysAgo <= 14 ? .weekBefore : .earlier
        #expect(Set(answers) == [.day(onset.day), range, .unknownDay, .unsaid])
        #expect(abs(Self.share(answers) { $0 == .day(onset.day) } - 0.6) < 0.03)
        #expect(abs(Self.share(answers) { $0 == range } - 0.15) < 0.03)
    }

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
