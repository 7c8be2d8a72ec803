import CountryModel
import Credentials
import ExposureFormat
import ExposureKeys
import Exposures
import Foundation
import Phone

/// A simulated person with the app: a real phone, and what its owner does with it.
actor Citizen {
    /// Who it is in the model.
    nonisolated let person: PersonID
    /// The kind of phone, as the model drew it.
    nonisolated let device: PhoneClass
    private var phone: Phone
    private var store: ExposureStore
    private var app: App
    private var executor: AppExecutor
    private let services: CitizenServices
    private var random: RandomStream
    private var agenda = Agenda()
    /// By their numbers in the diary.
    private var visits: [UInt32: PhoneVisit] = [:]
    /// The laboratory's tests, by the app's numbers, and what the owner answers when one is positive.
    private var tests: [UInt16: (test: TestID, sharing: Sharing?)] = [:]
    /// What the last detection amounts to.
    private var exposures: ExposureRisk?
    private var lastRun: Date
    private var record = Record()

    /// What a phone did that others want to know.
    struct Record: Sendable {
        /// What it sent.
        var traffic = Traffic()
        /// How often its owner agreed to an upload.
        var consents = 0
        /// The keys that it sent, and when the app had the answer; nil if it had none, and will send them again. The reports of visits
        /// are in ``sharedVisits``.
        var uploads: [(keys: [DiagnosisKey], acknowledged: Date?)] = []
        /// Results of detections: a colour when there was one.
        var warnings: [(colour: WarningColour, at: Date)] = []
        /// Keys that were newly matched.
        var matches: [(key: KeyData, at: Date)] = []
        /// Results that it showed, by the laboratory's test.
        var results: [(test: TestID, at: Date)] = []
        /// What somebody saw on its network.
        var requests: [WatchedRequest] = []
        /// Visits whose reports it sent, and the same.
        var sharedVisits: [(visit: PhoneVisit, acknowledged: Date?)] = []
        /// Visits about which the phone has found reports.
        var warnedVisits: Set<PhoneVisit> = []
    }

    /// A phone on which the app was installed when the country began, and which has been in use for two weeks.
    init(_ person: Person, device: PhoneClass, installedAt start: Date, seed: UInt64, services: CitizenServices) {
        self.person = person.id
        self.device = device
        self.services = services
        var random = RandomStream(seed: seed, phoneOf: person.id)
        phone = Phone(at: start, using: &random)
        store = ExposureStore(platform: device.platform)
        // Half of the phones know the Corona-Warn-App's venues alone; the others upload visits of both kinds.
        executor = services.executor(person.id.rawValue.isMultiple(of: 2) ? .checkInReports : .venueReports)
        app = App(
            App.Setup(device: device.deviceClass, dummies: services.dummies), installedAt: start,
            phase: Int32(device.phase) * 60, using: &random)
        self.random = random
        lastRun = start
    }

    // MARK: What happens to it

    /// Adds something that the owner will do.
    func plan(_ action: OwnerAction, at instant: Date) { agenda.add(action, at: instant) }

    /// Each day gets a new key at midnight (UTC), whatever the app does.
    func beginHour(_ hour: Hour) { phone.live(until: hour.start, using: &random) }

    /// What it broadcasts in an interval.
    func advertisement(in interval: IntervalNumber) throws -> Advertisement? {
        try phone.advertisement(in: interval, device.metadata)
    }

    /// Records scans with everything they received, in the order of time; an empty one counts, too.
    func hear(_ scans: [(at: Date, received: [Reception])]) {
        for scan in scans { store.hear(scan.received, at: scan.at) }
    }

    /// When the phone has something to do next.
    var nextInstant: Date {
        let wake = app.nextWake(after: lastRun)
        return agenda.next.map { min($0, wake) } ?? wake
    }

    /// Lives until an instant: the owner's actions and the app's runs, in the order of their times.
    func live(until end: Date) async throws {
        while nextInstant < end {
            let instant = max(nextInstant, lastRun)
            lastRun = instant
            if let action = agenda.pop(through: instant) {
                try await perform(action, at: instant)
            } else {
                try await run(.woken, at: instant)
                lookAtCard(at: instant)
            }
        }
    }

    /// What it did since the last call.
    func takeRecord() -> Record {
        defer { record = Record() }
        return record
    }

    // MARK: One event

    private func perform(_ action: OwnerAction, at instant: Date) async throws {
        switch action {
        case .scan(let proof, let test, let sharing):
            try await run(.scanned(proof, .pcr), at: instant)
            if let number = app.tests.last?.id { tests[number] = (test, sharing) }
        case .consent(let test, let onset, let sharesCheckIns):
            record.consents += 1
            let visits = sharesCheckIns ? Set(app.diary.checkIns.map(\.id)) : []
            try await run(.consented(test: test, App.Consent(onset: onset, checkIns: visits)), at: instant)
        case .checkIn(let code, let visit):
            let minutes = Int(visit.seconds.upperBound - visit.seconds.lowerBound) / 60
            try await run(.checkedIn(code, minutes: minutes), at: instant)
            if let id = app.diary.checkIns.last?.id { visits[id] = visit }
        }
    }

    /// Hands an event to the app and performs its requests, until it has none left.
    private func run(_ event: App.Event, at instant: Date) async throws {
        var open = app.handle(event, at: instant, using: &random)[...]
        while let request = open.popFirst() {
            guard let answer = try await answer(to: request, at: instant) else { continue }
            open += app.handle(.answered(request, answer), at: instant, using: &random)
        }
    }

    private func answer(to request: App.Request, at instant: Date) async throws -> App.Answer? {
        switch request.kind {
        case .configuration, .dayIndex, .hourIndex, .package, .warningIndex, .warnings:
            let download = await services.downloads.answer(request, asSample: isSampled)
            record.traffic.count(request.kind, bytes: download.bytes)
            return download.answer
        case .detect(let packages): return try await detect(in: packages, at: instant)
        case .show(let notice):
            answerNotice(notice, at: instant)
            return nil
        case .askForPushToken, .cancelPush: return nil
        case .register, .result, .tan, .upload, .pretend, .registerForPush:
            return try await send(request, at: instant)
        }
    }

    /// Every phone's requests count. Those of one in some are sent on their own, even for files that others have fetched.
    private var isSampled: Bool { Int(person.rawValue) % services.downloads.sampledOneIn == 0 }

    private func send(_ request: App.Request, at instant: Date) async throws -> App.Answer? {
        let upload: App.Upload? = if case .upload(let upload) = request.kind { upload } else { nil }
        let keys = upload.map { phone.diagnosisKeys(of: $0.days, $0.onset, answeredOn: $0.answeredOn) } ?? []
        // An actor's own values can't be lent to a call that waits; a phone has one such request at a time.
        let (executor, app) = (executor, app)
        let (answer, seen) = try await services.lines.exchange(at: instant) { apps in
            var executor = executor
            executor.apps = apps
            return await executor.answer(request, of: app, at: instant, keys: { _ in keys }, detect: { _ in })
        }
        record.traffic.count(request.kind, bytes: seen.lengths.sent + seen.lengths.received)
        record.requests.append(
            WatchedRequest(seen: seen, meaning: .init(request.kind, held: keys.count + (upload?.checkIns.count ?? 0))))
        if let upload {
            // A server may have taken what it didn't acknowledge.
            let (sent, at): (Set<UInt32>, Date?) =
                if case .uploaded(let checkIns) = answer { (checkIns, instant) } else { (upload.checkIns, nil) }
            record.uploads.append((keys, at))
            record.sharedVisits += sent.compactMap { visits[$0] }.map { ($0, at) }
        }
        return answer
    }

    // MARK: On the phone alone

    private func detect(in packages: [KeyPackage], at instant: Date) async throws -> App.Answer {
        let known = store.recognisedKeys
        try store.provide(await services.downloads.keys(of: packages), by: app.rules.keys, at: instant)
        record.matches += store.recognisedKeys.subtracting(known).map { ($0, instant) }
        let windows = store.windows(by: app.rules.keys, at: instant, using: &random)
        exposures = ExposureRisk(windows, by: app.rules.risk, at: instant, on: device.platform)
        return .detected(missing: [])
    }

    /// Looks at what the app shows after a run. Green says that somebody was met.
    private func lookAtCard(at instant: Date) {
        let venues = VenueRisk(app.diary, by: app.rules.venues, at: instant, on: device.platform)
        record.warnedVisits.formUnion(venues.exposures.compactMap { visits[$0.checkIn] })
        let card = app.card(exposures: exposures?.level ?? .low, venues: venues.level, at: instant)
        if card == .high {
            record.warnings.append((.red, instant))
        } else if card == .low, exposures?.days.isEmpty == false || !venues.exposures.isEmpty {
            record.warnings.append((.green, instant))
        }
    }

    /// The owner sees a result: whoever shares does so after a while.
    private func answerNotice(_ notice: App.Notice, at instant: Date) {
        guard case .result(let test, let result) = notice, let entry = tests.removeValue(forKey: test) else { return }
        record.results.append((entry.test, instant))
        guard result == .pcrPositive, let sharing = entry.sharing else { return }
        // The app itself waits for the last half hour, until nobody touches it any more.
        let pause = Double(max(0, sharing.minutesAfterResult - 30)) * 60
        agenda.add(
            .consent(test, sharing.onset, sharesCheckIns: sharing.sharesCheckIns),
            at: instant.addingTimeInterval(pause))
    }
}
