import ExposureKeys
package import FoundationEssentials
package import FurtherAPI

/// One installation of the Further app: a pure value that knows neither network nor clock.
package struct FurtherPhone: Codable, Hashable, Sendable {
    /// Its own ids.
    package let identity: FurtherIdentity
    /// Whom it has met.
    package private(set) var contacts = ContactRecord()
    /// What its user has answered.
    package private(set) var questionnaire = Questionnaire()
    /// What is switched on.
    package private(set) var features = FurtherFeatures.all
    /// When it asks for the list.
    package private(set) var query = DailyQuery()
    /// What it has told its user last; nil before the first list.
    package private(set) var lastUpdate: DailyUpdate?
    /// The UTC days on which it has broadcast, as numbers: no other day's id can have been heard.
    private var broadcastDays: Set<Int32> = []
    /// The days whose ids the server may have as positive.
    private var reportedDays: Set<Int32> = []
    /// The UTC day of the last batch that was confirmed.
    private var lastBatch: Int32?

    /// A new installation.
    package init(identity: FurtherIdentity = .daily()) { self.identity = identity }

    // MARK: Meeting others

    /// The id that it broadcasts; nil if that is switched off.
    package mutating func broadcast(at now: Date) -> UUID? {
        guard features.allowDetection else { return nil }
        let day = Day(containing: now)
        broadcastDays.insert(day.number)
        return identity.id(on: day)
    }

    /// Another phone comes into range.
    package mutating func connect(_ person: UUID, at now: Date) {
        if features.allowDetection { contacts.connect(person, at: now) }
    }

    /// It goes out of range.
    package mutating func disconnect(_ person: UUID, at now: Date) { contacts.disconnect(person, at: now) }

    /// Time passes: contacts of long ago are forgotten, and the days that a batch has no room for.
    package mutating func live(until now: Date) {
        contacts.live(until: now)
        let today = Day(containing: now).number
        broadcastDays = broadcastDays.filter { today - $0 < FurtherAPI.batchCount }
        reportedDays = reportedDays.filter { today - $0 < FurtherAPI.batchCount }
    }

    // MARK: The questionnaire

    /// The user answers.
    package mutating func answer(_ answers: Questionnaire.Answers, at now: Date) {
        questionnaire.answer(answers, at: now)
    }

    /// Something to post.
    package struct Post: Hashable, Sendable {
        /// Exactly 14 of daily ids, or one of a lasting id.
        package let reports: [HealthReport]
        /// Whether they go to the operation for batches.
        package let isBatch: Bool
        fileprivate let day: Day
        fileprivate let update: Int64
        fileprivate let retracted: Set<Int32>
    }

    /// What is to be posted; nil for nothing.
    ///
    /// A phone with a lasting id posts answers that weren't confirmed. One with daily ids posts once a day in any case, and at once after
    /// an answer: a person with a positive test has to add each day's id, and nobody shall see who does that. A positive batch has the ids
    /// of the days on which the phone has broadcast. A negative one has random ids, and those that were reported as positive before.
    package mutating func post(at now: Date, using random: inout some RandomNumberGenerator) -> Post? {
        guard features.allowQuestions else { return nil }
        let today = Day(containing: now)
        let update = questionnaire.lastUpdate
        switch identity {
        case .lasting(let id):
            guard questionnaire.isPending, let answers = questionnaire.answers else { return nil }
            let report = HealthReport(id: id, answers: answers, lastUpdate: update)
            return Post(reports: [report], isBatch: false, day: today, update: update, retracted: [])
        case .daily:
            guard questionnaire.isPending || lastBatch != today.number else { return nil }
            live(until: now)
            if let answers = questionnaire.answers, questionnaire.isPositive(at: now) {
                // Counted before an answer comes: if it is lost, they have to be retracted all the same.
                reportedDays.formUnion(broadcastDays)
                let reports = identity.batch(
                    of: answers, lastUpdate: update, on: broadcastDays.map(Day.init(number:)), using: &random)
                return Post(reports: reports, isBatch: true, day: today, update: update, retracted: [])
            }
            let retracted = questionnaire.answers?.testResult == false ? reportedDays : []
            let reports = identity.batch(
                of: .negative, lastUpdate: max(Int64(now.timeIntervalSince1970), update),
                on: retracted.map(Day.init(number:)), using: &random)
            return Post(reports: reports, isBatch: true, day: today, update: update, retracted: retracted)
        }
    }

    /// The server has confirmed a post. Without this it is made again; a repeat changes nothing.
    package mutating func confirm(_ post: Post) {
        questionnaire.confirm(sentUpdate: post.update)
        guard post.isBatch else { return }
        lastBatch = post.day.number
        // An answer in the meantime may have reported them again.
        if !questionnaire.isPending { reportedDays.subtract(post.retracted) }
    }

    // MARK: The day's update

    /// Looks whether it is time to ask for the list; see ``DailyQuery/look(at:zone:)``.
    package mutating func look(at now: Date, zone: Int) -> DailyQuery.Question? {
        features.allowStories ? query.look(at: now, zone: zone) : nil
    }

    /// The list has come.
    /// - Parameter listed: the ids of all records in it. It holds positive ones of the last 14 days only, so the phone doesn't check that.
    /// - Returns: what the user is told, also if nothing was found.
    package mutating func receive(
        listed: some Sequence<UUID>, to question: DailyQuery.Question, at now: Date
    ) -> DailyUpdate {
        query.succeed(question)
        live(until: now)
        let update = DailyUpdate(exposures: contacts.tell(listed: listed).count)
        lastUpdate = update
        return update
    }

    /// The switches have come.
    package mutating func receive(features json: Data) { features.update(with: json) }
}
