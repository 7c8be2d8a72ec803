import CountryModel
import ExposureKeys
import Foundation
import Glibc

extension CountryReport {
    /// What a run showed.
    /// - Parameters:
    ///   - baseline: the same country in which nobody was warned.
    init(_ life: CountryCommand.Life, _ settings: Settings, baseline: Country) {
        let run = life.run
        let country = run.country
        let statistics = country.statistics
        let (red, green) = (run.warnings[.red] ?? [:], run.warnings[.green] ?? [:])
        self.settings = settings
        duration = life.took / .seconds(1)
        memory = Self.peakMemory
        days = statistics.days.enumerated().prefix(settings.days).map { number, figures in
            let day = statistics.start.advanced(by: number)
            return DayRow(
                day: day.name, infections: figures.allInfections,
                infectionsWithoutApp: baseline.statistics.days.indices.contains(number)
                    ? baseline.statistics.days[number].allInfections : 0,
                positiveTests: figures.allPositives,
                redWarnings: red.values.count { Day(containing: $0) == day })
        }
        cascade = Cascade(
            infected: statistics.total(\.allInfections), positive: statistics.total(\.allPositives),
            registered: statistics.total { $0.registrations + $0.calls }, consents: run.consents,
            uploads: run.uploads,
            sharedKeys: run.oracle.sharedKeys, checkIns: statistics.total(\.checkIns),
            sharedVisits: run.oracle.visits.sharedVisits, warnedVisitors: run.oracle.visits.warnedPeople,
            furtherReporters: run.oracle.further.positivePeople, furtherTold: run.oracle.further.toldPeople,
            warnedRed: red.count, warnedGreen: green.count)
        let closeContacts = run.meetings.filter { $0.value.contains(where: \.isClose) }
        notification = Notification(
            closeContacts: closeContacts.count, closeContactsWarned: closeContacts.keys.count { red[$0] != nil })
        alerts = [Alerts("red", red, run), Alerts("green", green, run)]
        completeness = Self.completeness(of: run.oracle)
        delays =
            StepTimes.Step.allCases.map { Delay($0.rawValue, run.steps.hours[$0] ?? []) } + [
                Delay("from upload, and the end of the key's period, to publication", run.oracle.hoursToPublication),
                Delay("from publication until phones that had heard the key found it", run.oracle.hoursToDetection),
                Delay("from the last close contact with an uploader to red", Self.hoursToRed(run, red)),
            ]
        attacks = run.attacks
        hours = run.history.map { record in
            HourRow(
                hour: Int(record.hour.number), requests: record.traffic.byName, seconds: record.seconds,
                processors: record.processors)
        }
        let sum = run.history.reduce(into: Traffic()) { $0 += $1.traffic }
        let phoneDays = Double(max(1, settings.phones * settings.days))
        requestsPerPhone = sum.byName.mapValues { Double($0) / phoneDays }
        bytesPerPhone = Dictionary(
            uniqueKeysWithValues: sum.bytes.map { ($0.key.rawValue, Double($0.value) / phoneDays) })
        kinds = run.phonesByKind.sorted { $0.key < $1.key }.map { Kind($0.key, phones: $0.value, run, settings) }
        processors = run.history.reduce(into: [:]) { $0.merge($1.processors, uniquingKeysWith: +) }
        processMemory = life.memory
        publishedKeys = run.publishedKeys
        fillers = run.publishedKeys - run.oracle.publishedKeys
        injected = Dictionary(uniqueKeysWithValues: run.injected.map { ($0.key.rawValue, $0.value) })
        faults = Dictionary(
            uniqueKeysWithValues: Oracle.Fault.allCases.map { ($0.rawValue, run.oracle.cases(of: $0).count) })
        cases = Oracle.Fault.allCases.flatMap { fault in
            run.oracle.cases(of: fault).prefix(20).map { "\(fault.rawValue): \($0)" }
        }
        judgedPairs = run.oracle.judgedPairs
        judgedVisits = run.oracle.visits.judgedPairs
        judgedIDs = run.oracle.further.judgedPairs
        differentDownloads = life.differentDownloads
    }

