import ExposureFormat
import ExposureKeys
import Foundation
import TestSupport
import Testing

@testable import Phone

/// Which packages a phone downloads, and what it makes of them.
@Suite struct DownloadTests {
    private static let day = Day(number: 20_600)
    private static let noon = day.firstHour.advanced(by: 12).start

    private static func phone(
        _ device: DeviceClass = .android(wifi: .always, dozes: false), seed: UInt64 = 1, at now: Date = noon
    ) -> SimulatedPhone { SimulatedPhone(device, at: now, seed: seed, phase: 1234) }

    private static func packages(_ phone: SimulatedPhone) -> [KeyPackage] {
        phone.log.compactMap { if case .package(let package, _) = $0.kind { package } else { nil } }
    }

    private static func detections(_ phone: SimulatedPhone) -> [(at: Date, packages: [KeyPackage])] {
        phone.log.compactMap { if case .detect(let packages) = $0.kind { ($0.at, packages) } else { nil } }
    }

    @Test("a new phone catches up with 14 days and the hours of today: days first on Android, hours first on iOS")
    func catchUp() {
        let days = (1...14).reversed().map { KeyPackage.day(Self.day.advanced(by: -$0)) }
        let hours = (0..<12).map { KeyPackage.hour(Self.day.firstHour.advanced(by: $0)) }
        var android = Self.phone()
        // Not yet the first run of its own hour.
        android.live(until: Self.noon + 120)
        #expect(Self.packages(android) == days + hours.dropLast())
        var ios = Self.phone(.ios(wakeUps: 4))
        ios.live(until: Self.noon + 1200)
        #expect(Self.packages(ios) == hours.dropLast() + days)
    }

    @Test("while a day's package is late, its hours are downloaded, and dropped when it comes")
    func late() {
        var phone = Self.phone()
        phone.live(until: Self.noon + 3600)
        // From now on, everything is published three hours late.
        phone.tree.delay = 3 * 3600
        phone.live(until: Self.day.advanced(by: 1).firstHour.advanced(by: 2).start)
        let yesterday = phone.app.downloads.files.filter { $0.package.day == Self.day }
        #expect(yesterday.count >= 20 && yesterday.allSatisfy { $0.package.hour != nil })
        #expect(phone.app.downloads.has(.hour(Self.day.firstHour.advanced(by: 20))))
        phone.live(until: Self.day.advanced(by: 1).firstHour.advanced(by: 4).start)
        #expect(phone.app.downloads.files.filter { $0.package.day == Self.day }.map(\.package) == [.day(Self.day)])
    }

    @Test("the empty list of a day that has just begun is no error, and nothing is repeated because of it")
    func firstHour() {
        let midnight = Self.day.advanced(by: 1).firstHour.start
        var phone = Self.phone()
        phone.live(until: midnight + 3600)
        #expect(phone.sent(from: midnight, until: midnight + 3600) { $0 == .hourIndex(Self.day.advanced(by: 1)) } == 1)
        #expect(phone.sent(from: midnight, until: midnight + 3600, \.isGet) == 4)
    }

    @Test("no package is downloaded twice, and each is compared, at most six times in 24 hours", arguments: 0..<10)
    func once(seed: UInt64) {
        var phone = SimulatedPhone(
            seed % 2 == 0 ? .android(wifi: .nights) : .ios(wakeUps: 12), at: Self.noon, seed: seed)
        phone.live(until: Self.noon + 10 * 86_400)
        let all = Self.packages(phone)
        #expect(all.count == Set(all).count)
        let detections = Self.detections(phone)
        let compared = detections.flatMap(\.packages)
        #expect(compared.count == Set(compared).count)
        // An hour that was replaced by its day before it was compared is in the day's package.
        let days = Set(compared.filter { $0.hour == nil }.map(\.day))
        let last = Day(containing: Self.noon + 9 * 86_400)
        #expect(all.allSatisfy { compared.contains($0) || days.contains($0.day) || $0.day >= last })
        for detection in detections {
            let next = detections.count { $0.at >= detection.at && $0.at < detection.at + 86_400 }
            #expect(next <= 6)
        }
        #expect(detections.count >= 10)
    }

    @Test("without new packages the phone compares once a day, and with a configuration that says never, not at all")
    func rest() {
        var phone = Self.phone()
        phone.live(until: Self.noon + 3600)
        phone.tree.delay = 30 * 86_400
        phone.live(until: Self.noon + 5 * 86_400)
        #expect((5...6).contains(Self.detections(phone).count))
        var off = Self.phone()
        off.tree.rules = AppRules(downloads: DownloadRules(detectionsPerDay: 0))
        off.live(until: Self.noon + 86_400)
        #expect(Self.detections(off).isEmpty && off.app.downloads.files.count > 14)
    }

    @Test("a revoked file is dropped and asked for by its entity tag until there is another")
    func revoked() {
        var phone = Self.phone()
        phone.live(until: Self.noon + 3600)
        let bad = KeyPackage.day(Self.day.advanced(by: -3))
        let tag = phone.tree.etag(of: bad)
        #expect(phone.app.downloads.has(bad))
        let rules = DownloadRules(revoked: [.init(day: bad.day, hour: nil, etag: tag)])
        var downloads = phone.app.downloads
        downloads.drop(by: rules)
        #expect(!downloads.has(bad))
        var late = Self.phone()
        late.tree.rules = AppRules(downloads: rules)
        late.live(until: Self.noon + 2 * 3600)
        #expect(!late.app.downloads.has(bad))
        // Once without a tag; afterwards the server sends nothing.
        let asked = late.log.compactMap { sent -> String?? in
            if case .package(bad, let tag) = sent.kind { .some(tag) } else { nil }
        }
        #expect(asked == [.none])
        late.live(until: Self.day.advanced(by: 1).firstHour.advanced(by: 1).start)
        late.tree.replaced = [bad]
        late.live(until: Self.day.advanced(by: 2).firstHour.advanced(by: 1).start)
        #expect(late.app.downloads.files.first { $0.package == bad }?.etag == late.tree.etag(of: bad))
        let tags = late.log.compactMap { sent -> String?? in
            if case .package(bad, let tag) = sent.kind { .some(tag) } else { nil }
        }
        #expect(tags == [.none, .some(tag), .some(tag)])
    }

    @Test("a configuration is asked for again when it is too old, at the latest after a day, whatever the server says")
    func configuration() {
        var phone = Self.phone()
        phone.tell(.opened)
        #expect(phone.log.first?.kind == .configuration(.android, ifNot: nil))
        for (age, runs) in [(0, 1), (7200, 2), (.max, 24)] {
            var app = phone.app
            var random = SeededGenerator(seed: 1)
            var now = Self.noon + 10 * 86_400
            var asked = 0
            var tag: String?
            while asked < 2 {
                for request in app.handle(.woken, at: now, using: &random) {
                    guard case .configuration(_, let known) = request.kind else { continue }
                    asked += 1
                    tag = known
                    if asked == 1 {
                        let answer = App.Answer.configuration(.shipped, etag: "\"new\"", maxAge: age)
                        _ = app.handle(.answered(request, answer), at: now, using: &random)
                        now = app.nextWake(after: now) + 3600 * Double(runs)
                    }
                }
                if asked < 2 { now += 3600 }
            }
            #expect(tag == "\"new\"")
        }
    }
}
