import CountryModel
import Credentials
import ExposureFormat
import ExposureKeys
import Exposures
import Foundation
import Phone
import Running
import VerificationAPI

/// A country's days, hour by hour: the model says what happens, and real phones and real services live through it.
///
/// The services' clock stands where the driver puts it (``SharedClock``). It is moved by a quarter of an hour at a time, and never while
/// a request is under way. The services fold and publish by themselves, as they do on any other day.
struct CountryRun: Sendable {
    private(set) var country: Country
    private(set) var oracle = Oracle()
    /// What has happened, hour by hour.
    private(set) var history: [HourRecord] = []
    /// When each phone first showed a colour.
    private(set) var warnings: [WarningColour: [PersonID: Date]] = [:]
    /// The number of published keys.
    private(set) var publishedKeys = 0
    /// The number of acknowledged uploads.
    private(set) var uploads = 0
    /// Whom people who uploaded had met in the fourteen days before; the model forgets older contacts.
    private(set) var meetings: [PersonID: [Meeting]] = [:]
    /// What passed on the phones' networks.
    private var trace = NetworkTrace()
    /// What attackers found out, at the end of the run.
    private(set) var attacks: [Attack] = []
    /// How long samples took to become uploads.
    private(set) var steps = StepTimes()
    /// The CPU seconds of the suite's processes at the end of the last hour.
    private var processors: [String: Double] = [:]
    /// How often somebody agreed to an upload.
    private(set) var consents = 0
    /// How often each fault was injected.
    private(set) var injected: [InjectedFault: Int] = [:]
    private let citizens: [PersonID: Citizen]
    private let furtherUsers: FurtherUsers
    private var airwaves: Airwaves
    private var intruder: Intruder
    /// What the laboratory hasn't posted because it is closed, and until when.
    private var withheld: [HourEvents.LabResult] = []
    private var closedUntil: Hour
    private let schedule: FaultSchedule
    private let stage: Stage

    /// The way to a running suite.
    struct Stage: Sendable {
        let clock: SharedClock
        let watch: SuiteWatch
        let laboratory: Laboratory
        let office: HealthOffice
        let posters: Posters
        let services: CitizenServices
        let faults: FaultInjection
    }

    /// What phones sent in an hour, and the time of the machine that it took.
    struct HourRecord: Sendable {
        let hour: Hour
        let traffic: Traffic
        /// By kind of phone.
        let trafficByKind: [String: Traffic]
        let seconds: Double
        /// The CPU seconds of the suite's processes.
        let processors: [String: Double]
    }

    /// The pieces of an hour in which requests run side by side.
    private static let slots = 4
    /// How many phones are busy at the same time. The proxy holds each answer back for a moment, so there are many.
    private static let concurrency = 128

    /// A country on its first day.
    /// - Parameter phones: how many users have a phone; the others are the model's alone.
    init(_ country: Country, _ schedule: FaultSchedule, phones: Int, seed: UInt64, on stage: Stage) {
        self.country = country
        self.schedule = schedule
        self.stage = stage
        closedUntil = country.hour
        airwaves = Airwaves(country.radio)
        intruder = Intruder(apps: stage.services.apps)
        let start = country.hour.start
        // Households have consecutive numbers, so that those who live together have phones together.
        let phones = country.users.prefix(phones).compactMap { id -> (PersonID, Citizen)? in
            let person = country.people[Int(id.rawValue)]
            return person.phone.map {
                (id, Citizen(person, device: $0, installedAt: start, seed: seed, services: stage.services))
            }
        }
        citizens = Dictionary(uniqueKeysWithValues: phones)
        furtherUsers = FurtherUsers(
            among: phones.map { country.people[Int($0.0.rawValue)] }, services: stage.services)
    }

    /// The number of phones.
    var phones: Int { citizens.count }

    /// The number of phones of each kind.
    var phonesByKind: [String: Int] {
        citizens.values.reduce(into: [:]) { $0[$1.device.kind, default: 0] += 1 }
    }

