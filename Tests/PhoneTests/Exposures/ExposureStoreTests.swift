import ExposureFormat
import ExposureKeys
import Exposures
import FoundationEssentials
import Testing

@testable import Phone

@Suite struct ExposureStoreTests {
    private static let today = Day(number: 20_600)
    /// Noon of the day before yesterday.
    private static let noon = today.advanced(by: -2).firstHour.advanced(by: 12).start
    private static let now = today.firstHour.advanced(by: 15).start
    private static let key = KeyData(high: 11, low: 12)

    private static func published(
        _ data: KeyData = key, _ reportType: ReportType = .confirmedTest, day: Day = today.advanced(by: -2),
        length: UInt32 = 144, daysSinceOnset: Int32? = 2
    ) throws -> ExportedKey {
        ExportedKey(
            data: data, rollingPeriod: try #require(RollingPeriod(start: day.firstInterval, length: length)),
            transmissionRiskLevel: .lowest, reportType: reportType, daysSinceOnsetOfSymptoms: daysSinceOnset)
    }

    private static func reception(_ data: KeyData = key, at now: Date, strength: Int8 = -70) throws -> Reception {
        let metadata = BroadcastMetadata(transmitPower: -20, calibrationConfidence: .high)
        let advertisement = try KeySchedule(data).advertisement(at: IntervalNumber(containing: now), metadata)
        return Reception(advertisement, strength: strength)
    }

    /// A phone that scans each four minutes from noon on, and hears the key in some of the scans.
    private static func store(
        scans: Int = 4, on platform: Platform = .android, hearing isHeard: (Int) -> Bool = { _ in true }
    ) throws -> ExposureStore {
        var store = ExposureStore(platform: platform)
        for scan in 0..<scans {
            let now = noon + Double(scan * 240)
            store.hear(isHeard(scan) ? [try reception(at: now)] : [], at: now)
        }
        return store
    }

    private static func windows(_ store: ExposureStore, by mapping: KeyMapping = .shipped, at now: Date = now)
        -> [ExposureWindow]
    {
        var random = RepeatableRandom(state: 3)
        return store.windows(by: mapping, at: now, using: &random)
    }

    // MARK: From a packet to a card

