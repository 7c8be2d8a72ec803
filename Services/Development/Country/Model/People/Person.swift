/// A person of the country. Nothing here ever changes.
package struct Person: Sendable {
    /// The person's number.
    package let id: PersonID
    /// The person's age.
    package let age: AgeDecade
    /// The number of the household.
    package let household: UInt32
    /// The phone with the app; nil without app.
    package let phone: PhoneClass?
}

/// An age in decades: 0 is 0 to 9 years, 8 is 80 and more.
package struct AgeDecade: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    package let rawValue: UInt8

    package init?(rawValue: UInt8) {
        guard rawValue <= 8 else { return nil }
        self.rawValue = rawValue
    }

    /// Draws one of several decades by their weights.
    init(among decades: ClosedRange<UInt8>, weights: [Double], using random: inout RandomStream) {
        var rest = random.unit() * decades.reduce(0) { $0 + weights[Int($1)] }
        rawValue =
            decades.first { decade in
                rest -= weights[Int(decade)]
                return rest < 0
            } ?? decades.upperBound
    }

    /// Which kind of networks and how many contacts people of this age have.
    var group: AgeGroup { rawValue < 2 ? .child : rawValue < 7 ? .adult : .elderly }
}

/// The three ages for which the numbers of contacts are known.
enum AgeGroup: Int, CaseIterable, Sendable {
    /// 0 to 19 years.
    case child
    /// 20 to 69 years.
    case adult
    /// 70 years and more.
    case elderly

    /// The decades that belong to it.
    var decades: ClosedRange<UInt8> {
        switch self {
        case .child: 0...1
        case .adult: 2...6
        case .elderly: 7...8
        }
    }

    /// The group's part of weights by decade.
    func share(of weights: [Double]) -> Double {
        decades.reduce(0) { $0 + weights[Int($1)] } / weights.reduce(0, +)
    }
}

/// What is particular about a phone with the app.
package struct PhoneClass: Sendable {
    /// Who made the exposure notification framework.
    package enum System: Sendable { case android, iOS }

    /// When packages of single hours can be loaded.
    package enum Network: Sendable {
        /// At any time.
        case wiFiAllDay
        /// From 22 to 6 o'clock.
        case wiFiByNight
        /// Never: only packages of days.
        case metered
    }

    /// Who made the exposure notification framework.
    package let system: System
    /// When packages of single hours can be loaded. iOS loads them over any network.
    package let network: Network
    /// What the phone reports in its metadata, in dBm.
    package let transmitPower: Int8
    /// What the phone reports in its metadata: 0 or 3.
    package let calibrationConfidence: UInt8
    /// By how many dB attenuations are wrong that involve this phone, as sender or as receiver.
    package let calibrationError: Double
    /// Whether its owner scans the codes of venues.
    package let checksIn: Bool
    /// The minute of the hour at which its periodic work runs, 0..<60.
    package let phase: UInt8
    /// Whether its owner has the Further app as well.
    package let hasFurther: Bool

    init(_ people: PeopleParameters, checkInShare: Double, using random: inout RandomStream) {
        system = random.chance(people.androidShare) ? .android : .iOS
        let place = random.unit()
        network =
            place < people.wiFiAllDayShare
            ? .wiFiAllDay : place < people.wiFiAllDayShare + people.wiFiByNightShare ? .wiFiByNight : .metered
        transmitPower = people.transmitPowers[random.index(below: people.transmitPowers.count)]
        let isCalibrated = random.chance(people.calibratedShare)
        let deviation = random.normal() * people.calibrationDeviation
        calibrationConfidence = isCalibrated ? 3 : 0
        calibrationError = isCalibrated ? 0 : deviation
        checksIn = random.chance(checkInShare)
        phase = UInt8(random.index(below: 60))
        hasFurther = random.chance(people.furtherShare)
    }
}