    /// Lives through the next hour.
    mutating func live() async throws {
        let started = ContinuousClock.now
        if history.isEmpty { processors = await stage.watch.processorSeconds() }
        let hour = country.hour
        let faults = schedule.entries(in: hour)
        for entry in faults { injected[entry.fault, default: 0] += 1 }
        try await closeHour(before: hour, faults.first { $0.slot == 0 })
        let events = country.step()
        for swab in events.swabs { steps.sampled(swab.test, at: swab.at.date) }
        for citizen in citizens.values { await citizen.beginHour(hour) }
        for registration in events.registrations { await plan(registration) }
        for visit in events.checkIns { await plan(PhoneVisit(visit)) }
        for slot in 0..<Self.slots {
            try await live(through: slot, of: hour, events, faults.first { $0.slot == slot + 1 })
        }
        if await intruder.attempt(at: hour.start) { oracle.report(.unauthorisedUpload, "taken in hour \(hour)") }
        try await airwaves.pass(hour, events.contacts, to: citizens)
        let traffic = try await collect()
        let before = processors
        processors = await stage.watch.processorSeconds()
        history.append(
            HourRecord(
                hour: hour, traffic: traffic.values.reduce(into: Traffic()) { $0 += $1 }, trafficByKind: traffic,
                seconds: started.duration(to: .now) / .seconds(1),
                // A process that was started again begins at nought.
                processors: processors.merging(before) { max(0, $0 - $1) }))
    }

    /// A quarter of an hour.
    private mutating func live(
        through slot: Int, of hour: Hour, _ events: HourEvents, _ fault: FaultSchedule.Entry?
    ) async throws {
        let begin = hour.start.addingTimeInterval(3600 * Double(slot) / Double(Self.slots))
        let end = hour.start.addingTimeInterval(3600 * Double(slot + 1) / Double(Self.slots))
        let back = fault?.fault == .clock ? Double(60 * (1 + (fault?.choice ?? 0) % 50)) : 0
        if slot > 0 || back > 0 { try stage.clock.move(to: begin.addingTimeInterval(-back)) }
        let injection = stage.faults
        async let struck: Void = injection.strike(fault)
        try await post(events.results.filter { begin <= $0.at.date && $0.at.date < end }, from: begin, in: hour, fault)
        for call in events.calls where begin <= call.at.date && call.at.date < end { try await answer(call) }
        // By the services' clock, which the publication has moved: they refuse what comes from another time.
        let wake = slot > 0 ? begin : begin.addingTimeInterval(Self.publicationMinute * 60 + 1)
        let awake = furtherUsers.awake(in: slot)
        try await live(until: end, waking: awake, at: wake)
        try await struck
        for user in awake { oracle.further.told(await user.takeNews(), to: user.person) }
        await furtherUsers.live(through: events, in: begin..<end, seenBy: &oracle.further)
    }

    /// Posts results, unless the laboratory is closed.
    private mutating func post(
        _ results: [HourEvents.LabResult], from begin: Date, in hour: Hour, _ fault: FaultSchedule.Entry?
    ) async throws {
        if let fault, fault.fault == .laboratory { closedUntil = hour.advanced(by: 1 + fault.choice % 12) }
        withheld += results
        guard hour >= closedUntil else { return }
        try await stage.laboratory.post(withheld)
        for result in withheld { steps.posted(result.test, at: max(result.at.date, begin)) }
        withheld.removeAll()
    }

    // MARK: The services' hourly jobs

    /// The fold and the publication of the hour that has just ended, and the Further app's lists.
    private mutating func closeHour(before hour: Hour, _ fault: FaultSchedule.Entry?) async throws {
        // Shortly after the jobs are due, which look at the clock themselves.
        let isOfFold = fault.map { $0.fault != .disk && $0.choice.isMultiple(of: 2) } ?? false
        try await finish("fold", of: "fold", at: hour.start.addingTimeInterval(3), isOfFold ? fault : nil)
        let publication = hour.start.addingTimeInterval(Self.publicationMinute * 60 + 1)
        try await finish("publish", of: "distribution", at: publication, isOfFold ? nil : fault)
        // Lists that a fault has delayed come with the next quarter of an hour.
        if fault == nil {
            try await stage.watch.wait(for: "lists", of: "further", since: publication.addingTimeInterval(-1))
        }
        await stage.services.downloads.beginHour(hour)
        let closed = hour.advanced(by: -1)
        guard closed >= Hour(containing: country.parameters.start.firstHour.start) else { return }
        let client = stage.services.packages
        let published = try await persistently { try await client.keys(of: closed) }
        oracle.published(published, in: closed)
        publishedKeys += published.count
        for key in published where intruder.keys.contains(key.data) {
            oracle.report(.unauthorisedUpload, "published in hour \(closed)")
        }
    }

