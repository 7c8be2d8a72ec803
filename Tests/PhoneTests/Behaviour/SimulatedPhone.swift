import Credentials
import ExposureFormat
import ExposureKeys
import Exposures
import Foundation
import Phone
import TestSupport
import Venues

/// A tree as it is published: a day's package in the second minute after its end, an hour's likewise.
struct SimulatedTree {
    /// Seconds from the end of an hour to its publication.
    var delay: TimeInterval = 120
    var rules = AppRules.shipped
    /// The keys of packages; others are empty.
    var keys: [KeyPackage: [ExportedKey]] = [:]
    /// Seconds by which the server's clock is behind.
    var slowness: TimeInterval = 0
    /// Whether the lists of reports name every hour that a number can stand for.
    var isBoundless = false
    /// Packages whose file was replaced: by then it has another entity tag.
    var replaced: Set<KeyPackage> = []

    /// The entity tag of a package.
    func etag(of package: KeyPackage) -> String {
        "\"\(package.day.name).\(package.hour?.ofDay ?? 24)\(replaced.contains(package) ? "b" : "a")\""
    }

    func days(at now: Date) -> [Day] {
        let today = Day(containing: now - delay)
        return Array(today.advanced(by: -14)..<today)
    }

    func hours(of day: Day, at now: Date) -> [Hour] {
        let latest = Hour(endedBy: now - delay)
        return (day.firstHour...day.lastHour).filter { $0 <= latest && $0 > latest.advanced(by: -48) }
    }

    /// The answer to a download, as the app's executor gives it.
    func answer(_ kind: App.Request.Kind, at now: Date) -> App.Answer? {
        let latest = Hour(endedBy: now - delay)
        switch kind {
        case .configuration(_, .some): return .unchanged(maxAge: 300, serverTime: now - slowness)
        case .configuration(_, nil):
            return .configuration(rules, etag: "\"c\"", maxAge: 300, serverTime: now - slowness)
        case .dayIndex: return .days(days(at: now))
        case .hourIndex(let day): return .hours(hours(of: day, at: now))
        case .package(let package, let tag):
            let isThere =
                package.hour.map { hours(of: package.day, at: now).contains($0) } ?? days(at: now).contains(package.day)
            guard isThere else { return .failed }
            return etag(of: package) == tag ? .unchanged(maxAge: 300) : .package(etag: etag(of: package))
        case .warningIndex where isBoundless: return .warningHours(Hour(number: .min)...Hour(number: .max))
        case .warningIndex(.checkInReports): return .warningHours(latest.advanced(by: -48)...latest)
        case .warningIndex(.venueReports):
            let first = (latest.number + 1) / 2 * 2 - 2
            return .warningHours(Hour(number: first - 48)...Hour(number: first))
        case .warnings(.checkInReports, _): return .checkInReports([])
        case .warnings(.venueReports, _): return .venueReports([])
        case .detect: return .detected(missing: [])
        default: return nil
        }
    }
}

/// The services behind the proxy, for one phone.
struct SimulatedServices {
    let token: RegistrationToken
    var tans: [TAN]
    var result = TestResultCode.pcrPending
    /// Whether a code can be registered more than once.
    var isGenerous = false
    /// The keys of attempts to register.
    var attempts: Set<String> = []
    /// The days of stored uploads, by TAN.
    var uploads: [(tan: TAN, days: ClosedRange<Day>)] = []

    init(tans: Int = 2, using random: inout SeededGenerator) {
        token = RegistrationToken(RandomIdentifier(using: &random))
        self.tans = (0..<tans).map { _ in TAN(RandomIdentifier(using: &random)) }
    }

    mutating func answer(_ kind: App.Request.Kind) -> App.Answer? {
        switch kind {
        case .register(_, let attempt):
            attempts.insert(attempt.text)
            return attempts.count == 1 || isGenerous ? .registered(token) : .refused
        case .result(let asked): return asked == token ? .result(result) : .refused
        case .tan(let asked):
            let unused = tans.first { tan in !uploads.contains { $0.tan == tan } }
            guard asked == token, result.isPositive, let unused else { return .refused }
            return .tan(unused)
        case .upload(let upload):
            guard tans.contains(upload.tan) else { return .refused }
            // A repeat of an upload is answered as the first one.
            if !uploads.contains(where: { $0.tan == upload.tan }) { uploads.append((upload.tan, upload.days)) }
            return .uploaded(checkIns: upload.checkIns)
        case .pretend, .registerForPush: return .done
        default: return nil
        }
    }
}

/// An app with everything around it, on a clock that jumps from one wake-up to the next.
struct SimulatedPhone {
    /// A request, and when it was sent.
    struct Sent {
        let kind: App.Request.Kind
        let at: Date
    }

    var app: App
    var now: Date
    var random: SeededGenerator
    var tree = SimulatedTree()
    var services: SimulatedServices
    /// What it heard of others, and whom it recognised.
    var store: ExposureStore
    private(set) var log: [Sent] = []
    /// Seconds that an answer takes.
    var latency: @Sendable (App.Request.Kind, inout SeededGenerator) -> TimeInterval = { _, _ in 0 }
    private var arriving: [(at: Date, request: App.Request, answer: App.Answer)] = []

    init(
        _ device: DeviceClass, dummies: DummyTraffic = .sinceAugust2020, at now: Date, seed: UInt64, phase: Int32? = nil
    ) {
        random = SeededGenerator(seed: seed)
        services = SimulatedServices(using: &random)
        self.now = now
        store = ExposureStore(platform: device.system.platform)
        app = App(App.Setup(device: device, dummies: dummies), installedAt: now, phase: phase, using: &random)
    }

    /// Something happens now.
    mutating func tell(_ event: App.Event) {
        var waiting = app.handle(event, at: now, using: &random)[...]
        while let request = waiting.popFirst() {
            log.append(Sent(kind: request.kind, at: now))
            if case .detect(let packages) = request.kind {
                _ = try? store.provide(packages.flatMap { tree.keys[$0] ?? [] }, by: app.rules.keys, at: now)
            }
            guard let answer = tree.answer(request.kind, at: now) ?? services.answer(request.kind) else { continue }
            let delay = latency(request.kind, &random)
            if delay > 0 {
                arriving.append((now + delay, request, answer))
            } else {
                waiting += app.handle(.answered(request, answer), at: now, using: &random)
            }
        }
    }

    /// Time passes.
    mutating func live(until end: Date) {
        while true {
            let wake = app.nextWake(after: now)
            let arrival = arriving.min { $0.at < $1.at }
            let next = min(wake, arrival?.at ?? wake)
            guard next <= end else { break }
            now = next
            if let arrival, arrival.at <= wake {
                arriving.removeAll { $0.request.number == arrival.request.number }
                tell(.answered(arrival.request, arrival.answer))
            } else {
                tell(.woken)
            }
        }
        now = end
    }

    /// What was sent in a time.
    func sent(from start: Date, until end: Date, _ isCounted: (App.Request.Kind) -> Bool) -> Int {
        log.count { $0.at >= start && $0.at < end && isCounted($0.kind) }
    }
}

extension App.Request.Kind {
    /// Whether it is a request to the published tree.
    var isGet: Bool {
        switch self {
        case .configuration, .dayIndex, .hourIndex, .package, .warningIndex, .warnings: true
        default: false
        }
    }

    /// The step of a flow that an observer sees in it.
    var step: FlowStep? {
        switch self {
        case .register: .registration
        case .result: .result
        case .tan: .tan
        case .upload: .upload
        case .pretend(let step, _): step
        default: nil
        }
    }
}
