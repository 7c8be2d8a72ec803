import ExposureKeys
import Testing

@testable import Exposures

@Suite struct WindowTests {
    /// Midnight that opens a day.
    private static let midnight = UInt32(Day(number: 20_600).startSeconds)

    private static func sighting(
        _ second: Int, _ attenuation: Int = 50, seconds: Int = 240, _ confidence: CalibrationConfidence = .high
    ) -> KeySighting {
        KeySighting(
            second: UInt32(Int(midnight) + second), attenuation: attenuation, secondsSinceLastScan: seconds,
            calibrationConfidence: confidence)
    }

    private static func windows(_ sightings: [KeySighting], on platform: Platform = .android) -> [ExposureWindow] {
        ExposureWindow.windows(of: sightings, reportType: .confirmedTest, infectiousness: .high, on: platform)
    }

    // MARK: Scans

    @Test(
        "sightings 25 seconds apart are of one scan on Android, 26 are of two; on iOS 4 and 5",
        arguments: [(4, 1, 1), (5, 1, 2), (25, 1, 2), (26, 2, 2)])
    func scans(gap: Int, android: Int, iOS: Int) {
        for (platform, count) in [(Platform.android, android), (.iOS, iOS)] {
            let windows = Self.windows([Self.sighting(0), Self.sighting(gap)], on: platform)
            #expect(windows.map(\.scans.count) == [count])
        }
    }

    @Test func `sightings follow one another in a scan on Android, however long it gets`() {
        #expect(Self.windows((0..<20).map { Self.sighting($0 * 20) }).map(\.scans.count) == [1])
    }

    @Test func `on iOS the four seconds count from the first sighting of a scan`() {
        let windows = Self.windows([0, 3, 4, 6, 10, 11].map { Self.sighting($0, 50 + $0) }, on: .iOS)
        #expect(windows.map { $0.scans.map(\.minimumAttenuation) } == [[50, 56, 61]])
        #expect(windows.map { $0.scans.map(\.typicalAttenuation) } == [[52, 58, 61]])
    }

