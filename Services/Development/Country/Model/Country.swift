package import ExposureKeys

/// A country that lives from hour to hour: who meets whom, who infects whom, who is tested, and who learns of it.
///
/// What phones show isn't simulated here: real phones decide it, and the world outside reports it with ``warned(_:at:colour:)``. The same
/// parameters and the same warnings give the same country, always.
package struct Country: Sendable {
    /// What decides everything.
    package let parameters: CountryParameters
    /// The hour that ``step()`` lives through next.
    package private(set) var hour: Hour
    /// Everybody, by number.
    package let people: [Person]
    /// Those with the app, in the order of their numbers.
    package let users: [PersonID]
    /// Places that people visit, by number.
    package let venues: [Venue]
    /// What phones hear. A value of its own, for other tasks too.
    package let radio: Radio
    /// What happened so far, in numbers.
    package internal(set) var statistics: CountryStatistics

    /// Whether each person has the app: closer together in memory than the phones.
    private let isUser: [Bool]
    private let contactPlan: ContactPlan
    private let visitPlan: VisitPlan
    private var contacts: [[Contact]] = []
    private(set) var diary: Diary
    private var plannedVisits: [Visit] = []
    var epidemic: Epidemic
    var isolation: Isolation
    var tests: [TestRecord] = []
    /// When the last sample of each person was or will be taken; 0 for none.
    var lastSwabs: [UInt32]
    /// When each person was last warned in red; 0 for never.
    var lastWarnings: [UInt32]
    var agenda = Agenda()

    /// Creates a country at the first hour of its first day.
    package init(_ parameters: CountryParameters) {
        self.parameters = parameters
        hour = parameters.start.firstHour
        let population = Population(parameters)
        people = population.people
        users = people.filter { $0.phone != nil }.map(\.id)
        isUser = people.map { $0.phone != nil }
        let venueCount = Int(Double(parameters.population) / parameters.venues.peoplePerVenue)
        venues = (0..<venueCount).map { Venue($0, parameters) }
        radio = Radio(people, parameters)
        contactPlan = ContactPlan(population, parameters)
        visitPlan = VisitPlan(parameters, venues: venueCount)
        diary = Diary(population: parameters.population, from: parameters.start)
        statistics = CountryStatistics(start: parameters.start)
        let dailyContacts = Self.dailyContacts(of: people, on: parameters.start, contactPlan, visitPlan)
        let transmission = Transmission(parameters.disease, contactPlan, dailyContacts: dailyContacts)
        epidemic = Epidemic(people, transmission, parameters)
        isolation = Isolation(parameters)
        lastSwabs = [UInt32](repeating: 0, count: people.count)
        lastWarnings = lastSwabs
    }

    /// Mean contacts of a person of each age group, counted on the day before the first one.
    private static func dailyContacts(
        of people: [Person], on start: Day, _ contacts: ContactPlan, _ visits: VisitPlan
    ) -> [Double] {
        let before = start.advanced(by: -1)
        var counts = [Double](repeating: 0, count: AgeGroup.allCases.count)
        for contact in contacts.contacts(on: before, visits: visits.visits(on: before)).joined() {
            counts[people[contact.first.index].age.group.rawValue] += 1
            counts[people[contact.second.index].age.group.rawValue] += 1
        }
        return AgeGroup.allCases.map { group in
            max(1, counts[group.rawValue]) / Double(max(1, people.count { $0.age.group == group }))
        }
    }

    /// Lives through an hour. What the world outside must do in it is in the answer.
    package mutating func step() -> HourEvents {
        var events = HourEvents(hour: hour)
        if hour == hour.day.firstHour { begin(hour.day) }
        meet(&events)
        visit(&events)
        // What people learn changes the hours after this one.
        while case let entries = agenda.take(hour), !entries.isEmpty {
            for entry in entries { carryOut(entry, &events) }
        }
        events.registrations.sort { ($0.at, $0.test) < ($1.at, $1.test) }
        events.results.sort { ($0.at, $0.test) < ($1.at, $1.test) }
        if hour.ofDay == 12 {
            statistics.today.isolated = isolation.count(at: Minute(rawValue: UInt32(hour.startSeconds / 60)))
        }
        hour = hour.advanced(by: 1)
        return events
    }

    // MARK: Days

    private mutating func begin(_ day: Day) {
        if day != parameters.start {
            diary.turn(to: day)
            statistics.begin()
        }
        plannedVisits = visitPlan.visits(on: day).sorted { ($0.start, $0.person) < ($1.start, $1.person) }
        contacts = contactPlan.contacts(on: day, visits: plannedVisits)
        importCases(on: day)
        fallIllOtherwise(on: day)
        orderRandomTests(on: day)
    }

    /// People who were infected elsewhere.
    private mutating func importCases(on day: Day) {
        var random = RandomStream(parameters.seed, .imports, day: day.number)
        let disease = parameters.disease
        let begin = Minute(0, of: day)
        for _ in 0..<disease.importedPerDay { infectElsewhere(PersonID(random.index(below: people.count)), at: begin) }
        guard day == parameters.start else { return }
        let first = Minute(0, of: day.advanced(by: -disease.firstCasesDays))
        for _ in 0..<disease.firstCases {
            let minute = first.advanced(by: random.index(below: disease.firstCasesDays * Minute.perDay + 1))
            infectElsewhere(PersonID(random.index(below: people.count)), at: minute)
        }
    }

    private mutating func infectElsewhere(_ person: PersonID, at minute: Minute) {
        guard let infection = epidemic.infect(person, at: minute, by: nil, place: nil) else { return }
        note(infection)
    }

    /// People whose symptoms have another cause. One draw for each person, so that it depends on nobody else.
    private mutating func fallIllOtherwise(on day: Day) {
        var random = RandomStream(parameters.seed, .otherSymptoms, day: day.number)
        for person in people {
            let draw = random.unit()
            guard draw < parameters.disease.otherSymptoms else { continue }
            let minute = Int(draw / parameters.disease.otherSymptoms * Double(Minute.perDay))
            agenda.add(.symptoms(person.id), at: Minute(minute, of: day))
        }
    }

    /// People who are tested without any reason.
    private mutating func orderRandomTests(on day: Day) {
        var random = RandomStream(parameters.seed, .randomTest, day: day.number)
        for person in people {
            let draw = random.unit()
            guard draw < parameters.testing.randomShare else { continue }
            let minute = 480 + Int(draw / parameters.testing.randomShare * 600)
            order(.random, for: person.id, swabAt: Minute(minute, of: day))
        }
    }

    // MARK: Hours

    /// The contacts of the hour, without those who stay at home.
    private mutating func meet(_ events: inout HourEvents) {
        for contact in contacts[hour.ofDay] where !isolation.prevents(contact) {
            statistics.today.contacts += 1
            if contact.isClose { statistics.today.closeContacts += 1 }
            if let infection = epidemic.meet(contact) { note(infection) }
            if isUser[contact.first.index], isUser[contact.second.index] {
                statistics.today.userContacts += 1
                if contact.isClose { statistics.today.closeUserContacts += 1 }
                events.contacts.append(contact)
            }
        }
        events.contacts.sort { ($0.start, $0.first, $0.second) < ($1.start, $1.first, $1.second) }
        diary.append(events.contacts)
    }

    private mutating func note(_ infection: Infection) {
        statistics.add(infection)
        // Of those who fell ill before the country began, nobody is tested any more.
        if let onset = infection.onset, onset.hour >= hour {
            agenda.add(.symptoms(infection.person), at: max(onset, infection.at))
        }
    }

    /// The visits of the hour that users enter with their phones.
    private mutating func visit(_ events: inout HourEvents) {
        events.checkIns = plannedVisits.filter { visit in
            visit.start.hour == hour && !isolation.contains(visit.person, at: visit.start)
                && venues[visit.venue.index].hasCode && people[visit.person.index].phone?.checksIn == true
        }
        statistics.today.checkIns += events.checkIns.count
    }
}
