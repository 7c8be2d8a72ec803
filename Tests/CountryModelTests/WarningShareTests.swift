import ExposureFormat
import ExposureKeys
import Exposures
import Foundation
import Phone
import Testing

@testable import CountryModel

/// How many of the model's contacts give a red warning, by the phone's own code: what it stores of broadcasts, finds of published keys, and makes
/// of the windows.
///
/// The expected shares were computed by an independent program from the same parameters, each of 2,500 contacts.
struct WarningShareTests {
    /// A country in which everybody has the app and a calibrated phone.
    private static let parameters = CountryStage.parameters(population: 1001) {
        $0.people.appShare = 1
        $0.people.calibratedShare = 1
    }
    private static let radio = Radio(Population(parameters).people, parameters)
    private static let now = CountryStage.start.advanced(by: 1).firstHour.advanced(by: 12).start

    /// A contact between two users.
    private struct Meeting {
        let contact: Contact
        let key: KeyData

        private var day: Day { CountryStage.start }

        /// The other one's advertisements as the first one receives them, by scan; also the scans that receive nothing.
        func scans() throws -> [(at: Date, received: [Reception])] {
            let schedule = KeySchedule(key)
            let packets = radio.packets(heardBy: contact.first, during: contact)
            let heard = try Dictionary(grouping: packets, by: \.scanStart).mapValues { packets in
                try packets.map { packet in
                    let interval = IntervalNumber(
                        containing: Date(timeIntervalSince1970: Double(packet.second)))
                    let metadata = BroadcastMetadata(
                        transmitPower: packet.transmitPower, calibrationConfidence: .high)
                    return Reception(try schedule.advertisement(at: interval, metadata), strength: packet.rssi)
                }
            }
            let span = (contact.start.startSeconds - 600)..<contact.end.startSeconds
            return radio.scanStarts(of: contact.first, in: span).map {
                (Date(timeIntervalSince1970: Double($0)), heard[$0] ?? [])
            }
        }

        /// What a phone tells its app when the other one's key is published, with risk level 7.
        func windows(on platform: Platform) throws -> [ExposureWindow] {
            var store = ExposureStore(platform: platform)
            for scan in try scans() { store.hear(scan.received, at: scan.at) }
            guard let period = RollingPeriod(start: day.firstInterval, length: IntervalNumber.perDay),
                let level = TransmissionRiskLevel(rawValue: 7)
            else { return [] }
            try store.provide(
                [
                    ExportedKey(
                        data: key, rollingPeriod: period, transmissionRiskLevel: level, reportType: .confirmedTest,
                        daysSinceOnsetOfSymptoms: 1)
                ], at: now)
            var random = SystemRandomNumberGenerator()
            return store.windows(by: .shipped, at: now, using: &random)
        }
    }

    /// The share of red warnings among five hundred contacts of pairs, at different times.
    private static func share(
        minutes: UInt16, metres: Double, of isRed: (Meeting) throws -> Bool
    ) throws -> Double {
        let count = 500
        let red = try (0..<count).count { number in
            let contact = Contact(
                UInt32(2 * number), UInt32(2 * number + 1), start: Minute(480 + number % 600, of: CountryStage.start),
                minutes: minutes, decimetres: UInt8(metres * 10), place: .random)
            return try isRed(Meeting(contact: contact, key: KeyData(high: UInt64(number), low: 7)))
        }
        return Double(red) / Double(count)
    }

    private static func isRed(_ meeting: Meeting, by rules: RiskRules, on platform: Platform) throws -> Bool {
        ExposureRisk(try meeting.windows(on: platform), by: rules, at: now, on: platform).level == .high
    }

    @Test(
        "with the final parameters of the Corona-Warn-App 15 minutes give a red warning in three of four cases at any distance",
        arguments: [(0.5, 0.77), (1, 0.75), (2, 0.76), (3, 0.78), (5, 0.79), (8, 0.78)])
    func redByDuration(metres: Double, expected: Double) throws {
        let iOS = try Self.share(minutes: 15, metres: metres) { try Self.isRed($0, by: .shipped, on: .iOS) }
        #expect(abs(iOS - expected) < 0.07)
        // Eight minutes close by are 8 × 0.8 × 1.4 = 8.96, which Android's app rounds to the 9.0 from which a day is red.
        let android = try Self.share(minutes: 15, metres: metres) { try Self.isRed($0, by: .shipped, on: .android) }
        #expect(android > iOS && android < 0.93)
        let long = try Self.share(minutes: 30, metres: metres) { try Self.isRed($0, by: .shipped, on: .android) }
        #expect(long > 0.97)
    }
}
