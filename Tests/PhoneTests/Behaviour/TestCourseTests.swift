import Credentials
import ExposureKeys
import Foundation
import Phone
import TestSupport
import Testing
import VerificationAPI

/// A test from the scan of its code to the last upload.
@Suite struct TestCourseTests {
    private static let day = Day(number: 20_600)
    private static let morning = day.firstHour.advanced(by: 9).start
    private static let guid = RegistrationTokenRequest.Proof.guid(HashedGUID(hashing: "3BF1D4-1C6003DD"))

    private static func phone(
        _ device: DeviceClass = .android(wifi: .always), family: TestFamily = .pcr, seed: UInt64 = 1
    ) -> SimulatedPhone {
        var phone = SimulatedPhone(device, at: morning - 86_400, seed: seed)
        phone.services.result = family.pending
        phone.live(until: morning)
        phone.tell(.scanned(guid, family))
        return phone
    }

    private static func polls(_ phone: SimulatedPhone) -> [Date] {
        phone.log.compactMap { if case .result = $0.kind { $0.at } else { nil } }
    }

    private static func test(_ phone: SimulatedPhone) throws -> RegisteredTest { try #require(phone.app.tests.first) }

    @Test(
        "a PCR test's result is asked for at its registration and then every two hours, a rapid test's more often at first"
    )
    func polls() {
        var pcr = Self.phone()
        pcr.live(until: Self.morning + 6 * 3600 - 1)
        #expect(Self.polls(pcr).map { $0.timeIntervalSince(Self.morning) } == [0, 7200, 14_400])
        var quick = Self.phone(family: .quick)
        quick.live(until: Self.morning + 6 * 3600 - 1)
        let gaps = zip(Self.polls(quick), Self.polls(quick).dropFirst()).map { $1.timeIntervalSince($0) }
        #expect(gaps == [900, 900, 900, 900, 900, 900, 5400, 5400])
    }

    @Test("at night a phone that dozes asks in its runs only, as an iPhone always does")
    func pollsInRuns() {
        for (device, start) in [(DeviceClass.android(wifi: .always), 14.0), (.ios(wakeUps: 6), 1.0)] {
            var phone = Self.phone(device)
            phone.live(until: Self.morning + 20 * 3600)
            let runs = phone.log.filter { if case .configuration = $0.kind { true } else { false } }.map(\.at)
            let polls = Self.polls(phone).filter { $0 > Self.morning + start * 3600 && $0 < Self.morning + 20 * 3600 }
            #expect(!polls.isEmpty)
            #expect(polls.allSatisfy { poll in runs.contains { (0...60).contains(poll.timeIntervalSince($0)) } })
        }
    }

    @Test("a registration whose answers are lost is repeated with the same key, less and less often, and succeeds")
    func registration() {
        var phone = SimulatedPhone(.android(wifi: .always, dozes: false), at: Self.morning, seed: 4)
        var requests = phone.app.handle(.scanned(Self.guid, .pcr), at: Self.morning, using: &phone.random)
        var attempts: [(at: Date, key: String)] = []
        var now = Self.morning
        while attempts.count < 8 {
            for request in requests {
                if case .register(Self.guid, let key) = request.kind { attempts.append((now, key.text)) }
            }
            now = phone.app.nextWake(after: now)
            requests = phone.app.handle(.woken, at: now, using: &phone.random)
        }
        #expect(Set(attempts.map(\.key)).count == 1)
        let gaps = zip(attempts, attempts.dropFirst()).map { $1.at.timeIntervalSince($0.at) }
        // Each has the time without an answer in it, three times in a flow.
        #expect(gaps.allSatisfy { (90...4000).contains($0) })
        #expect(gaps.suffix(1).allSatisfy { $0 > 1800 })
    }

    @Test("keys are uploaded after half an hour without the user, and the day's own after midnight, each with its TAN")
    func uploads() throws {
        for seed in 0..<40 {
            var phone = Self.phone(seed: UInt64(seed))
            phone.services.result = .pcrPositive
            phone.live(until: Self.morning + 2.1 * 3600)
            #expect(phone.log.contains { $0.kind == .show(.result(test: 0, .pcrPositive)) })
            let consent = phone.now
            phone.tell(.consented(test: 0, App.Consent(onset: .lastWeek)))
            phone.live(until: consent + 1200)
            phone.tell(.opened)
            phone.live(until: consent + 1200 + 1799)
            #expect(phone.services.uploads.isEmpty)
            phone.live(until: consent + 1200 + 2760)
            #expect(phone.services.uploads.count == 1)
            // Closed in between.
            phone.app = try JSONDecoder().decode(App.self, from: JSONEncoder().encode(phone.app))
            phone.tell(.restarted)
            phone.live(until: Self.day.lastHour.end)
            #expect(phone.services.uploads.count == 1)
            phone.live(until: Self.day.lastHour.end + 7 * 3600)
            #expect(phone.services.uploads.map { $0.days.upperBound } == [Self.day.advanced(by: -1), Self.day])
            #expect(Set(phone.services.uploads.map(\.tan)).count == 2)
            #expect(try Self.test(phone).plan?.isComplete == true)
            let onsets = phone.log.compactMap { if case .upload(let upload) = $0.kind { upload.onset } else { nil } }
            #expect(onsets == [.lastWeek, .lastWeek])
            // Afterwards there is nothing to ask.
            let flows = phone.log.count { $0.kind.step != nil }
            phone.live(until: Self.day.lastHour.end + 3 * 86_400)
            #expect(phone.log.count { $0.kind.step != nil } == flows)
        }
    }

    @Test("both uploads have the values that follow from the day of the answer")
    func dayOfTheAnswer() throws {
        var phone = Self.phone()
        phone.services.result = .pcrPositive
        phone.live(until: Self.morning + 2.1 * 3600)
        var keys = Phone(at: phone.now)
        phone.tell(.consented(test: 0, App.Consent(onset: .lastWeek)))
        phone.live(until: Self.day.lastHour.end + 7 * 3600)
        let newest = phone.log.compactMap { sent -> [Int]? in
            guard case .upload(let upload) = sent.kind else { return nil }
            keys.live(until: sent.at)
            let last = keys.diagnosisKeys(of: upload.days, upload.onset, answeredOn: upload.answeredOn).last
            return last.map { [$0.transmissionRiskLevel.rawValue, Int($0.daysSinceOnsetOfSymptoms.rawValue)] }
        }
        // The day before the answer, and then that day itself.
        #expect(newest == [[5, 700], [4, 701]])
    }

    @Test("whatever the owner does with the app, keys wait until it was left alone for half an hour")
    func activity() throws {
        let events: [App.Event] = [
            .opened, .scanned(Self.guid, .pcr), .checkedIn(try CheckInStage.location(), minutes: 60), .checkedOut(0),
            .checkInDeleted(0), .declined(test: 7),
        ]
        for event in events {
            var phone = Self.phone()
            phone.services.result = .pcrPositive
            phone.live(until: Self.morning + 2.1 * 3600)
            phone.tell(.consented(test: 0, App.Consent()))
            phone.live(until: phone.now + 1790)
            let last = phone.now
            phone.tell(event)
            phone.live(until: last + 1799)
            #expect(phone.services.uploads.isEmpty, "\(event)")
            phone.live(until: last + 2760)
            #expect(phone.services.uploads.count == 1, "\(event)")
        }
    }

    @Test("who declines, or takes the consent back in time, uploads nothing; and consent needs a positive result")
    func declines() throws {
        var phone = Self.phone()
        phone.tell(.consented(test: 0, App.Consent()))
        phone.live(until: Self.morning + 3600)
        #expect(try Self.test(phone).plan == nil)
        phone.services.result = .pcrPositive
        phone.live(until: Self.morning + 3 * 3600)
        phone.tell(.consented(test: 0, App.Consent()))
        phone.live(until: phone.now + 1700)
        phone.tell(.declined(test: 0))
        phone.live(until: phone.now + 3 * 86_400)
        #expect(phone.services.uploads.isEmpty)
        #expect(!phone.log.contains { if case .tan = $0.kind { true } else { false } })
    }

    @Test("a teleTAN is for who knows the result: nothing is asked for but the TAN")
    func teleTAN() throws {
        var phone = SimulatedPhone(.ios(wakeUps: 8), at: Self.morning, seed: 9)
        phone.services.result = .pcrPositive
        phone.tell(.scanned(.teleTAN(try #require(TeleTAN("FE9A5MAK6C"))), .pcr))
        phone.live(until: Self.morning + 60)
        phone.tell(.consented(test: 0, App.Consent()))
        phone.live(until: Self.morning + 2 * 86_400)
        #expect(Self.polls(phone).isEmpty && phone.services.uploads.count == 2)
    }

    @Test("a code that the server refuses is told, and asked for no more; after 14 days a test is forgotten")
    func refused() {
        var phone = SimulatedPhone(.android(wifi: .always), at: Self.morning, seed: 2)
        phone.services.attempts = ["another phone's"]
        phone.tell(.scanned(Self.guid, .pcr))
        phone.live(until: Self.morning + 86_400)
        #expect(phone.log.contains { $0.kind == .show(.codeRefused(test: 0)) })
        #expect(phone.log.count { $0.kind.step != nil } == 3)
        phone.live(until: Self.morning + 15 * 86_400)
        #expect(phone.app.tests.isEmpty)
    }

    @Test("visits that were shared are marked, and left out of the second upload")
    func visits() throws {
        var phone = Self.phone()
        phone.services.result = .pcrPositive
        phone.tell(.checkedIn(try CheckInStage.location(), minutes: 60))
        phone.live(until: Self.morning + 3 * 3600)
        phone.tell(.consented(test: 0, App.Consent(checkIns: [0])))
        phone.live(until: Self.morning + 2 * 86_400)
        let shared = phone.log.compactMap { if case .upload(let upload) = $0.kind { upload.checkIns } else { nil } }
        #expect(shared == [[0], []])
        #expect(phone.app.diary.checkIns.first?.isShared == true)
    }
}
