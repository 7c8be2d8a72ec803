import Credentials
import ExposureFormat
import ExposureKeys
import Foundation
import Phone
import TestSupport
import Testing
import VerificationAPI

/// Promises that hold whatever happens, tried on random lives with a network that fails in every way.
@Suite struct LivesTests {
    private static let start = Day(number: 20_600).firstHour.advanced(by: 9).start

    /// A phone, and what is on its way.
    private struct World {
        var app: App
        var now = LivesTests.start
        var random: SeededGenerator
        var tree = SimulatedTree()
        var services: SimulatedServices
        var open: [(request: App.Request, at: Date)] = []
        /// How many of ten requests end badly.
        var trouble: Int
        /// Broken promises on the way.
        var mistakes: Set<String> = []

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
            services = SimulatedServices(tans: 14, using: &random)
            services.isGenerous = true
            trouble = .random(in: 0...9, using: &random)
            let device: DeviceClass =
                .random(using: &random)
                ? .ios(wakeUps: .random(in: 2...24, using: &random))
                : .android(
                    wifi: DeviceClass.WiFi.allCases.randomElement(using: &random) ?? .always,
                    dozes: .random(using: &random))
            let dummies: [DummyTraffic] = [.vigil, .sinceAugust2020, .androidUntilAugust2020, .iosUntilAugust2020]
            let setup = App.Setup(device: device, dummies: dummies.randomElement(using: &random) ?? .vigil)
            app = App(setup, installedAt: now, using: &random)
        }

        mutating func tell(_ event: App.Event) {
            let before = app.downloads
            for request in app.handle(event, at: now, using: &random) {
                if case .package(let package, _) = request.kind, before.has(package), app.downloads.has(package) {
                    mistakes.insert("downloaded what it had")
                }
                open.append((request, now))
            }
            for isOfFlow in [true, false] {
                // What has waited too long counts as failed.
                let count = open.count { entry in
                    now < entry.at + App.patience && entry.request.kind.isAnswered
                        && (entry.request.kind.step != nil) == isOfFlow
                }
                if count > 1 { mistakes.insert("two requests at once") }
            }
        }

        /// A request ends, somehow.
        mutating func end() {
            guard !open.isEmpty else { return }
            let request = open.removeFirst().request
            guard request.kind.isAnswered else { return }
            let isGood = Int.random(in: 0..<10, using: &random) >= trouble
            // What was processed and what the phone learns of it are two things.
            let isProcessed = isGood || .random(using: &random)
            let answer = isProcessed ? tree.answer(request.kind, at: now) ?? services.answer(request.kind) : nil
            now += .random(in: 0...2, using: &random)
            if isGood, let answer {
                tell(.answered(request, answer))
                if Int.random(in: 0..<20, using: &random) == 0 { tell(.answered(request, answer)) }
            } else if .random(using: &random) {
                tell(.answered(request, .failed))
            } else {
                lose()
            }
        }

        /// No answer comes any more.
        mutating func lose() {
            open.removeAll()
            if .random(using: &random) {
                now += App.patience
                tell(.woken)
            } else {
                restart()
            }
        }

        mutating func restart() {
            open.removeAll()
            guard let kept = try? JSONEncoder().encode(app), let app = try? JSONDecoder().decode(App.self, from: kept)
            else {
                mistakes.insert("couldn't be kept")
                return
            }
            self.app = app
            tell(.restarted)
        }

        mutating func step() throws {
            switch Int.random(in: 0..<30, using: &random) {
            case 0: tell(.opened)
            case 1: tell(.scanned(.guid(HashedGUID(hashing: "1")), .pcr))
            case 2:
                services.result =
                    [.pcrPending, .pcrPositive, .pcrPositive].randomElement(using: &random) ?? .pcrPending
            case 3, 4:
                if let test = app.tests.randomElement(using: &random) { tell(.consented(test: test.id, App.Consent())) }
            case 5:
                if let test = app.tests.randomElement(using: &random), .random(using: &random) {
                    tell(.declined(test: test.id))
                }
            case 6:
                tell(
                    .checkedIn(
                        .random(using: &random) ? try CheckInStage.code() : try CheckInStage.location(), minutes: 15))
            case 7: if let visit = app.diary.checkIns.last { tell(.checkInDeleted(visit.id)) }
            case 8: tell(.push(.pushArrived))
            case 9: tell(.push(.tokenArrived("\(Int.random(in: 0..<3, using: &random))")))
            case 10: tell(.push(.encounters(isOn: .random(using: &random))))
            case 11: restart()
            case 12: now += .random(in: 0...20_000, using: &random)
            case 13:
                let bad = Day(containing: now).advanced(by: -2)
                tree.rules = AppRules(
                    downloads: DownloadRules(revoked: [.init(day: bad, hour: nil, etag: tree.etag(of: .day(bad)))]))
            case 14...19:
                now = app.nextWake(after: now)
                tell(.woken)
            default: end()
            }
        }

        /// Everything works for some days.
        mutating func settle(days: Double) {
            trouble = 0
            let end = now + days * 86_400
            var steps = 0
            while now < end {
                steps += 1
                if steps > 20_000 { return _ = mistakes.insert("no rest") }
                if open.isEmpty {
                    let wake = app.nextWake(after: now)
                    if wake > now + 86_400 { mistakes.insert("sleeps for more than a day") }
                    now = wake
                    tell(.woken)
                } else {
                    let request = open.removeFirst().request
                    guard request.kind.isAnswered else { continue }
                    guard let answer = tree.answer(request.kind, at: now) ?? services.answer(request.kind) else {
                        continue
                    }
                    tell(.answered(request, answer))
                }
            }
        }
    }

    @Test("no life loses an upload, downloads what the phone has, or ends the asking", arguments: 0..<8)
    func lives(part: UInt64) throws {
        var (uploads, declined) = (0, 0)
        for seed in part * 25..<(part + 1) * 25 {
            var world = World(seed: seed)
            for _ in 0..<Int.random(in: 0...300, using: &world.random) { try world.step() }
            // Nothing of the network may depend on what the user has switched off at last.
            world.tell(.push(.encounters(isOn: true)))
            // A test is forgotten after 14 days.
            let plans = world.app.tests.filter { $0.scannedAt > world.now - 9 * 86_400 }.compactMap(\.plan)
            world.settle(days: 4)
            #expect(world.mistakes.isEmpty, "seed \(seed)")
            for plan in plans {
                let isOver = world.app.tests.contains { $0.plan?.token == plan.token && $0.plan?.isComplete == true }
                #expect(isOver, "seed \(seed)")
                uploads += 1
            }
            declined += world.app.tests.count { $0.plan == nil && $0.result?.isPositive == true }
            let yesterday = Day(containing: world.now).advanced(by: -1)
            let isRevoked = world.tree.rules.downloads.revoked.contains { $0.day == yesterday }
            let isEarly = world.now.timeIntervalSince(yesterday.advanced(by: 1).firstHour.start) < 72_000
            #expect(world.app.downloads.has(.day(yesterday)) || isRevoked || isEarly, "seed \(seed)")
            #expect(world.app.downloads.has(.day(yesterday.advanced(by: -1))) || isRevoked, "seed \(seed)")
        }
        #expect(uploads > 0 && declined > 0)
    }
}

extension App.Request.Kind {
    /// Whether it is a download, a comparison, or a request of a flow.
    fileprivate var isAnswered: Bool {
        switch self {
        case .show, .askForPushToken, .registerForPush, .cancelPush: false
        default: true
        }
    }
}
