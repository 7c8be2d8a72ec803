import ExposureFormat
import ExposureKeys
import Exposures
import Foundation
import Phone
import Testing

/// What an app shows its owner, and when it says nothing.
@Suite struct CardTests {
    private static let day = Day(number: 20_600)
    private static let noon = day.firstHour.advanced(by: 12).start

    /// A phone that has downloaded what there was at noon: the latest package is that of the hour until eleven.
    private static func phone(slowness: TimeInterval = 0) -> SimulatedPhone {
        var phone = SimulatedPhone(.android(wifi: .always, dozes: false), at: noon, seed: 1, phase: 1234)
        phone.tree.slowness = slowness
        phone.live(until: noon + 120)
        return phone
    }

    private static func card(_ phone: SimulatedPhone, at now: Date? = nil) -> RiskCard {
        phone.app.card(exposures: .low, venues: .low, at: now ?? phone.now)
    }

    @Test("nothing is said before there is a package")
    func noPackage() {
        let phone = SimulatedPhone(.android(wifi: .always, dozes: false), at: Self.noon, seed: 1)
        #expect(phone.app.preconditions.lastPackage == nil)
        #expect(Self.card(phone) == .unknown)
        #expect(Self.card(Self.phone()) == .low)
    }

    @Test("two days count from the end of the latest package's hour or day, and not from its download")
    func silence() {
        let phone = Self.phone()
        #expect(phone.app.preconditions.lastPackage == Self.noon - 3600)
        #expect(Self.card(phone, at: Self.noon - 3600 + 172_800) == .low)
        #expect(Self.card(phone, at: Self.noon - 3600 + 172_801) == .unknown)
        // On a metered network there are days only.
        var metered = SimulatedPhone(.android(wifi: .never, dozes: false), at: Self.noon, seed: 1)
        metered.live(until: Self.noon + 120)
        #expect(metered.app.preconditions.lastPackage == Self.day.firstHour.start)
    }

    @Test("a phone that doesn't trace says nothing until it does again")
    func tracing() {
        var phone = Self.phone()
        phone.tell(.push(.encounters(isOn: false)))
        #expect(Self.card(phone) == .unknown)
        phone.tell(.push(.encounters(isOn: true)))
        #expect(Self.card(phone) == .low)
    }

    @Test(
        "a clock that differs by two hours from the server's is wrong, fast or slow",
        arguments: [(7199.0, RiskCard.low), (7200, .unknown), (-7199, .low), (-7200, .unknown)])
    func clock(slowness: TimeInterval, card: RiskCard) throws {
        var phone = Self.phone(slowness: slowness)
        #expect(phone.app.clockOffset == slowness)
        #expect(Self.card(phone) == card)
        let kept = try JSONEncoder().encode(phone.app)
        #expect(try JSONDecoder().decode(App.self, from: kept).preconditions == phone.app.preconditions)
        // Corrected, and known with the next configuration, even if that is unchanged.
        phone.tree.slowness = 1
        phone.live(until: Self.noon + 3600)
        #expect(phone.app.clockOffset == 1)
        #expect(Self.card(phone) == .low)
    }

    @Test("another threshold in the configuration changes the card, also after the app was closed")
    func threshold() throws {
        let window = ExposureWindow(
            day: Self.day.advanced(by: -1), reportType: .confirmedTest, infectiousness: .high,
            calibrationConfidence: .high,
            scans: (0..<4).map { _ in ScanInstance(minimumAttenuation: 50, typicalAttenuation: 50, seconds: 240) })
        var phone = Self.phone()
        // 16 minutes × 0.8 × 1.6.
        #expect(phone.app.card(of: [window], at: phone.now) == .high)
        #expect(phone.app.card(of: [], at: phone.now) == .low)
        let shipped = RiskRules.shipped
        let rules = RiskRules(
            attenuationFilters: [], droppedLevels: [], attenuationWeights: shipped.attenuationWeights,
            perWindow: shipped.perWindow, perDay: [RiskGrade(time: RiskRange(5...21), level: .low)],
            levelEncoding: shipped.levelEncoding, riskValues: shipped.riskValues, maximumDays: 10)
        phone = SimulatedPhone(.android(wifi: .always, dozes: false), at: Self.noon, seed: 1, phase: 1234)
        phone.tree.rules = AppRules(risk: rules)
        phone.live(until: Self.noon + 120)
        #expect(phone.app.card(of: [window], at: phone.now) == .low)
        phone.app = try JSONDecoder().decode(App.self, from: JSONEncoder().encode(phone.app))
        #expect(phone.app.rules == phone.tree.rules)
        #expect(phone.app.card(of: [window], at: phone.now) == .low)
    }
}
