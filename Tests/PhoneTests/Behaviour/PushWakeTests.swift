import ExposureKeys
import Foundation
import Phone
import TestSupport
import Testing

/// A push wakes a phone to do what is due.
@Suite struct PushWakeTests {
    private static let morning = Day(number: 20_600).firstHour.advanced(by: 9).start

    /// An iPhone that looks for no encounters, with a visit in its diary that has ended.
    private static func phone(seed: UInt64) throws -> SimulatedPhone {
        var phone = SimulatedPhone(.ios(wakeUps: 2), at: morning, seed: seed)
        phone.tell(.push(.encounters(isOn: false)))
        phone.tell(.checkedIn(try CheckInStage.code(), minutes: 30))
        phone.live(until: morning + 1800)
        phone.tell(.opened)
        phone.tell(.push(.tokenArrived("token")))
        return phone
    }

    @Test("a phone with a visit and without encounters asks for its push token and registers")
    func registers() throws {
        let phone = try Self.phone(seed: 1)
        #expect(phone.log.contains { $0.kind == .askForPushToken })
        #expect(phone.log.contains { if case .registerForPush = $0.kind { true } else { false } })
        guard case .confirmed("token", _) = phone.app.push.registration else {
            Issue.record("not registered")
            return
        }
    }

    @Test("a push makes a phone look for reports, spread over ten seconds, and asks for no keys that it doesn't want")
    func looks() throws {
        var delays: [TimeInterval] = []
        for seed in 0..<100 {
            var phone = try Self.phone(seed: UInt64(seed))
            let push = Self.morning + 7 * 3600 + 1800
            phone.live(until: push)
            // If it has just looked by itself, there is nothing to do.
            guard phone.log.allSatisfy({ $0.at < push - 1800 }) else { continue }
            phone.tell(.push(.pushArrived))
            let before = phone.log.count
            phone.live(until: push + 30)
            let asked = phone.log.dropFirst(before)
            #expect(asked.contains { if case .warnings(.venueReports, _) = $0.kind { true } else { false } })
            #expect(!asked.contains { $0.kind == .dayIndex })
            delays.append(try #require(asked.first).at.timeIntervalSince(push))
        }
        #expect(delays.allSatisfy { (0..<10).contains($0) })
        #expect(delays.count > 80)
        #expect((delays.max() ?? 0) - (delays.min() ?? 0) > 8)
    }

    @Test("a run after a push ends before the system ends the app, and what is missing comes later")
    func limit() throws {
        var phone = SimulatedPhone(.ios(wakeUps: 2), at: Self.morning, seed: 3)
        phone.live(until: Self.morning + 600)
        phone.tree.delay = 0
        // Four days without the network, then one file in eight seconds.
        phone.now = Self.morning + 4 * 86_400
        phone.latency = { _, _ in 8 }
        let push = phone.now
        _ = phone.app.handle(.push(.encounters(isOn: true)), at: push, using: &phone.random)
        phone.tell(.push(.pushArrived))
        phone.live(until: push + 45)
        #expect(phone.log.last.map { $0.at <= push + 30 } == true)
        phone.live(until: push + 86_400)
        #expect(phone.app.downloads.has(.day(Day(containing: push).advanced(by: -1))))
    }

    @Test("Android's phones ask for no push")
    func android() throws {
        var phone = SimulatedPhone(.android(wifi: .always), at: Self.morning, seed: 1)
        phone.tell(.push(.encounters(isOn: false)))
        phone.tell(.checkedIn(try CheckInStage.code(), minutes: 30))
        phone.live(until: Self.morning + 86_400)
        let pushes = phone.log.contains { sent in
            switch sent.kind {
            case .askForPushToken, .registerForPush: true
            default: false
            }
        }
        #expect(!pushes)
    }
}
