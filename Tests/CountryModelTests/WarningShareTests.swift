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

        /// What version 1 of Exposure Notification told apps, with risk level 8.
        /// - Parameter byMean: of a scan the mean counts, as on iOS, in place of the strongest broadcast, as on Android.
        func encounters(byMean: Bool, thresholds: (lower: Int, upper: Int)) throws -> [ExposureInformation] {
            guard let level = TransmissionRiskLevel(rawValue: 8) else { return [] }
            let schedule = KeySchedule(key)
            var previous: UInt32?
            var sightings: [IntervalNumber: [Sighting]] = [:]
            for scan in try scans() {
                let second = UInt32(scan.at.timeIntervalSince1970)
                for reception in scan.received {
                    let sighting = Sighting(reception, second: second, previousScan: previous)
                    // A scan may see the end of an interval and the beginning of the next.
                    let identifier = try schedule.identifier(at: sighting.interval)
                    let isNext = reception.advertisement.identifier != identifier
                    let sent = IntervalNumber(rawValue: sighting.interval.rawValue + (isNext ? 1 : 0))
                    sightings[sent, default: []].append(sighting)
                }
                previous = second
            }
            let valid = try sightings.flatMap { sent, sightings in
                try schedule.sightings(sightings, sentAt: sent, Receiver(platform: .android))
            }
            let counting = byMean ? Dictionary(grouping: valid, by: \.second).values.map(Self.mean) : valid
            return ExposureInformation.encounters(
                in: counting.sorted { $0.second < $1.second }, day: day, transmissionRiskLevel: level,
                thresholds: thresholds)
        }

        /// Of one scan, at least one.
        private static func mean(_ sightings: [KeySighting]) -> KeySighting {
            let sum = sightings.reduce(0) { $0 + Int($1.attenuation) }
            return KeySighting(
                second: sightings[0].second,
                attenuation: Int((Double(sum) / Double(sightings.count)).rounded()),
                secondsSinceLastScan: Int(sightings[0].secondsSinceLastScan),
                calibrationConfidence: sightings[0].calibrationConfidence)
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

    /// cwa-app-ios, `exposure-windows-risk-calculation.json`.
    private static let testFile = RiskRules(
        attenuationFilters: [], droppedLevels: [],
        attenuationWeights: [(0.0...55.0, 1), (55...63, 0.5), (63...73, 0.3)].map {
            RiskRules.AttenuationWeight(attenuation: RiskRange($0, excludesMaximum: true), weight: $1)
        },
        perWindow: grades, perDay: grades, levelEncoding: RiskRules.shipped.levelEncoding,
        riskValues: RiskRules.shipped.riskValues, maximumDays: 10)
    private static let grades = [
        RiskGrade(time: RiskRange(5...15, excludesMaximum: true), level: .low),
        RiskGrade(time: RiskRange(15...9999), level: .high),
    ]

    @Test(
        "with the parameters of the test file for iOS the share falls with the distance",
        arguments: [
            (0.5, 0.52, 0.97), (1, 0.43, 0.94), (2, 0.31, 0.87), (3, 0.24, 0.78), (5, 0.15, 0.65), (8, 0.10, 0.51),
        ])
    func redByDistance(metres: Double, short: Double, long: Double) throws {
        for (minutes, expected) in [(UInt16(15), short), (30, long)] {
            let red = try Self.share(minutes: minutes, metres: metres) {
                try Self.isRed($0, by: Self.testFile, on: .iOS)
            }
            #expect(abs(red - expected) < 0.07)
        }
    }

    /// Corona-Warn-App's values of its first months (cwa-server, main configuration).
    private static func firstRules() throws -> ScoreRules {
        ScoreRules(
            attenuation: try #require(ScoreRules.Levels([0] + Array(repeating: 1, count: 7))),
            days: try #require(ScoreRules.Levels(Array(repeating: 5, count: 8))),
            duration: try #require(ScoreRules.Levels([0, 0, 0, 1, 1, 1, 1, 1])),
            transmission: try #require(ScoreRules.Levels(Array(1...8))), minimumScore: 11, lowerThreshold: 55,
            upperThreshold: 63, weights: ScoreRules.Weights(low: 1, middle: 0.5, high: 0), offset: 0, divisor: 25,
            highFrom: 15)
    }

    @Test(
        "with the score of 2020 the share falls with the distance, and more so by the mean of a scan than by its strongest broadcast",
        arguments: [
            (0.5, 0.52, 0.94), (1, 0.39, 0.85), (2, 0.25, 0.69), (3, 0.16, 0.54), (5, 0.09, 0.37), (8, 0.05, 0.23),
        ])
    func redByScore(metres: Double, short: Double, long: Double) throws {
        let rules = try Self.firstRules()
        for (minutes, expected) in [(UInt16(15), short), (30, long)] {
            let shares = try [true, false].map { byMean in
                try Self.share(minutes: minutes, metres: metres) { meeting in
                    let encounters = try meeting.encounters(byMean: byMean, thresholds: (55, 63))
                    return CombinedRisk(encounters, by: rules, at: Self.now).level == .high
                }
            }
            #expect(abs(shares[0] - expected) < 0.09)
            #expect(shares[1] > shares[0])
        }
    }
}