    /// Lets an hourly job run, and a fault meanwhile.
    private func finish(
        _ job: String, of service: String, at instant: Date, _ fault: FaultSchedule.Entry?
    ) async throws {
        try stage.clock.move(to: instant)
        if let fault {
            try await stage.faults.strike(fault)
            // A job that failed tries again within a minute.
            try stage.clock.move(to: instant.addingTimeInterval(61))
        }
        try await stage.watch.wait(for: job, of: service, since: instant.addingTimeInterval(-1))
    }

    /// `run.minute` of distribution in a suite for development.
    private static let publicationMinute: TimeInterval = 5

    // MARK: What people do

    private func plan(_ registration: HourEvents.Registration) async {
        await citizens[registration.person]?.plan(
            .scan(
                .guid(stage.laboratory.guid(of: registration.test)), of: registration.test,
                sharing: registration.sharing),
            at: registration.at.date)
    }

    private mutating func plan(_ visit: PhoneVisit) async {
        guard let code = stage.posters.code(of: visit.venue), let citizen = citizens[visit.person] else { return }
        await citizen.plan(.checkIn(code, visit), at: Date(timeIntervalSince1970: Double(visit.seconds.lowerBound)))
        oracle.visits.checkedIn(visit)
    }

    /// An officer reads out a code to somebody who calls, and the phone redeems it at once.
    private func answer(_ call: HourEvents.OfficerCall) async throws {
        guard let citizen = citizens[call.person] else { return }
        let code = try await stage.office.makeCode()
        await citizen.plan(.scan(.teleTAN(code), of: call.test, sharing: call.sharing), at: call.at.date)
    }

    /// All phones that have something to do before an instant do it, many at a time.
    /// - Parameter users: those whose Further app wakes.
    private func live(until end: Date, waking users: [FurtherUser], at instant: Date) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var busy = 0
            for user in users {
                if busy == Self.concurrency { try await group.next() } else { busy += 1 }
                group.addTask { await user.wake(at: instant) }
            }
            for citizen in citizens.values where await citizen.nextInstant < end {
                if busy == Self.concurrency { try await group.next() } else { busy += 1 }
                group.addTask { try await citizen.live(until: end) }
            }
            try await group.waitForAll()
        }
    }

    // MARK: What becomes of it

    /// - Returns: what phones sent, by their kind.
    private mutating func collect() async throws -> [String: Traffic] {
        var traffic: [String: Traffic] = [:]
        for (person, citizen) in citizens {
            let record = await citizen.takeRecord()
            traffic[citizen.device.kind, default: Traffic()] += record.traffic
            trace.phones[person, default: []] += record.requests
            consents += record.consents
            for (test, shown) in record.results { steps.shown(test, to: person, at: shown) }
            for upload in record.uploads {
                if let acknowledged = upload.acknowledged {
                    uploads += 1
                    steps.uploaded(by: person, at: acknowledged)
                    takeMeetings(of: person)
                }
                oracle.shared(upload.keys, by: person, acknowledged: upload.acknowledged, in: country) {
                    citizens[$0] != nil
                }
            }
            for (key, found) in record.matches { oracle.matched(key, by: person, at: found) }
            for shared in record.sharedVisits {
                oracle.visits.shared(shared.visit, acknowledged: shared.acknowledged)
            }
            oracle.visits.found(record.warnedVisits)
            for warning in record.warnings where warnings[warning.colour]?[person] == nil {
                warnings[warning.colour, default: [:]][person] = warning.at
                country.warned(person, at: Minute(containing: warning.at), colour: warning.colour)
            }
        }
        return traffic
    }

    /// An uploader's second upload adds the meetings since the first one.
    private mutating func takeMeetings(of person: PersonID) {
        let today = country.hour.day
        for meeting in country.truth.meetings(of: person, from: today.advanced(by: -14), through: today)
        where citizens[meeting.other] != nil { meetings[meeting.other, default: []].append(meeting) }
    }

    /// The end of the country: what oracle and attackers say of it.
    mutating func judge() {
        oracle.judge(citizens.keys.sorted(), at: country.hour.start)
        attacks = Attack.all(on: trace, seed: country.parameters.seed)
        for attack in attacks where attack.isPrevented && attack.findsSomething {
            oracle.report(.attackSucceeds, "\(attack.name): \(attack.accuracy) of \(attack.questions) answers")
        }
    }
}

extension PackageClient {
    /// An hour's keys; none if the hour has no package.
    fileprivate func keys(of hour: Hour) async throws -> [ExportedKey] {
        do {
            return try await keys(of: Day(containing: hour.start).name, hour: hour.ofDay)
        } catch Failure.missing {
            return []
        }
    }
}