    /// The most memory that the process had, in MiB (getrusage(2)).
    private static var peakMemory: Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss / 1024
    }

    private static func hoursToRed(_ run: CountryRun, _ red: [PersonID: Date]) -> [Double] {
        run.meetings.compactMap { person, meetings in
            guard let shown = red[person],
                let last = meetings.filter(\.isClose).map({ $0.day.firstHour.start.addingTimeInterval(43_200) })
                    .filter({ $0 < shown }).max()
            else { return nil }
            return shown.timeIntervalSince(last) / 3600
        }
    }

    private static func completeness(of oracle: Oracle) -> [Completeness] {
        func row(_ name: String, _ due: Int, missing fault: Oracle.Fault) -> Completeness {
            Completeness(name: name, due: due, happened: due - oracle.cases(of: fault).count)
        }
        return [
            row("acknowledged keys were published", oracle.judgedKeys, missing: .lostUpload),
            row("phones that heard a published key found it", oracle.judgedPairs, missing: .neverMatched),
            row(
                "phones found reports of visits beside their own", oracle.visits.judgedPairs,
                missing: .visitNeverMatched),
            row("owners were told of reported ids", oracle.further.judgedPairs, missing: .neverTold),
        ]
    }

    /// What happened, in words.
    var summary: String {
        let bad = faults.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return """
            \(settings.people) people, \(settings.phones) phones, \(settings.days) days in \(Int(duration)) s, \(memory) MiB: \
            \(cascade.infected) infected, \(cascade.positive) tested positive, \(cascade.uploads) uploads with \
            \(cascade.sharedKeys) keys, \(cascade.warnedRed) phones red, \(cascade.warnedGreen) green.
            \(cascade.checkIns) check-ins, \(cascade.sharedVisits) shared, \(cascade.warnedVisitors) visitors warned.
            By the Further app \(cascade.furtherReporters) people reported a positive test, and \(cascade.furtherTold) were told.
            \(judgedPairs) pairs of a key and a phone that heard it, \(judgedVisits) of a report and a visit, \(judgedIDs) of a \
            reported id and a phone that heard it: \
            \(bad.isEmpty ? verdict : bad.joined(separator: "; "))
            """
    }

    private var verdict: String {
        judgedPairs + judgedVisits + judgedIDs > 0
            ? "every one was found, and nothing else."
            : "the run was too short to judge any, and nothing else was found."
    }
}

extension CountryReport.Alerts {
    /// - Parameter shown: when each phone first showed the colour.
    fileprivate init(_ colour: String, _ shown: [PersonID: Date], _ run: CountryRun) {
        let truth = run.country.truth
        self.colour = colour
        people = shown.count
        closeContacts = shown.keys.count { run.meetings[$0]?.contains(where: \.isClose) ?? false }
        contacts = shown.keys.count { run.meetings[$0] != nil }
        infected = shown.count { person, at in truth.infection(of: person).map { $0.at.date <= at } ?? false }
    }
}

extension CountryReport.Kind {
    fileprivate init(_ name: String, phones: Int, _ run: CountryRun, _ settings: CountryReport.Settings) {
        let sum = run.history.reduce(into: Traffic()) { $0 += $1.trafficByKind[name] ?? Traffic() }
        let phoneDays = Double(max(1, phones * settings.days))
        self.name = name
        self.phones = phones
        requests = Double(sum.requests.values.reduce(0, +)) / phoneDays
        bytes = Double(sum.bytes.values.reduce(0, +)) / phoneDays
    }
}

extension CountryReport.Delay {
    /// The median and the 90th percentile of some hours.
    fileprivate init(_ name: String, _ hours: [Double]) {
        let sorted = hours.sorted()
        self.name = name
        median = sorted.isEmpty ? nil : sorted[sorted.count / 2]
        ninetieth = sorted.isEmpty ? nil : sorted[sorted.count * 9 / 10]
    }
}

extension Traffic {
    fileprivate var byName: [String: Int] {
        Dictionary(uniqueKeysWithValues: requests.map { ($0.key.rawValue, $0.value) })
    }
}
