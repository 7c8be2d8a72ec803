import ExposureKeys
import FoundationEssentials
import SwiftProtobuf
import TestSupport
import Testing

@testable import DonationFormat

/// What a person gives for analysis, as it crosses the wire.
struct AnalyticsDataTests {
    /// Data with one change to what crosses the wire.
    private static func changed(
        _ platform: AppClient.Platform = .iOS, _ change: (inout WireAnalyticsData) -> Void
    ) throws -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        let data = AnalyticsData(client: Sample.client(on: platform, using: &random))
        var wire = try WireAnalyticsData(serializedBytes: data.encoded())
        change(&wire)
        return try wire.serializedBytes()
    }

    private static let window = WireExposureWindow.with {
        $0.window.date = 1_790_000_000
        $0.window.scanInstances = [WireExposureWindow.ScanInstance()]
    }

    @Test(arguments: AppClient.Platform.allCases, 0..<20)
    func `what an app sends is read as it was meant`(platform: AppClient.Platform, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let data = Sample.data(on: platform, using: &random)
        #expect(try AnalyticsData(decoding: data.encoded(), from: platform) == data)
    }

    @Test func `fields have the numbers of cwa-ppa-server`() throws {
        // PPADataIOS: 2 risk {1 level high, 2 changed, 3 date}, 6 client {1 version {1: 3, 2: 1}, 2 system {1: 17}, 3 tag}, 7 user {1, 3}.
        let bytes: [UInt8] =
            [0x12, 10, 0x08, 3, 0x10, 1, 0x18, 0x80, 0xf7, 0xc4, 0xd5, 0x6]
            + [0x32, 13, 0x0a, 4, 0x08, 3, 0x10, 1, 0x12, 2, 0x08, 17, 0x1a, 1, 0x78]
            + [0x3a, 4, 0x08, 11, 0x18, 2]
        let data = try AnalyticsData(decoding: bytes, from: .iOS)
        #expect(data.risk?.encounters.level == .high)
        #expect(data.risk?.encounters.levelChanged == true)
        #expect(data.risk?.encounters.mostRecentDay == Day(number: 20_717))
        #expect(data.client == AppClient(version: .init(3, 1, 0), system: .iOS(.init(17, 0, 0)), configurationTag: "x"))
        #expect(data.user == UserGroup(federalState: 11, age: .to59))
    }

    @Test func `of many new encounters the first are kept, and too many are refused`() throws {
        for (sent, kept) in [(672, 672), (673, 672), (2688, 672)] {
            let bytes = try Self.changed { $0.exposureWindows = Array(repeating: Self.window, count: sent) }
            #expect(try AnalyticsData(decoding: bytes, from: .iOS).windows.count == kept)
        }
        let bytes = try Self.changed { $0.exposureWindows = Array(repeating: Self.window, count: 2689) }
        #expect(throws: DonationFlaw.data) { try AnalyticsData(decoding: bytes, from: .iOS) }
    }

    @Test(arguments: [0, 1, 15, 16])
    func `an encounter has one to fifteen scans`(count: Int) throws {
        var window = Self.window
        window.window.scanInstances = Array(repeating: .init(), count: count)
        let places: [(inout WireAnalyticsData) -> Void] = [
            { $0.exposureWindows = [window] },
            { $0.testResults = [.with { $0.exposureWindowsAtTestRegistration = [window] }] },
            { $0.testResults = [.with { $0.exposureWindowsUntilTestResult = [window] }] },
        ]
        for place in places {
            let bytes = try Self.changed(.iOS, place)
            let isRead = (try? AnalyticsData(decoding: bytes, from: .iOS)) != nil
            #expect(isRead == (1...15).contains(count))
        }
    }

    @Test func `impossible numbers are refused`() throws {
        let window = Self.window
        let impossible: [(inout WireAnalyticsData) -> Void] = [
            { $0.exposureRisks = [.init(), .init()] },
            { $0.exposureRisks = [.with { $0.riskLevel = .UNRECOGNIZED(4) }] },
            { $0.exposureRisks = [.with { $0.checkInRiskLevel = .UNRECOGNIZED(-1) }] },
            { $0.testResults = Array(repeating: .init(), count: 3) },
            { $0.testResults = [.with { $0.result = .UNRECOGNIZED(9) }] },
            { $0.keySubmissions = Array(repeating: .init(), count: 4) },
            { $0.keySubmissions = [.with { $0.kind = .UNRECOGNIZED(8) }] },
            { $0.keySubmissions = [.with { $0.lastSubmissionFlowScreen = .UNRECOGNIZED(6) }] },
            { $0.keySubmissions = [.with { $0.submittedWithCheckIns = .UNRECOGNIZED(3) }] },
            { $0.user.federalState = -1 }, { $0.user.federalState = 100 },
            { $0.user.administrativeUnit = -1 }, { $0.user.administrativeUnit = 100_000_000 },
            { $0.user.ageGroup = .UNRECOGNIZED(4) },
            { $0.client = .init([0xff]) },
        ]
        let windows: [(inout WireExposureWindow) -> Void] = [
            { $0.window.date = 0 }, { $0.window.date = 86_399 }, { $0.window.date = .max },
            { $0.window.reportType = .UNRECOGNIZED(6) },
            { $0.window.infectiousness = .UNRECOGNIZED(3) }, { $0.window.calibrationConfidence = 4 },
            { $0.transmissionRiskLevel = 9 }, { $0.transmissionRiskLevel = -1 }, { $0.normalizedTime = -1 },
            { $0.normalizedTime = .nan }, { $0.normalizedTime = .infinity },
        ]
        let inWindows = windows.map { change in
            { (data: inout WireAnalyticsData) in
                var window = window
                change(&window)
                data.exposureWindows = [window]
            }
        }
        for change in impossible + inWindows {
            let bytes = try Self.changed(.iOS, change)
            #expect(throws: DonationFlaw.self) { try AnalyticsData(decoding: bytes, from: .iOS) }
        }
        let usual = try Self.changed { $0.exposureWindows = [window] }
        #expect(throws: Never.self) { try AnalyticsData(decoding: usual, from: .iOS) }
    }

    @Test(arguments: ["", "\"65a1b2\"", String(repeating: "a", count: 64)])
    func `a tag of a configuration is short and printable`(tag: String) throws {
        for wrong in ["two words", "ümlaut", "\u{0}", String(repeating: "a", count: 65)] {
            let wire = WireAndroidClient.with { $0.appConfigurationTag = wrong }
            #expect(throws: DonationFlaw.data) { try AppClient(decoding: wire.serializedBytes(), on: .android) }
        }
        let wire = WireAndroidClient.with { $0.appConfigurationTag = tag }
        #expect(try AppClient(decoding: wire.serializedBytes(), on: .android).configurationTag == tag)
    }

    @Test func `-1 says that something never happened, and numbers without end are cut`() {
        #expect([-1, -100, 0, 12, 40_000].map { Elapsed($0).count } == [nil, nil, 0, 12, 32_767])
        #expect([nil, 0, 12].map { Elapsed($0).wire } == [-1, 0, 12])
        #expect([-1, 0, 86_399, 86_400, .max].map { Day(wireSeconds: $0)?.number } == [nil, nil, nil, 1, nil])
    }

    @Test func `a message that nests deeper than these is refused`() throws {
        let groups =
            (0..<40).flatMap { _ in [0xbb, 0x06] as [UInt8] } + (0..<40).flatMap { _ in [0xbc, 0x06] as [UInt8] }
        #expect(throws: DonationFlaw.unreadable) { try AnalyticsData(decoding: groups, from: .iOS) }
    }
}
