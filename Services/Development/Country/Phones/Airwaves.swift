import CountryModel
import ExposureKeys
import Exposures
import Foundation
import Phone

/// What phones hear of each other, from the model's contacts.
///
/// A contact lasts into later hours, in which its phones may have other keys. So each hour the part that lies in it is heard, with the
/// broadcasts of that hour.
struct Airwaves: Sendable {
    private let radio: Radio
    /// Contacts that go on after the hour.
    private var lasting: [Contact] = []

    /// Silence.
    init(_ radio: Radio) { self.radio = radio }

    /// One phone's scans of an hour that received something, by their starts.
    private typealias Scans = [Int64: [Reception]]

    /// Lets the phones of an hour's contacts hear each other.
    /// - Parameter new: the contacts that begin in this hour.
    mutating func pass(_ hour: Hour, _ new: [Contact], to citizens: [PersonID: Citizen]) async throws {
        let (begin, end) = (Int64(hour.start.timeIntervalSince1970), Int64(hour.end.timeIntervalSince1970))
        let contacts = lasting + new
        lasting = contacts.filter { $0.end > Minute(containing: hour.end) }
        var heard: [PersonID: Scans] = [:]
        for contact in contacts {
            guard let first = citizens[contact.first], let second = citizens[contact.second] else { continue }
            for (receiver, sender) in [(first, second), (second, first)] {
                var broadcasts: [IntervalNumber: Advertisement] = [:]
                for packet in radio.packets(heardBy: receiver.person, during: contact)
                where (begin..<end).contains(packet.second) {
                    let interval = IntervalNumber(containing: Date(timeIntervalSince1970: Double(packet.second)))
                    if broadcasts[interval] == nil {
                        broadcasts[interval] = try await sender.advertisement(in: interval)
                    }
                    guard let broadcast = broadcasts[interval] else { continue }
                    heard[receiver.person, default: [:]][packet.scanStart, default: []]
                        .append(Reception(broadcast, strength: packet.rssi))
                }
            }
        }
        for (person, scans) in heard {
            await citizens[person]?.hear(timetable(of: person, scans, from: begin, until: end))
        }
    }

    /// A phone's scans in order, with the empty ones that a scan counts from.
    private func timetable(
        of person: PersonID, _ scans: Scans, from begin: Int64, until end: Int64
    ) -> [(at: Date, received: [Reception])] {
        // The scan before the hour's first one is in the hour before it.
        let starts = radio.scanStarts(of: person, in: begin - 600..<end)
        let wanted = Set(zip(starts, starts.dropFirst()).filter { scans[$1] != nil }.map(\.0)).union(scans.keys)
        return wanted.sorted().filter { $0 >= begin || scans[$0] == nil }.map {
            (Date(timeIntervalSince1970: Double($0)), scans[$0] ?? [])
        }
    }
}