    @Test("a scan has the smallest attenuation, the mean of decibels, and the first one's seconds")
    func attenuation() {
        let sightings = [(60, 240), (51, 300), (52, 120), (55, 60)].enumerated().map {
            Self.sighting($0, $1.0, seconds: $1.1)
        }
        // The mean is 54.5, which is rounded up.
        #expect(
            Self.windows(sightings).map(\.scans)
                == [[ScanInstance(minimumAttenuation: 51, typicalAttenuation: 55, seconds: 240)]])
    }

    // MARK: Windows

    @Test("a window ends half an hour after its first sighting", arguments: [(1799, 1), (1800, 2)])
    func cut(last: Int, count: Int) {
        let sightings = [0, 300, 600, 900, 1200, 1500, last].map { Self.sighting($0) }
        #expect(Self.windows(sightings).count == count)
    }

    @Test func `an encounter of 61 minutes gives three windows, counted from the first sighting of each`() {
        let windows = Self.windows(stride(from: 0, through: 61 * 60, by: 60).map { Self.sighting($0) })
        #expect(windows.map(\.scans.count) == [30, 30, 2])
    }

    @Test func `a gap alone doesn't end a window`() {
        #expect(Self.windows([Self.sighting(0), Self.sighting(1700)]).map(\.scans.count) == [2])
    }

    @Test func `a window that begins within a scan has a scan of its own`() {
        let windows = Self.windows([Self.sighting(0), Self.sighting(1795), Self.sighting(1800)])
        #expect(windows.map(\.scans.count) == [2, 1])
    }

    @Test func `a window is of the UTC day on which it began, with its first sender's confidence`() {
        let windows = Self.windows([
            Self.sighting(-60, 50, .low), Self.sighting(60, 50, .high), Self.sighting(1740, 50, .medium),
        ])
        #expect(windows.map(\.day.number) == [20_599, 20_600])
        #expect(windows.map(\.calibrationConfidence) == [.low, .medium])
    }

    @Test func `nothing gives no window`() { #expect(Self.windows([]).isEmpty) }

    // MARK: Seconds

    @Test(
        "the seconds are whole minutes since the phone's previous scan, at most five",
        arguments: [
            (nil, 120), (0, 240), (1, 240), (59, 240), (60, 180), (239, 60), (240, 0), (299, 0), (-59, 300), (-60, 300),
            (-9999, 300),
            (400, 0),
        ])
    func seconds(previous: Int?, expected: Int) {
        let advertisement = Advertisement(
            identifier: RollingProximityIdentifier(first: 1, second: 2), metadata: EncryptedMetadata(rawValue: 3))
        let sighting = Sighting(
            Reception(advertisement, strength: -60), second: Self.midnight + 240,
            previousScan: previous.map { UInt32(Int(Self.midnight) + $0) })
        #expect(sighting.secondsSinceLastScan == expected)
    }

    // MARK: Valid sightings

    private static let key = KeyData(high: 7, low: 8)
    private static let interval = IntervalNumber(rawValue: midnight / 600 + 70)

    /// Broadcasts of one interval, heard some seconds after it began, strong enough for 50 dB.
    private static func valid(
        at seconds: [Int], power: Int8 = -20, strength: Int8 = -70, _ receiver: Receiver = Receiver(platform: .android)
    ) throws -> [KeySighting] {
        let schedule = KeySchedule(key)
        let metadata = BroadcastMetadata(transmitPower: power, calibrationConfidence: .medium)
        let heard = try seconds.map {
            Sighting(
                Reception(try schedule.advertisement(at: interval, metadata), strength: strength),
                second: UInt32(Int(interval.startSeconds) + $0), previousScan: nil)
        }
        return try schedule.sightings(heard, sentAt: interval, receiver)
    }

    @Test(
        "what is heard within two hours counts, by intervals",
        arguments: [(-7200, 1), (-7201, 0), (0, 1), (7799, 1), (7800, 0), (86_400, 0)])
    func tolerance(second: Int, count: Int) throws {
        #expect(try Self.valid(at: [second]).count == count)
    }

    @Test("what is heard more than 20 minutes after the first time is a replay")
    func replay() throws {
        #expect(
            try Self.valid(at: [1300, 0, 1200, 1201, 600]).map { Int64($0.second) - Self.interval.startSeconds } == [
                0, 600, 1200,
            ])
        // What was out of time doesn't count as the first time.
        #expect(try Self.valid(at: [-7300, 0, 1200]).count == 2)
    }

    @Test(
        "an attenuation is the sender's power minus the corrected strength",
        arguments: [
            (-20, -70, 0, 50, 50), (-20, -70, 5, 45, 45), (-20, -20, 0, 0, nil), (-20, -10, 0, 0, nil),
            (-50, -60, 0, 10, 10), (-51, -70, 0, nil, 19), (-60, -70, 0, nil, 10), (-61, -70, 0, nil, nil),
            (20, -128, 0, 148, 148), (21, -70, 0, nil, nil), (20, -128, -108, 256, nil), (20, -128, -107, 255, 255),
        ])
    func attenuation(power: Int, strength: Int, correction: Int, android: Int?, iOS: Int?) throws {
        for (platform, expected) in [(Platform.android, android), (.iOS, iOS)] {
            let found = try Self.valid(
                at: [0], power: Int8(power), strength: Int8(strength),
                Receiver(platform: platform, correction: correction))
            #expect(found.map { Int($0.attenuation) } == (expected.map { [$0] } ?? []))
        }
    }

    // MARK: Keys

    @Test func `days since onset decide the infectiousness from -14 to 14, elsewhere the value for what is missing`() {
        let mapping = KeyMapping(
            infectiousness: [-14: .high, 0: .standard, 14: .high, 15: .high], infectiousnessWhenMissing: .standard,
            reportTypeWhenMissing: .selfReport)
        #expect(
            [-15, -14, 0, 1, 14, 15, nil].map { mapping.infectiousness(of: $0) } == [
                .standard, .high, .standard, nil, .high, .standard, .standard,
            ])
        #expect(
            [0, 1, 2, 3, nil].map { KeyMapping.shipped.infectiousness(of: $0) } == [nil, .standard, .high, nil, nil])
    }

    @Test func `revoked reports reach no app, and recursive ones none on Android`() {
        func types(_ platform: Platform) -> [ReportType?] {
            ReportType.allCases.map { KeyMapping.shipped.reportType(of: $0, on: platform) }
        }
        #expect(
            types(.android) == [.confirmedTest, .confirmedTest, .confirmedClinicalDiagnosis, .selfReport, nil, nil])
        #expect(
            types(.iOS) == [.confirmedTest, .confirmedTest, .confirmedClinicalDiagnosis, .selfReport, .recursive, nil])
    }

    @Test func `a report may get more certain or be taken back, and nothing else`() {
        let moves = ReportType.allCases.map { from in ReportType.allCases.filter { from.mayBecome($0) } }
        #expect(
            moves == [
                [], [], [.confirmedTest, .revoked], [.confirmedTest, .confirmedClinicalDiagnosis, .revoked], [], [],
            ])
    }
}
