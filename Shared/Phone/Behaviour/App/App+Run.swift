import ExposureFormat
import ExposureKeys
import FoundationEssentials
import Venues

/// A run of the app in the background: what is due is downloaded, one after the other, and then compared.
struct Run: Hashable, Sendable {
    /// The parts of a run, in this order.
    enum Stage: Int, CaseIterable, Sendable {
        case configuration, days, hours, packages, reports, detection
    }

    /// When it began; the next comparison counts from here, so that the requests' duration doesn't add up.
    let start: Date
    /// When it ends, whatever is missing then.
    let end: Date
    /// What the present stage still has to ask for.
    var errands: [App.Request.Kind] = []
    /// Packages that are published and missing.
    var missing: [KeyPackage] = []
    var failures = 0
    private var stages = Stage.allCases[...]

    /// Seconds that a run may take: as long as cwa-app-android tries to download.
    static let limit: TimeInterval = 480
    /// Seconds to the first repeat of a run that failed (cwa-app-android, workers' back-off).
    static let firstPause: TimeInterval = 480

    init(start: Date, limit: TimeInterval) {
        self.start = start
        end = start + limit
    }

    /// The stage that follows; nil after the last one.
    mutating func nextStage() -> Stage? { stages.popFirst() }
}

extension App {
    /// Seconds for which a configuration counts as valid if the server says nothing, and at most.
    private static let configurationAge = (least: 300, most: 86_400)

    /// The app begins to download.
    mutating func begin(limit: TimeInterval, at now: Date) {
        diary.live(until: now)
        downloads.live(until: now)
        tests.removeAll { $0.isForgotten(at: now) }
        retry = nil
        run = Run(start: now, limit: limit)
    }

    /// Asks for what comes next, unless an answer is awaited.
    mutating func continueRun(at now: Date, using random: inout some RandomNumberGenerator) {
        guard var run, !open.contains(where: { $0.request.kind.isOfRun }) else { return }
        while true {
            if now >= run.end { return end(isComplete: false, at: now, using: &random) }
            if !run.errands.isEmpty {
                let errand = run.errands.removeFirst()
                self.run = run
                return ask(errand, at: now)
            }
            guard let stage = run.nextStage() else {
                return end(isComplete: run.failures == 0, at: now, using: &random)
            }
            run.errands = stage == .detection ? detection(of: run) : errands(of: stage, in: run, at: now)
        }
    }

    /// The run is over. One that failed is repeated after a pause, unless the next one comes before.
    mutating func end(isComplete: Bool, at now: Date, using random: inout some RandomNumberGenerator) {
        run = nil
        isBehind = !isComplete
        guard !isComplete else { return backOff.reset() }
        let pause = backOff.pause(first: Run.firstPause, longest: 3600, using: &random)
        if now + pause < nextRun { retry = now + pause }
    }

    private var looksForEncounters: Bool { push.areEncountersOn && push.isActive }

    private func errands(of stage: Run.Stage, in run: Run, at now: Date) -> [Request.Kind] {
        switch stage {
        case .configuration:
            return now < configurationEnd ? [] : [.configuration(setup.device.system, ifNot: configurationTag)]
        case .days:
            let yesterday = Day(containing: now).advanced(by: -1)
            let isDue = setup.device.system == .ios || isBehind || !downloads.has(.day(yesterday))
            return looksForEncounters && isDue ? [.dayIndex] : []
        case .hours:
            guard looksForEncounters, setup.device.loadsHours(at: now) else { return [] }
            return downloads.openDays(besides: run.missing, at: now)
                .filter { setup.device.system == .ios || downloads.lacksLatestHour(of: $0, at: now) }
                .map { .hourIndex($0) }
        case .packages:
            return downloads.ordered(run.missing, on: setup.device.system).map {
                .package($0, ifNot: downloads.revokedTag(of: $0))
            }
        case .reports:
            guard push.isActive, !push.isIsolated else { return [] }
            return ReportPackages.allCases
                .filter { !diary.due($0, in: $0.published(at: now)).isEmpty }.map { .warningIndex($0) }
        case .detection: return []
        }
    }

    /// Compares what has come, if it is time.
    private mutating func detection(of run: Run) -> [Request.Kind] {
        guard looksForEncounters else { return [] }
        return downloads.beginDetection(by: rules.downloads, at: run.start).map { [.detect($0)] } ?? []
    }

    /// Takes what was downloaded.
    mutating func receiveRun(_ answer: Answer, to request: Request.Kind, at now: Date) {
        switch (request, answer) {
        case (.configuration, .configuration(let rules, let etag, let maxAge, let serverTime)):
            self.rules = rules
            configurationTag = etag
            configurationEnd = Self.end(of: maxAge, at: now)
            if let serverTime { clockOffset = now.timeIntervalSince(serverTime) }
            downloads.drop(by: rules.downloads)
        case (.configuration, .unchanged(let maxAge, let serverTime)):
            configurationEnd = Self.end(of: maxAge, at: now)
            if let serverTime { clockOffset = now.timeIntervalSince(serverTime) }
        case (.dayIndex, .days(let days)): run?.missing += downloads.missing(days: days, at: now)
        case (.hourIndex(let day), .hours(let hours)):
            run?.missing += downloads.missing(hours: hours, of: day, at: now)
        case (.package(let package, _), .package(let etag)): downloads.take(package, etag: etag, by: rules.downloads)
        case (.package(_, .some), .unchanged): break
        case (.warningIndex(let packages), .warningHours(let hours)):
            // Whatever the list names: no more than can be published.
            guard let hours, hours.overlaps(packages.published(at: now)) else { return }
            let published = hours.clamped(to: packages.published(at: now))
            run?.errands += diary.due(packages, in: published).map { .warnings(packages, $0) }
        case (.warnings(.venueReports, let first), .venueReports(let reports)):
            diary.compare(with: reports, of: first, at: now)
        case (.warnings(.checkInReports, let hour), .checkInReports(let reports)):
            diary.compare(with: reports, of: hour, at: now)
        case (.detect(let packages), .detected(let lost)):
            downloads.lose(lost)
            downloads.finishDetection(of: packages)
            if !lost.isEmpty { run?.failures += 1 }
        default:
            run?.failures += 1
            if case .package(let package, _) = request { downloads.miss(package) }
        }
    }

    private static func end(of maxAge: Int, at now: Date) -> Date {
        let age = maxAge > 0 ? min(maxAge, configurationAge.most) : configurationAge.least
        return now + Double(age)
    }
}

extension App.Request.Kind {
    fileprivate var isOfRun: Bool {
        switch self {
        case .configuration, .dayIndex, .hourIndex, .package, .warningIndex, .warnings, .detect: true
        case .register, .result, .tan, .upload, .pretend, .show, .askForPushToken, .registerForPush, .cancelPush: false
        }
    }
}

extension ReportPackages {
    fileprivate static var allCases: [ReportPackages] { [.venueReports, .checkInReports] }

    /// The first hours of the packages that may be published: those of the last 14 days that have ended.
    fileprivate func published(at now: Date) -> ClosedRange<Hour> {
        let latest = (Hour(containing: now).number / hours - 1) * hours
        return Hour(number: latest - Int32(CheckInDiary.daysKept) * 24)...Hour(number: latest)
    }
}
