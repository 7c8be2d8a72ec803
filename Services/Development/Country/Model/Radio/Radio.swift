import ExposureKeys
import Glibc

/// What phones hear, computed when somebody asks, and the same whenever asked.
///
/// The model follows measurements (DP-3T/bt-measurements, experiment 34; the parts of the scatter are in this module's README). What bodies and
/// bags do is drawn once for each contact: noise for each packet alone would make a long contact far too predictable.
package struct Radio: Sendable {
    private let seed: UInt64
    private let parameters: RadioParameters
    private let people: [Person]
    private let timetable: ScanTimetable

    init(_ people: [Person], _ parameters: CountryParameters) {
        seed = parameters.seed
        self.parameters = parameters.radio
        self.people = people
        timetable = ScanTimetable(seed: parameters.seed, gap: parameters.radio.scanGap)
    }

    /// A packet as the receiver hears it.
    package struct Packet: Hashable, Sendable {
        /// When, in seconds since the epoch.
        package let second: Int64
        /// When the scan began in which it was heard.
        package let scanStart: Int64
        /// What the sender's metadata says, in dBm.
        package let transmitPower: Int8
        /// How strong it arrived, in dBm.
        package let rssi: Int8

        /// In dB, never negative.
        package var attenuation: Int { max(0, Int(transmitPower) - Int(rssi)) }
    }

    /// The starts of a person's scans in a span of time, in seconds since the epoch. They last four seconds.
    package func scanStarts(of person: PersonID, in seconds: Range<Int64>) -> [Int64] {
        guard !seconds.isEmpty else { return [] }
        // A day's timetable ends with the first scan of the next day, shortly after midnight.
        let first = Day(number: Int32((seconds.lowerBound - parameters.scanGap.upperBound) / 86_400))
        let last = Day(number: Int32((seconds.upperBound - 1) / 86_400))
        return (first...last).flatMap { timetable.starts(of: person, on: $0) }.filter { seconds.contains($0) }
    }

    /// What a user hears of the other one during a contact between users, in the order of time; nothing unless both are users and the
    /// person is part of the contact.
    package func packets(heardBy receiver: PersonID, during contact: Contact) -> [Packet] {
        guard let sender = contact.other(than: receiver), let sending = people[sender.index].phone,
            let receiving = people[receiver.index].phone
        else { return [] }
        let both = UInt64(contact.first.rawValue) << 32 | UInt64(contact.second.rawValue)
        // The start distinguishes the contacts of a pair.
        let day = Int32(truncatingIfNeeded: contact.start.rawValue)
        var pair = RandomStream(seed, .radio, both, day: day)
        let meanAttenuation =
            parameters.attenuation.atOneMetre + parameters.attenuation.perDecade * log10(contact.metres)
            + pair.normal() * parameters.deviation.pair + sending.calibrationError + receiving.calibrationError
        // Each direction goes on by itself.
        let direction = pair.next() &+ (receiver < sender ? 0 : 1)
        var random = RandomStream(direction, .radio)

        let span = contact.start.startSeconds..<contact.end.startSeconds
        return scanStarts(of: receiver, in: (span.lowerBound - parameters.scanLength)..<span.upperBound).flatMap {
            scan -> [Packet] in
            guard random.chance(parameters.scanDetection) else { return [] }
            let attenuation = meanAttenuation + random.normal() * parameters.deviation.scan
            return (0..<parameters.packetsPerScan).compactMap { number -> Packet? in
                let noise = random.normal() * parameters.deviation.packet
                let strength = Double(sending.transmitPower) - (attenuation + noise)
                let second = scan + parameters.scanLength * Int64(number) / Int64(parameters.packetsPerScan)
                let packet = Packet(
                    second: second, scanStart: scan, transmitPower: sending.transmitPower,
                    rssi: Int8(min(max(-127, strength.rounded()), 20)))
                return span.contains(second) && packet.rssi >= parameters.weakest ? packet : nil
            }
        }
    }
}
