import DeviceCheck
import Foundation
import Testing

@Suite struct DeviceCheckPolicyTests {
    private static func flaw(
        _ answer: DeviceCheckAnswer, monthly: Bool = true, at now: Date = Sample.now
    ) -> DeviceCheckFlaw? {
        do throws(DeviceCheckFlaw) {
            try DeviceCheckPolicy(isMonthly: monthly).check(answer, now: now)
            return nil
        } catch {
            return error
        }
    }

    private static func bits(_ first: Bool, _ second: Bool, _ month: String) throws -> DeviceCheckAnswer {
        .bits(DeviceBits(first: first, second: second, changed: try #require(DeviceBits.Month(month))))
    }

    @Test(arguments: [true, false])
    func `a device whose bits nobody set is admitted`(_ monthly: Bool) {
        #expect(Self.flaw(.neverSet, monthly: monthly) == nil)
    }

    @Test(
        arguments: [
            (.badToken, .token), (.ourFault, .unavailable), (.tryLater, .unavailable), (.done, .unavailable),
        ] as [(DeviceCheckAnswer, DeviceCheckFlaw)])
    func `without bits nobody is admitted`(_ answer: DeviceCheckAnswer, _ flaw: DeviceCheckFlaw) {
        for monthly in [true, false] { #expect(Self.flaw(answer, monthly: monthly) == flaw) }
    }

    @Test func `both bits block a device, in any month`() throws {
        for month in ["2020-01", "2026-10", "2026-11", "2026-12"] {
            for monthly in [true, false] {
                #expect(try Self.flaw(Self.bits(true, true, month), monthly: monthly) == .blocked)
            }
        }
        #expect(try Self.flaw(Self.bits(true, false, "2026-10")) == nil)
        #expect(try Self.flaw(Self.bits(false, true, "2026-10")) == nil)
    }

    @Test(
        arguments: [
            ("2026-10", nil), ("2025-11", nil), ("2025-12", nil), ("2026-11", .month), ("2026-12", .month),
            ("2027-01", .month),
        ] as [(String, DeviceCheckFlaw?)])
    func `a device is admitted once in a month`(_ month: String, _ flaw: DeviceCheckFlaw?) throws {
        #expect(try Self.flaw(Self.bits(false, false, month)) == flaw)
        #expect(try Self.flaw(Self.bits(false, false, month), monthly: false) == nil)
    }

    /// 90 days before 10 November 2026 is 12 August.
    @Test(
        arguments: [
            ("2026-07", nil), ("2026-08", .reported), ("2026-10", .reported), ("2026-11", .reported),
            ("2026-12", .reported),
        ] as [(String, DeviceCheckFlaw?)])
    func `a device that may have reported itself less than 90 days ago is refused where reports count`(
        _ month: String, _ flaw: DeviceCheckFlaw?
    ) throws {
        let now = Date(timeIntervalSince1970: 1_794_301_800)
        let policy = DeviceCheckPolicy(isMonthly: false, refusesReporters: true)
        func refusal(_ answer: DeviceCheckAnswer, _ policy: DeviceCheckPolicy) -> DeviceCheckFlaw? {
            do throws(DeviceCheckFlaw) {
                try policy.check(answer, now: now)
                return nil
            } catch { return error }
        }
        #expect(refusal(try Self.bits(true, false, month), policy) == flaw)
        #expect(refusal(try Self.bits(true, false, month), DeviceCheckPolicy(isMonthly: false)) == nil)
        #expect(refusal(try Self.bits(false, false, month), policy) == nil)
        #expect(refusal(try Self.bits(false, true, month), policy) == nil)
    }

    @Test func `a month begins at midnight in UTC`() throws {
        // 2026-12-01, 00:00.
        let december = Date(timeIntervalSince1970: 1_796_083_200)
        let answer = try Self.bits(false, false, "2026-11")
        #expect(Self.flaw(answer, at: december - 0.001) == .month)
        #expect(Self.flaw(answer, at: december) == nil)
    }

    @Test(
        arguments: [
            (0, "1970-01"), (951_782_399, "2000-02"), (951_868_799, "2000-02"), (951_868_800, "2000-03"),
            (1_767_225_599, "2025-12"), (1_767_225_600, "2026-01"), (1_795_521_600, "2026-11"),
        ])
    func `an instant has a month`(_ seconds: TimeInterval, _ text: String) {
        #expect(DeviceBits.Month(of: Date(timeIntervalSince1970: seconds)).text == text)
    }

    @Test func `months are in order`() throws {
        let months = try ["2025-12", "2026-01", "2026-02", "2026-11", "2027-01"].map {
            try #require(DeviceBits.Month($0))
        }
        #expect(months == months.shuffled().sorted())
        #expect(months.map(\.text) == ["2025-12", "2026-01", "2026-02", "2026-11", "2027-01"])
    }

    @Test func `each flaw has the code that apps know, but Apple's silence none`() {
        let codes = DeviceCheckFlaw.allCases.map(\.errorCode)
        #expect(
            codes == [
                "DEVICE_TOKEN_SYNTAX_ERROR", "DEVICE_TOKEN_INVALID", nil, "DEVICE_BLOCKED", "API_TOKEN_ALREADY_ISSUED",
                "API_TOKEN_QUOTA_EXCEEDED",
            ])
    }
}
