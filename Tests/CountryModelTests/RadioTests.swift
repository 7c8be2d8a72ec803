import ExposureKeys
import Testing

@testable import CountryModel

struct RadioTests {
    /// A country in which everybody has the app and a calibrated phone.
    private static let parameters = CountryStage.parameters(population: 2001) {
        $0.people.appShare = 1
        $0.people.calibratedShare = 1
    }
    private static let radio = Radio(Population(parameters).people, parameters)

    /// A thousand contacts of pairs, at different times.
    private static func contacts(minutes: UInt16, metres: Double, count: UInt32 = 1000) -> [Contact] {
        (0..<count).map { number in
            Contact(
                2 * number, 2 * number + 1, start: Minute(480 + Int(number) % 600, of: CountryStage.start),
                minutes: minutes, decimetres: UInt8(metres * 10), place: .random)
        }
    }

    @Test("phones scan every 211 to 300 seconds, across midnight too, and whatever span is asked")
    func timetable() {
        for number in 0..<20 {
            let person = PersonID(number)
            let from = CountryStage.start.startSeconds
            let starts = Self.radio.scanStarts(of: person, in: from..<(from + 3 * 86_400))
            let gaps = zip(starts, starts.dropFirst()).map { $1 - $0 }
            #expect(gaps.allSatisfy { (211...300).contains($0) })
            #expect(abs(Moments(gaps.map(Double.init)).mean - 255.5) < 3)
            #expect(starts[0] - from < 300 && from + 3 * 86_400 - starts[starts.count - 1] <= 300)
            let part = (from + 86_000)..<(from + 90_000)
            #expect(Self.radio.scanStarts(of: person, in: part) == starts.filter { part.contains($0) })
        }
        let one = Self.radio.scanStarts(
            of: PersonID(1), in: CountryStage.start.startSeconds..<CountryStage.start.endSeconds)
        let other = Self.radio.scanStarts(
            of: PersonID(2), in: CountryStage.start.startSeconds..<CountryStage.start.endSeconds)
        #expect(Set(one).intersection(other).count < 20)
    }

    @Test(
        "what is heard is the same whenever asked, lies in the receiver's scans and in the contact, and differs by direction"
    )
    func packets() {
        for contact in Self.contacts(minutes: 30, metres: 1, count: 100) {
            let heard = Self.radio.packets(heardBy: contact.first, during: contact)
            #expect(heard == Self.radio.packets(heardBy: contact.first, during: contact))
            #expect(heard != Self.radio.packets(heardBy: contact.second, during: contact))
            let span = contact.start.startSeconds..<contact.end.startSeconds
            let scans = Set(Self.radio.scanStarts(of: contact.first, in: (span.lowerBound - 4)..<span.upperBound))
            for packet in heard {
                #expect(scans.contains(packet.scanStart) && span.contains(packet.second))
                #expect((0..<4).contains(packet.second - packet.scanStart))
            }
        }
    }

    @Test(
        "three of four scans hear a phone, six packets each, with the measured attenuation",
        arguments: [(0.5, 50.6), (1, 54.2), (2, 57.8), (4, 61.3)])
    func attenuation(metres: Double, expected: Double) {
        let contacts = Self.contacts(minutes: 60, metres: metres, count: 500)
        let packets = contacts.flatMap { Self.radio.packets(heardBy: $0.first, during: $0) }
        let scans = contacts.flatMap {
            Self.radio.scanStarts(of: $0.first, in: $0.start.startSeconds..<$0.end.startSeconds)
        }
        #expect((Double(packets.count) / 6 / Double(scans.count)).isNear(0.75, within: 0.02))
        let moments = Moments(packets.map { Double($0.attenuation) })
        #expect(abs(moments.mean - expected) < 1)
        // √(5.0² + 4.4² + 3.9²) = 7.7.
        #expect(moments.deviation.isNear(7.7, within: 0.06))
    }

    @Test("only users hear, only users are heard, and nobody else than the two")
    func users() throws {
        let parameters = CountryStage.parameters()
        let people = Population(parameters).people
        let radio = Radio(people, parameters)
        let user = try #require(people.first { $0.phone != nil })
        let other = try #require(people.first { $0.phone == nil })
        let third = try #require(people.last { $0.phone != nil })
        let contact = Contact(
            user.id.rawValue, other.id.rawValue, start: Minute(600, of: CountryStage.start), minutes: 240,
            decimetres: 10, place: .work)
        for person in [user, other, third] { #expect(radio.packets(heardBy: person.id, during: contact).isEmpty) }
    }
}
