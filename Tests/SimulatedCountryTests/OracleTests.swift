import CountryModel
import ExposureFormat
import ExposureKeys
import Foundation
import Testing

@testable import SimulatedCountry

/// An oracle that finds nothing proves nothing. So each fault is made once.
@Suite("The oracle of a simulated country", .timeLimit(.minutes(5))) struct OracleTests {
    /// A person shares a day's key, which some phones have heard.
    private struct Scene {
        let country: Country
        let owner: PersonID
        let key: DiagnosisKey
        /// Whose phones heard the key.
        let hearers: [PersonID]
        /// When the upload was acknowledged, and an hour in which the key may be published.
        let at: Date
        let hour: Hour

        init() throws {
            let start = try #require(Day(name: "2026-01-05"))
            var parameters = CountryParameters(population: 300, start: start, seed: 3)
            parameters.people.appShare = 0.8
            var country = Country(parameters)
            for _ in 0..<48 { _ = country.step() }
            let data = try #require(KeyData(Array(repeating: 7, count: 16)))
            let period = try #require(RollingPeriod(start: start.firstInterval, length: IntervalNumber.perDay))
            let onset = try #require(DaysSinceOnset(rawValue: 0))
            key = DiagnosisKey(
                data: data, rollingPeriod: period, transmissionRiskLevel: TransmissionRiskLevel(derivedFrom: onset),
                daysSinceOnsetOfSymptoms: onset, reportType: .confirmedTest)
            let heard = country.users.map { user -> (PersonID, [PersonID]) in
                let contacts = country.truth.contacts(of: user, from: start, through: start)
                let others = contacts.compactMap { contact in
                    contact.other(than: user).flatMap { other in
                        let isHeard = country.radio.packets(heardBy: other, during: contact).contains {
                            $0.second < start.endSeconds
                        }
                        return isHeard ? other : nil
                    }
                }
                return (user, Set(others).sorted())
            }
            let social = try #require(heard.max { $0.1.count < $1.1.count })
            (owner, hearers) = social
            self.country = country
            at = start.lastHour.end.addingTimeInterval(60)
            hour = start.lastHour.advanced(by: 3)
            #expect(hearers.count > 1)
        }

        /// An oracle that saw the upload and the publication, and phones that found the key.
        func oracle(
            published hours: [Hour]? = nil, found: [PersonID: Int]? = nil, isAcknowledged: Bool = true
        ) -> Oracle {
            var oracle = Oracle()
            let acknowledged = isAcknowledged ? at : nil
            oracle.shared([key], by: owner, acknowledged: acknowledged, in: country)
            for hour in hours ?? [hour] { oracle.published([ExportedKey(key)], in: hour) }
            for (person, times) in found ?? Dictionary(uniqueKeysWithValues: hearers.map { ($0, 1) }) {
                for _ in 0..<times { oracle.matched(key.data, by: person, at: at) }
            }
            oracle.judge(country.users, at: at.addingTimeInterval(86_400 * 7))
            return oracle
        }
    }

    private static let scene = Result { try Scene() }

    @Test("it is content when every phone that heard a key has found it once, and nothing else")
    func content() throws {
        let scene = try Self.scene.get()
        let oracle = scene.oracle()
        #expect(oracle.isContent)
        #expect(oracle.judgedPairs >= scene.hearers.count)
    }

    @Test("a phone that heard a published key and didn't find it is a case")
    func neverMatched() throws {
        let scene = try Self.scene.get()
        let found = Dictionary(uniqueKeysWithValues: scene.hearers.dropFirst().map { ($0, 1) })
        #expect(scene.oracle(found: found).cases(of: .neverMatched).count == 1)
    }

    @Test("a key that a phone found twice is a case")
    func matchedTwice() throws {
        let scene = try Self.scene.get()
        var found = Dictionary(uniqueKeysWithValues: scene.hearers.map { ($0, 1) })
        found[scene.hearers[0]] = 2
        #expect(scene.oracle(found: found).cases(of: .matchedTwice).count == 1)
    }

    @Test("an acknowledged key that is never published is a case")
    func lost() throws {
        #expect(try Self.scene.get().oracle(published: [], found: [:]).cases(of: .lostUpload).count == 1)
    }

    @Test("a key that no server acknowledged may be published or not, and is judged if it is")
    func unacknowledged() throws {
        let scene = try Self.scene.get()
        #expect(scene.oracle(published: [], found: [:], isAcknowledged: false).isContent)
        #expect(scene.oracle(isAcknowledged: false).isContent)
        #expect(
            scene.oracle(found: [:], isAcknowledged: false).cases(of: .neverMatched).count == scene.hearers.count)
    }

    @Test("a key that is published less than two hours after its period is a case, and one of just two hours isn't")
    func early() throws {
        let scene = try Self.scene.get()
        // The hour's package appears at the hour's end.
        let last = scene.hour.day.advanced(by: -1).lastHour
        #expect(scene.oracle(published: [last.advanced(by: 1)]).cases(of: .earlyKey).count == 1)
        #expect(scene.oracle(published: [last.advanced(by: 2)]).isContent)
    }

    @Test("a key that is published in two hours is a case")
    func twice() throws {
        let scene = try Self.scene.get()
        let hours = [scene.hour, scene.hour.advanced(by: 4)]
        #expect(scene.oracle(published: hours).cases(of: .publishedTwice).count == 1)
    }

    @Test("a phone that finds a filler, or a key that it hasn't heard, is a case")
    func strangers() throws {
        let scene = try Self.scene.get()
        let stranger = try #require(scene.country.users.first { !scene.hearers.contains($0) && $0 != scene.owner })
        var found = Dictionary(uniqueKeysWithValues: scene.hearers.map { ($0, 1) })
        found[stranger] = 1
        #expect(scene.oracle(found: found).cases(of: .strangerMatched).count == 1)

        var oracle = Oracle()
        oracle.matched(scene.key.data, by: stranger, at: scene.at)
        oracle.judge(scene.country.users, at: scene.at)
        #expect(oracle.cases(of: .fillerMatched).count == 1)
    }
}
