import Calling
import ExposureKeys
import Foundation
import HTTPTypes
import Phone
import Running

/// The app Further, whose phones show ids to each other.
extension Story {
    /// Three phones meet. The owner of one says that a test was positive, and those of the others are told.
    func reportHealth() async throws {
        let id = UUID()
        var (phoneP, phoneQ, phoneR) = (FurtherPhone(identity: .lasting(id)), FurtherPhone(), FurtherPhone())
        let now = stage.clock.now
        meet(&phoneP, &phoneQ, at: now)
        meet(&phoneP, &phoneR, at: now)
        meet(&phoneQ, &phoneR, at: now)
        say("Phones P, Q and R, which have the app Further, met and noted each other's ids.")

        let key = FurtherKey()
        try await stage.apps.register(key)
        try await send(from: &phoneP, positive: true, signedBy: key)
        say(
            "Phone P's owner said that a test was positive: its app registered a key, and sent the answers signed (200)."
        )
        var rival = FurtherPhone(identity: .lasting(id))
        try await expect(.unauthorized, "who knows phone P's id, but not its key, can't take them back") {
            try await send(from: &rival, positive: false, signedBy: nil)
        }
        try await stage.publishReports(stage.clock.now + 300)
        guard case .changed(let listed, _, _, _) = try await stage.packages.positiveIDs() else {
            throw Unmet("there should be a list of ids")
        }
        let features = try await stage.packages.furtherFeatures()
        let exposures = try [phoneP, phoneQ, phoneR].map { phone in
            var phone = phone
            phone.receive(features: features)
            let first = try evening(of: &phone, Day(containing: now), listed: listed)
            let second = try evening(of: &phone, Day(containing: now).advanced(by: 1), listed: listed)
            try require(second.exposures == 0, "nobody should be told a second time")
            return first.exposures
        }
        try require(exposures == [0, 1, 1], "phones Q and R should be told, and phone P shouldn't")
        say(
            "In the evening all three asked for the list: phones Q and R told their owners, once, that they had met one."
        )
    }

    private func meet(_ one: inout FurtherPhone, _ other: inout FurtherPhone, at now: Date) {
        guard let first = one.broadcast(at: now), let second = other.broadcast(at: now) else { return }
        one.connect(second, at: now)
        other.connect(first, at: now)
    }

    private func send(from phone: inout FurtherPhone, positive: Bool, signedBy key: FurtherKey?) async throws {
        let now = stage.clock.now
        var random = SystemRandomNumberGenerator()
        phone.answer(.init(feelingSick: true, hasBeenTested: true, testResult: positive), at: now)
        guard let post = phone.post(at: now, using: &random) else { throw Unmet("the app should send the answers") }
        try await stage.apps.send(post, signedBy: key, at: now)
        phone.confirm(post)
    }

    private func evening(of phone: inout FurtherPhone, _ day: Day, listed: Set<UUID>) throws -> DailyUpdate {
        let seven = day.firstHour.advanced(by: 19).start
        guard let question = phone.look(at: seven, zone: 0) else { throw Unmet("the app should ask at seven") }
        return phone.receive(listed: listed, to: question, at: seven)
    }
}
