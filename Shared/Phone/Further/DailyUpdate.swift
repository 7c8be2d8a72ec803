package import FoundationEssentials

/// What the Further app tells its user once a day (further, `README.md`, "Interaction Updates").
package struct DailyUpdate: Codable, Hashable, Sendable {
    /// How many ids have newly turned out to be of people with a positive test.
    package let exposures: Int

    /// What it means. The app counts what is new in this update, not what it has told before.
    package enum Risk: String, Codable, Hashable, Sendable {
        case low
        case medium
        case high
    }

    /// Creates an update.
    package init(exposures: Int) { self.exposures = exposures }

    /// Low without an exposure, high from three on.
    package var risk: Risk {
        switch exposures {
        case ..<1: .low
        case 1...2: .medium
        default: .high
        }
    }
}

/// When the Further app asks for the list: once a calendar day, from 19:00 on by the phone's time zone.
///
/// The published app looks every ten minutes whether it is time, and so repeats a failure. It takes an empty list for a failure, too: then
/// a country without a positive person is asked by all phones every ten minutes until midnight. Here an empty list is an answer.
package struct DailyQuery: Codable, Hashable, Sendable {
    /// The last local day with an answer, as a count of days.
    private var answered: Int?
    private var nextLook: Date?

    /// Seconds between two looks.
    package static let pause: TimeInterval = 600
    /// The hour of the local day from which on the list is asked for.
    package static let firstHour = 19

    /// A question for the list; it belongs to the day on which it was asked, whenever the answer comes.
    package struct Question: Hashable, Sendable {
        fileprivate let day: Int
    }

    /// Nothing was asked.
    package init() {}

    /// When the app looks whether it is time; nil for at once.
    package var wake: Date? { nextLook }

    /// The app looks whether it is time.
    ///
    /// Another day counts, not a later one: a clock that was once wrong must not stop the questions until its day has come.
    /// - Parameter zone: how far local time is ahead of UTC, in seconds.
    /// - Returns: nil if it isn't time.
    package mutating func look(at now: Date, zone: Int) -> Question? {
        // A clock that was set back doesn't make the app wait.
        if let nextLook, now < nextLook, nextLook.timeIntervalSince(now) <= Self.pause { return nil }
        nextLook = now + Self.pause
        let local = Int(now.timeIntervalSince1970.rounded(.down)) + zone
        let day = Int((Double(local) / 86_400).rounded(.down))
        guard local - day * 86_400 >= Self.firstHour * 3600, day != answered else { return nil }
        return Question(day: day)
    }

    /// The list has come, with or without content. Without this the next look asks again.
    package mutating func succeed(_ question: Question) { answered = question.day }
}
