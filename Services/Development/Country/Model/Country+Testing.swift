import ExposureKeys
import Glibc

extension Country {
    /// Days in which nobody is tested twice.
    private static let daysBetweenTests = 7

    /// Orders a test, unless the person was or will be tested at about the same time.
    mutating func order(_ reason: TestReason, for person: PersonID, swabAt: Minute) {
        let last = Minute(rawValue: lastSwabs[person.index])
        guard abs(last.minutes(until: swabAt)) >= Self.daysBetweenTests * Minute.perDay else { return }
        lastSwabs[person.index] = swabAt.rawValue
        let id = TestID(rawValue: UInt32(tests.count))
        tests.append(
            TestRecord(
                id, of: people[person.index], reason, at: swabAt, seed: parameters.seed, parameters.testing))
        agenda.add(.swab(id), at: swabAt)
    }

    /// Does what was due.
    mutating func carryOut(_ entry: Agenda.Entry, _ events: inout HourEvents) {
        switch entry.errand {
        case .symptoms(let person): fallIll(person, at: entry.at)
        case .swab(let test): takeSample(tests[test.index], &events)
        case .registration(let test): register(tests[test.index], at: entry.at, &events)
        case .result(let test): reveal(tests[test.index], &events)
        case .call(let test): call(tests[test.index], at: entry.at, &events)
        }
    }

    private mutating func fallIll(_ person: PersonID, at minute: Minute) {
        statistics.today.onsets += 1
        var random = RandomStream(parameters.seed, .testChoice, UInt64(person.rawValue), day: minute.day.number)
        guard random.chance(parameters.testing.symptomsShare) else { return }
        let swabAt = minute.advanced(byDays: parameters.testing.orderDelay).duringOpeningHours
        order(.symptoms, for: person, swabAt: swabAt)
    }

    private mutating func takeSample(_ test: TestRecord, _ events: inout HourEvents) {
        statistics.today.swabs += 1
        events.swabs.append(
            HourEvents.Swab(
                test: test.id, person: test.person, at: test.swabAt, reason: test.reason, route: test.route))
        if let registersAt = test.registersAt { agenda.add(.registration(test.id), at: registersAt) }
        agenda.add(.result(test.id), at: test.resultAt)
    }

    private mutating func register(_ test: TestRecord, at minute: Minute, _ events: inout HourEvents) {
        statistics.today.registrations += 1
        events.registrations.append(
            HourEvents.Registration(test: test.id, person: test.person, at: minute, sharing: sharing(of: test)))
    }

    /// A result is known: laboratories post it, or the person will be called.
    private mutating func reveal(_ test: TestRecord, _ events: inout HourEvents) {
        let isPositive = test.isPositive(epidemic.infection(of: test.person), parameters.testing)
        if isPositive { statistics.today.count(positive: test.reason) }
        switch test.route {
        case .electronic:
            events.results.append(
                HourEvents.LabResult(test: test.id, person: test.person, at: test.resultAt, isPositive: isPositive))
            if isPositive { isolation.begin(test.person, at: test.resultAt, becauseOf: .positive) }
        case .telephone:
            if isPositive { agenda.add(.call(test.id), at: test.callAt) }
        }
    }

    /// An officer tells a person of a positive result, and users who want one a teleTAN.
    private mutating func call(_ test: TestRecord, at minute: Minute, _ events: inout HourEvents) {
        isolation.begin(test.person, at: minute, becauseOf: .positive)
        guard test.isRegistered else { return }
        statistics.today.calls += 1
        events.calls.append(
            HourEvents.OfficerCall(test: test.id, person: test.person, at: minute, sharing: sharing(of: test)))
    }

    private func sharing(of test: TestRecord) -> Sharing? {
        Sharing(
            of: test, epidemic.infection(of: test.person), seed: parameters.seed, parameters.testing)
    }

    // MARK: What people do then

    /// A phone has shown a warning. The person may stay at home and be tested, from the next hour on.
    ///
    /// People without app and repeats within fourteen days of a red warning are ignored.
    /// - Parameter instant: when it was shown; one before the next step's hour counts as that hour's start.
    package mutating func warned(_ person: PersonID, at instant: Minute, colour: WarningColour) {
        guard people[person.index].phone != nil else { return }
        let now = max(instant, Minute(rawValue: UInt32(hour.startSeconds / 60)))
        guard colour == .red else {
            statistics.today.greenWarnings += 1
            return
        }
        let last = Minute(rawValue: lastWarnings[person.index])
        guard last.minutes(until: now) >= parameters.behaviour.quarantineDays * Minute.perDay else { return }
        lastWarnings[person.index] = now.rawValue
        statistics.today.redWarnings += 1
        if let infection = epidemic.infection(of: person), infection.at <= now {
            statistics.today.redWarningsOfInfected += 1
        }
        isolation.begin(person, at: now, becauseOf: .warned)
        var random = RandomStream(parameters.seed, .warning, UInt64(person.rawValue), day: now.day.number)
        guard random.chance(parameters.behaviour.warnedTestShare) else { return }
        let delay = parameters.behaviour.warnedTestDelay
        let days = min(
            random.logNormal(median: delay.median, mean: delay.mean), parameters.behaviour.longestWarnedTestDelay)
        order(.warning, for: person, swabAt: now.advanced(byDays: days).advanced(by: 60).duringOpeningHours)
    }
}
