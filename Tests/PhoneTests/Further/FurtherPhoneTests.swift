import ExposureKeys
import Foundation
import FurtherAPI
import Phone
import Testing

@Suite struct FurtherPhoneTests {
    /// 2020-05-05, 12:00 UTC.
    private let noon = Date(timeIntervalSince1970: 1_588_680_000)
    private let positive = Questionnaire.Answers(feelingSick: true, hasBeenTested: true, testResult: true)
    private let day: TimeInterval = 86_400

    private func post(of phone: inout FurtherPhone, at now: Date) -> FurtherPhone.Post? {
        var random = SystemRandomNumberGenerator()
        return phone.post(at: now, using: &random)
    }

    /// A phone that was carried about on so many days up to noon.
    private func carried(days: Int) -> FurtherPhone {
        var phone = FurtherPhone()
        for offset in (0..<days).reversed() { _ = phone.broadcast(at: noon - Double(offset) * day) }
        return phone
    }

    private func update(of phone: inout FurtherPhone, listed: [UUID], at now: Date) throws -> DailyUpdate {
        let question = phone.look(at: now, zone: 0)
        return phone.receive(listed: listed, to: try #require(question), at: now)
    }

    // MARK: Risk

    @Test(
        "the risk is low without an exposure, medium from one and high from three on",
        arguments: zip([0, 1, 2, 3, 50], [DailyUpdate.Risk.low, .medium, .medium, .high, .high]))
    func risk(exposures: Int, risk: DailyUpdate.Risk) throws {
        var phone = FurtherPhone()
        let people = (0..<60).map { _ in UUID() }
        for person in people { phone.connect(person, at: noon) }
        let update = try update(of: &phone, listed: Array(people.prefix(exposures)) + [UUID()], at: noon + 8 * 3600)
        #expect(update == DailyUpdate(exposures: exposures))
        #expect(update.risk == risk)
        #expect(phone.lastUpdate == update)
    }

    @Test("an update counts what is new: an id is told once, also if it is met and listed again")
    func onlyNew() throws {
        var phone = FurtherPhone()
        let people = (0..<3).map { _ in UUID() }
        for person in people { phone.connect(person, at: noon) }
        #expect(try update(of: &phone, listed: Array(people.prefix(2)), at: noon + 8 * 3600).risk == .medium)
        phone.connect(people[0], at: noon + 9 * 3600)
        // The second of three brings one more: not a high risk, as three in all would be.
        #expect(try update(of: &phone, listed: people, at: noon + day + 8 * 3600) == DailyUpdate(exposures: 1))
    }

    @Test("an empty list is an answer: the user is told of a low risk, and the phone asks tomorrow")
    func emptyList() throws {
        var phone = FurtherPhone()
        #expect(try update(of: &phone, listed: [], at: noon + 8 * 3600).risk == .low)
        #expect(phone.look(at: noon + 9 * 3600, zone: 0) == nil)
        #expect(phone.look(at: noon + day + 8 * 3600, zone: 0) != nil)
    }

    // MARK: The questionnaire, with a lasting id

    @Test("answers are posted until they are confirmed, with the time at which they were given")
    func untilConfirmed() throws {
        let id = UUID()
        var phone = FurtherPhone(identity: .lasting(id))
        #expect(post(of: &phone, at: noon) == nil)
        phone.answer(positive, at: noon)
        let first = try #require(post(of: &phone, at: noon))
        #expect(!first.isBatch)
        #expect(
            first.reports == [
                HealthReport(id: id, answers: positive, lastUpdate: Int64(noon.timeIntervalSince1970))
            ])
        let second = try #require(post(of: &phone, at: noon + day))
        #expect(second.reports == first.reports)
        phone.confirm(second)
        #expect(post(of: &phone, at: noon + day) == nil)
    }

    @Test("an answer that is given while another is on its way is posted, too, and is newer")
    func meanwhile() throws {
        var phone = FurtherPhone(identity: .lasting(UUID()))
        phone.answer(positive, at: noon)
        let first = try #require(post(of: &phone, at: noon))
        phone.answer(.negative, at: noon)
        phone.confirm(first)
        let second = try #require(post(of: &phone, at: noon)?.reports.first)
        #expect(second.answers == .negative)
        #expect(second.lastUpdate > (first.reports.first?.lastUpdate ?? .infinity))
    }

    @Test("a clock that is set back doesn't make an answer later than servers accept")
    func clockSetBack() {
        var questionnaire = Questionnaire()
        questionnaire.answer(positive, at: noon)
        questionnaire.answer(.negative, at: noon - day)
        #expect(questionnaire.lastUpdate == Int64(noon.timeIntervalSince1970 - day) + 300)
    }

    // MARK: The questionnaire, with daily ids

