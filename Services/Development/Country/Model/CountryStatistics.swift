package import ExposureKeys

/// A country's figures, day by day.
package struct CountryStatistics: Sendable {
    /// The first day.
    package let start: Day
    /// The figures of each day, from the first one on; the last day may not be over.
    package private(set) var days: [DayFigures] = [DayFigures()]

    init(start: Day) {
        self.start = start
    }

    var today: DayFigures {
        get { days[days.count - 1] }
        _modify { yield &days[days.count - 1] }
    }

    mutating func begin() { days.append(DayFigures()) }

    mutating func add(_ infection: Infection) {
        if let place = infection.place {
            today.infections[place, default: 0] += 1
        } else {
            today.importedInfections += 1
        }
    }

    /// A figure over all days.
    package func total(_ figure: (DayFigures) -> Int) -> Int { days.reduce(0) { $0 + figure($1) } }

    /// The figures of one day.
    package struct DayFigures: Sendable, Equatable {
        /// People infected in the country, by place.
        package internal(set) var infections: [Place: Int] = [:]
        /// People infected elsewhere.
        package internal(set) var importedInfections = 0
        /// People whose symptoms began, of this infection or of another one.
        package internal(set) var onsets = 0
        /// Samples.
        package internal(set) var swabs = 0
        /// Positive results by the reason of the test.
        package internal(set) var positives: [TestReason: Int] = [:]
        /// Tests that users registered by their code.
        package internal(set) var registrations = 0
        /// Users who were told a teleTAN.
        package internal(set) var calls = 0
        /// Check-ins.
        package internal(set) var checkIns = 0
        /// Contacts of two people, after those who stay at home.
        package internal(set) var contacts = 0
        /// Those of 15 minutes or more at less than two metres.
        package internal(set) var closeContacts = 0
        /// Contacts of two users.
        package internal(set) var userContacts = 0
        /// Those of 15 minutes or more at less than two metres.
        package internal(set) var closeUserContacts = 0
        /// People at home at noon; summed over days, the days of quarantine.
        package internal(set) var isolated = 0
        /// Users who were shown a red warning, the first one in fourteen days.
        package internal(set) var redWarnings = 0
        /// Those of them who were infected by then.
        package internal(set) var redWarningsOfInfected = 0
        /// Green warnings that were reported.
        package internal(set) var greenWarnings = 0

        /// Everybody infected on the day, also elsewhere.
        package var allInfections: Int { infections.values.reduce(importedInfections, +) }
        /// Positive results.
        package var allPositives: Int { positives.values.reduce(0, +) }

        mutating func count(positive reason: TestReason) { positives[reason, default: 0] += 1 }
    }
}

extension Truth {
    /// How many people those infected on some days infected on average; nil if nobody was. The value is too low for the last two weeks.
    package func reproduction(ofInfectedOn days: ClosedRange<Day>) -> Double? {
        let infectors = Set(infections.filter { days.contains($0.at.day) }.map(\.person))
        guard !infectors.isEmpty else { return nil }
        let infected = infections.count { infection in infection.by.map(infectors.contains) ?? false }
        return Double(infected) / Double(infectors.count)
    }
}