    @Test("a quarter of an hour near somebody becomes one window, and the risk card turns red")
    func encounter() throws {
        var store = try Self.store()
        #expect(Self.windows(store).isEmpty)
        #expect(try store.provide([try Self.published()], at: Self.now) == 1)
        let windows = Self.windows(store)
        #expect(
            windows == [
                ExposureWindow(
                    day: Self.today.advanced(by: -2), reportType: .confirmedTest, infectiousness: .high,
                    calibrationConfidence: .high,
                    scans: [120, 240, 240, 240].map {
                        ScanInstance(minimumAttenuation: 50, typicalAttenuation: 50, seconds: $0)
                    })
            ])
        let risk = ExposureRisk(windows, by: .shipped, at: Self.now, on: .android)
        // 14 minutes × 0.8 × 1.6.
        #expect(risk.days.map(\.normalizedMinutes) == [17.9])
        let preconditions = RiskPreconditions(clockOffset: 0, isTracing: true, lastPackage: Self.now)
        #expect(RiskCard(exposures: risk.level, venues: .low, preconditions, at: Self.now) == .high)
    }

    @Test("a missed scan doesn't make the next one count more")
    func missedScan() throws {
        var store = try Self.store(scans: 6) { $0 == 1 || $0 == 5 }
        try store.provide([try Self.published()], at: Self.now)
        #expect(Self.windows(store).map { $0.scans.map(\.seconds) } == [[240, 240]])
    }

    @Test("what nobody published is nobody's")
    func stranger() throws {
        var store = try Self.store()
        #expect(try store.provide([try Self.published(KeyData(high: 1, low: 1))], at: Self.now) == 0)
        #expect(Self.windows(store).isEmpty)
    }

    @Test("a broadcast outside the key's rolling period isn't of the key")
    func period() throws {
        var store = try Self.store(scans: 6)
        try store.provide([try Self.published(length: 73)], at: Self.now)
        // Until 12:10: three scans.
        #expect(Self.windows(store).map(\.scans.count) == [3])
    }

    /// The key of google/exposure-notifications-internals, `RoundTripTests.kt`, as in app/src/main/res/raw/export.bin, at aaada6c (Apache
    /// License 2.0, https://www.apache.org/licenses/LICENSE-2.0). Its phone began to use it in the afternoon.
    @Test(
        "a key that begins at any time is found in its rolling period, to the interval",
        arguments: [(-1, 0), (0, 1), (88, 1), (89, 0)])
    func anyStart(offset: Int64, count: Int) throws {
        let start = IntervalNumber(rawValue: 2_646_801)
        let data = KeyData(high: 0x2b71_4d3e_c93c_14e5, low: 0xd345_003e_5902_7aea)
        let key = ExportedKey(
            data: data, rollingPeriod: try #require(RollingPeriod(start: start, length: 89)),
            transmissionRiskLevel: .lowest, reportType: .unknown, daysSinceOnsetOfSymptoms: nil)
        var store = ExposureStore(platform: .android)
        let heard = Date(timeIntervalSince1970: Double(start.startSeconds + offset * IntervalNumber.seconds))
        store.hear([try Self.reception(data, at: heard)], at: heard)
        #expect(try store.provide([key], at: heard + 86_400) == count)
    }

    @Test("an encounter over midnight is of two keys, and of two days")
    func midnight() throws {
        let (before, after) = (KeyData(high: 1, low: 2), KeyData(high: 3, low: 4))
        let midnight = Self.today.firstHour.start
        var store = ExposureStore(platform: .iOS)
        for second in [-480.0, -240, 0, 240] {
            let now = midnight + second
            store.hear([try Self.reception(second < 0 ? before : after, at: now)], at: now)
        }
        let keys = [
            try Self.published(before, day: Self.today.advanced(by: -1)), try Self.published(after, day: Self.today),
        ]
        #expect(try store.provide(keys, at: Self.now) == 2)
        let windows = Self.windows(store)
        #expect(Set(windows.map(\.day)) == [Self.today.advanced(by: -1), Self.today])
        #expect(windows.map(\.scans.count) == [2, 2])
    }

    @Test("a recorded broadcast that is played back later is no encounter")
    func replay() throws {
        var store = ExposureStore(platform: .android)
        let recorded = try Self.reception(at: Self.noon)
        store.hear([recorded], at: Self.noon + 86_400)
        #expect(try store.provide([try Self.published()], at: Self.now) == 0)
        // Played back at once, it counts for as long as a phone would have broadcast it.
        for second in stride(from: 0.0, through: 7200, by: 240) { store.hear([recorded], at: Self.noon + second) }
        #expect(try store.provide([try Self.published()], at: Self.now) == 1)
        #expect(Self.windows(store).map(\.scans.count) == [6])
    }

    // MARK: Keys that are published again

    @Test("a key in the hour's and in the day's package is found once")
    func duplicates() throws {
        var store = try Self.store()
        let key = try Self.published()
        #expect(try store.provide([key, key], at: Self.now) == 1)
        #expect(try store.provide([key], at: Self.now) == 0)
        #expect(Self.windows(store).count == 1)
    }

    @Test("a report gets more certain once, within one file or in a later one")
    func moves() throws {
        for isOneFile in [true, false] {
            var store = try Self.store()
            let files = [
                try Self.published(Self.key, .selfReport), try Self.published(Self.key, .confirmedClinicalDiagnosis),
            ]
            let found =
                isOneFile
                ? [try store.provide(files, at: Self.now)] : try files.map { try store.provide([$0], at: Self.now) }
            #expect(found == (isOneFile ? [2] : [1, 1]))
            #expect(Self.windows(store).map(\.reportType) == [.confirmedClinicalDiagnosis])
            #expect(try store.provide([try Self.published(Self.key, .confirmedTest)], at: Self.now) == 0)
            #expect(Self.windows(store).map(\.reportType) == [.confirmedClinicalDiagnosis])
        }
    }

    @Test("a revoked report takes its windows away, for good")
    func revoked() throws {
        var store = try Self.store()
        try store.provide([try Self.published(Self.key, .selfReport)], at: Self.now)
        #expect(Self.windows(store).count == 1)
        #expect(try store.provide([try Self.published(Self.key, .revoked)], at: Self.now) == 1)
        #expect(Self.windows(store).isEmpty)
        try store.provide([try Self.published(Self.key, .confirmedTest)], at: Self.now)
        #expect(Self.windows(store).isEmpty)
    }

    @Test("a confirmed test isn't revoked")
    func refused() throws {
        var store = try Self.store()
        try store.provide([try Self.published()], at: Self.now)
        #expect(try store.provide([try Self.published(Self.key, .revoked)], at: Self.now) == 0)
        #expect(Self.windows(store).count == 1)
    }

    // The order of the rules is that of google/exposure-notifications-internals, `ExposureMatchingTracer`.

    @Test("a report gets more certain with another rolling period too, which changes nothing else")
    func movesWithOtherPeriod() throws {
        var store = try Self.store()
        try store.provide([try Self.published(Self.key, .selfReport)], at: Self.now)
        #expect(try store.provide([try Self.published(Self.key, .confirmedTest, length: 73)], at: Self.now) == 1)
        #expect(Self.windows(store).map(\.reportType) == [.confirmedTest])
        #expect(Self.windows(store).map(\.scans.count) == [4])
    }

    @Test(
        "a key that was heard only outside its rolling period isn't found with another one later", arguments: [72, 60])
    func changedPeriod(length: UInt32) throws {
        // Until noon at the latest; the phone heard it from noon on.
        let (short, long) = (try Self.published(length: length), try Self.published(length: 144))
        for files in [[[short, long]], [[short], [long]], [[short], [short]]] {
            var store = try Self.store()
            for file in files { #expect(try store.provide(file, at: Self.now) == 0) }
            #expect(Self.windows(store).isEmpty && store.recognisedKeys.isEmpty)
        }
        var other = try Self.store()
        #expect(try other.provide([long], at: Self.now) == 1)
    }

    @Test("a key of which nothing was heard is looked for anew, whatever its rolling period was")
    func unheard() throws {
        var store = ExposureStore(platform: .android)
        #expect(try store.provide([try Self.published(length: 60)], at: Self.noon) == 0)
        store.hear([try Self.reception(at: Self.noon)], at: Self.noon)
        #expect(try store.provide([try Self.published(length: 144)], at: Self.now) == 1)
    }

    @Test("Android ignores a recursive report, so that a later one of the key is found; iOS keeps the first")
    func recursive() throws {
        let files = [
            // Nor does Android remember its rolling period.
            try Self.published(Self.key, .recursive, length: 143), try Self.published(Self.key, .confirmedTest),
        ]
        for (platform, expected) in [(Platform.android, [0, 1]), (.iOS, [1, 0])] {
            var store = try Self.store(on: platform)
            let found = try files.map { try store.provide([$0], at: Self.now) }
            #expect(found == expected)
            #expect(Self.windows(store).map(\.reportType) == [platform == .android ? .confirmedTest : .recursive])
            var inOneFile = try Self.store(on: platform)
            #expect(try inOneFile.provide(files, at: Self.now) == 1)
            #expect(Self.windows(inOneFile) == Self.windows(store))
        }
    }

    @Test("a report without a type moves as the type that the configuration gives it")
    func unknownType() throws {
        func mapping(_ type: ReportType) -> KeyMapping {
            KeyMapping(
                infectiousness: KeyMapping.shipped.infectiousness, infectiousnessWhenMissing: nil,
                reportTypeWhenMissing: type)
        }
        var store = try Self.store()
        let unknown = try Self.published(Self.key, .unknown)
        #expect(try store.provide([unknown], by: mapping(.selfReport), at: Self.now) == 1)
        #expect(Self.windows(store).map(\.reportType) == [.selfReport])
        #expect(try store.provide([unknown], by: mapping(.selfReport), at: Self.now) == 0)
        #expect(try store.provide([unknown], by: mapping(.confirmedTest), at: Self.now) == 1)
        #expect(Self.windows(store).map(\.reportType) == [.confirmedTest])
        // A confirmed test by the shipped configuration: it can't be revoked.
        var other = try Self.store()
        #expect(try other.provide([unknown], at: Self.now) == 1)
        #expect(try other.provide([try Self.published(Self.key, .revoked)], at: Self.now) == 0)
        #expect(Self.windows(other).map(\.reportType) == [.confirmedTest])
    }

    @Test("a key of a day without infection counts nothing until the configuration says otherwise")
    func mapping() throws {
        var store = try Self.store()
        try store.provide([try Self.published(daysSinceOnset: nil)], at: Self.now)
        #expect(Self.windows(store).isEmpty)
        let other = KeyMapping(
            infectiousness: [:], infectiousnessWhenMissing: .standard, reportTypeWhenMissing: .confirmedTest)
        #expect(Self.windows(store, by: other).map(\.infectiousness) == [.standard])
    }

    // MARK: Privacy and limits

    @Test("windows come in another order than they were found in, whichever phone it is")
    func shuffled() throws {
        var store = ExposureStore(platform: .android)
        let keys = (0..<40).map { KeyData(high: $0, low: 5) }
        store.hear(
            try keys.enumerated().map { try Self.reception($1, at: Self.noon, strength: Int8(-40 - $0)) }, at: Self.noon
        )
        try store.provide(try keys.map { try Self.published($0) }, at: Self.now)
        func attenuations(_ seed: UInt64) -> [Int] {
            var random = RepeatableRandom(state: seed)
            return store.windows(by: .shipped, at: Self.now, using: &random).map { $0.scans[0].minimumAttenuation }
        }
        #expect(attenuations(1).sorted() == Array(20..<60))
        #expect(attenuations(1) == attenuations(1))
        #expect(attenuations(1) != attenuations(2))
        #expect(attenuations(1) != Array(20..<60))
    }

    @Test("after 14 days everything is forgotten, heard or found", arguments: [(14, 1), (15, 0)])
    func forgetting(days: Int, count: Int) throws {
        var store = try Self.store()
        let later = Day(containing: Self.noon).advanced(by: days).firstHour.start
        var found = store
        try found.provide([try Self.published()], at: Self.now)
        #expect(Self.windows(found, at: later).count == count)
        #expect(try store.provide([try Self.published()], at: later) == count)
        // They don't come back when the clock is set back.
        found.forget(at: later)
        #expect(Self.windows(found).count == count)
    }

    @Test("a flood of made-up broadcasts blinds the phone for the rest of the day, and takes no more memory")
    func flood() throws {
        var store = try Self.store()
        var random = RepeatableRandom(state: 9)
        let flood = (0..<ExposureStore.maximumPerDay).map { _ in
            Reception(
                Advertisement(
                    identifier: RollingProximityIdentifier(first: random.next(), second: random.next()),
                    metadata: EncryptedMetadata(rawValue: 0)), strength: -50)
        }
        store.hear(flood, at: Self.noon + 960)
        store.hear([try Self.reception(at: Self.noon + 1200)], at: Self.noon + 1200)
        // A day later the phone hears again.
        let next = Self.noon + 86_400
        store.hear([try Self.reception(KeyData(high: 4, low: 4), at: next)], at: next)
        let keys = [
            try Self.published(), try Self.published(KeyData(high: 4, low: 4), day: Self.today.advanced(by: -1)),
        ]
        #expect(try store.provide(keys, at: Self.now) == 2)
        #expect(Self.windows(store).map(\.scans.count).sorted() == [1, 4])
    }
}