    @Test("every phone posts a batch a day, with or without answers")
    func dailyBatch() throws {
        var phone = carried(days: 5)
        let dummy = try #require(post(of: &phone, at: noon))
        #expect(dummy.isBatch)
        #expect(dummy.reports.count == 14)
        #expect(dummy.reports.allSatisfy { $0.answers == .negative })
        let own = Set((0..<5).map { phone.identity.id(on: Day(containing: noon - Double($0) * day)) })
        #expect(own.isDisjoint(with: dummy.reports.map(\.id)))
        #expect(post(of: &phone, at: noon + 60) != nil)
        phone.confirm(dummy)
        #expect(post(of: &phone, at: noon + 120) == nil)
        #expect(post(of: &phone, at: noon + day) != nil)
    }

    @Test("a positive batch has the ids of the days on which the phone was carried, and each further day's")
    func positiveBatch() throws {
        var phone = carried(days: 3)
        let ids = (0..<3).map { phone.identity.id(on: Day(containing: noon - Double($0) * day)) }
        phone.answer(positive, at: noon)
        let first = try #require(post(of: &phone, at: noon))
        #expect(Set(first.reports.filter { $0.answers.testResult }.map(\.id)) == Set(ids))
        phone.confirm(first)
        let tomorrow = phone.identity.id(on: Day(containing: noon + day))
        #expect(phone.broadcast(at: noon + day) == tomorrow)
        let second = try #require(post(of: &phone, at: noon + day))
        let told = second.reports.filter { $0.answers.testResult }
        #expect(Set(told.map(\.id)) == Set(ids + [tomorrow]))
        #expect(Set(told.map(\.lastUpdate)) == [noon.timeIntervalSince1970])
    }

    @Test("a positive test is posted for 14 days; afterwards the batches are dummies")
    func fortnight() throws {
        var phone = carried(days: 1)
        phone.answer(positive, at: noon)
        _ = phone.broadcast(at: noon + 13 * day)
        let last = try #require(post(of: &phone, at: noon + 14 * day - 1))
        #expect(last.reports.contains { $0.answers.testResult })
        let next = try #require(post(of: &phone, at: noon + 14 * day))
        #expect(next.reports.allSatisfy { !$0.answers.testResult })
    }

    @Test(
        "a positive answer that is taken back is retracted, also if its confirmation was lost",
        arguments: [true, false])
    func retraction(isConfirmed: Bool) throws {
        var phone = carried(days: 2)
        phone.answer(positive, at: noon)
        let reported = try #require(post(of: &phone, at: noon))
        if isConfirmed { phone.confirm(reported) }
        phone.answer(.negative, at: noon + 60)
        let retraction = try #require(post(of: &phone, at: noon + 60))
        let ids = Set(reported.reports.filter { $0.answers.testResult }.map(\.id))
        #expect(retraction.reports.count == 14)
        #expect(ids.isSubset(of: retraction.reports.map(\.id)))
        #expect(
            retraction.reports.allSatisfy { !$0.answers.testResult && $0.lastUpdate > reported.reports[0].lastUpdate })
        phone.confirm(retraction)
        let next = try #require(post(of: &phone, at: noon + day))
        #expect(ids.isDisjoint(with: next.reports.map(\.id)))
    }

    // MARK: Switches

    @Test("what is switched off doesn't happen")
    func switchedOff() throws {
        var phone = FurtherPhone()
        phone.answer(positive, at: noon)
        phone.receive(
            features: Data(#"{"allowDetection":false,"allowQuestions":false,"allowStories":false}"#.utf8))
        let person = UUID()
        phone.connect(person, at: noon)
        #expect(phone.broadcast(at: noon) == nil)
        #expect(phone.contacts[person] == nil)
        #expect(post(of: &phone, at: noon) == nil)
        #expect(phone.look(at: noon + 8 * 3600, zone: 0) == nil)
    }

    @Test(
        "switches of which one is missing or isn't a boolean change nothing",
        arguments: [
            #"{"allowDetection":false,"allowQuestions":false}"#,
            #"{"allowDetection":false,"allowQuestions":false,"allowStories":null}"#,
            #"{"allowDetection":0,"allowQuestions":false,"allowStories":true}"#, "[]", "",
        ])
    func incompleteSwitches(json: String) {
        var features = FurtherFeatures(allowDetection: true, allowQuestions: false, allowStories: true)
        features.update(with: Data(json.utf8))
        #expect(features == FurtherFeatures(allowDetection: true, allowQuestions: false, allowStories: true))
    }

    @Test("three switches and more are taken over")
    func switches() {
        var features = FurtherFeatures.all
        features.update(
            with: Data(#"{"allowDetection":false,"allowQuestions":true,"allowStories":false,"new":1}"#.utf8))
        #expect(features == FurtherFeatures(allowDetection: false, allowQuestions: true, allowStories: false))
    }

    @Test("what a phone knows survives the end of the process")
    func persistence() throws {
        var phone = carried(days: 3)
        phone.connect(UUID(), at: noon)
        phone.answer(positive, at: noon)
        _ = post(of: &phone, at: noon)
        #expect(try JSONDecoder().decode(FurtherPhone.self, from: JSONEncoder().encode(phone)) == phone)
    }
}
