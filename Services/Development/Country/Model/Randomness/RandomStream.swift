package import ExposureKeys

/// What a stream of random numbers decides. Each purpose has streams of its own, so that a draw more in one changes no other.
enum Purpose: UInt64 {
    case households, app, phone, sociability, networks, workContact, randomContacts, homeContact
    case resistance, course, imports, otherSymptoms
    case test, testChoice, warning, isolation, randomTest, sharing
    case venue, visitor, visit, venueContacts
    case scanTimetable, radio
    case simulatedPhone, injectedFault, attacker
}

/// A stream of random numbers that follows from the country's seed, a purpose, a subject and a day alone.
///
/// Two runs with one seed draw the same for each person and day, whatever else happens in them: a run without app differs from
/// one with app by the app's effect only. The generator is SplitMix64 (Steele, Lea and Flood, *Fast Splittable Pseudorandom Number
/// Generators*, 2014).
package struct RandomStream: RandomNumberGenerator, Sendable {
    private var state: UInt64

    private static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// - Parameter subject: a person, a pair or anything else that has a number.
    init(_ seed: UInt64, _ purpose: Purpose, _ subject: UInt64 = 0, day: Int32 = 0) {
        let own = Self.mix(seed &+ (purpose.rawValue + 1) &* Self.increment)
        let subjects = Self.mix(own ^ subject &* 0xD6E8_FEB8_6659_FD93)
        state = Self.mix(subjects &+ UInt64(truncatingIfNeeded: day) &* Self.increment)
    }

    /// What a person's phone draws.
    package init(seed: UInt64, phoneOf person: PersonID) {
        self.init(seed, .simulatedPhone, UInt64(person.rawValue))
    }

    /// What goes wrong in an hour.
    package init(seed: UInt64, faultsIn hour: Hour) {
        self.init(seed, .injectedFault, UInt64(hour.number))
    }

    /// What attackers guess, by the number of the attack.
    package init(seed: UInt64, attackers number: UInt64) {
        self.init(seed, .attacker, number)
    }

    /// 64 random bits.
    package mutating func next() -> UInt64 {
        state &+= Self.increment
        return Self.mix(state)
    }

    /// A bijection of 64-bit numbers whose results look random.
    private static func mix(_ number: UInt64) -> UInt64 {
        var mixed = number
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Uniform between 0 and 1, never one of them.
    mutating func unit() -> Double { (Double(next() >> 12) + 0.5) * 0x1p-52 }

    /// True with a probability.
    mutating func chance(_ probability: Double) -> Bool { unit() < probability }

    /// Uniform in 0..<count; a count above 2³² would be slightly uneven.
    mutating func index(below count: Int) -> Int {
        Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(count)).high)
    }

    /// Puts elements in a random order (Fisher and Yates).
    mutating func shuffle<Element>(_ elements: inout [Element]) {
        guard elements.count > 1 else { return }
        elements.withUnsafeMutableBufferPointer { buffer in
            for last in stride(from: buffer.count - 1, to: 0, by: -1) {
                buffer.swapAt(last, index(below: last + 1))
            }
        }
    }
}
