import FoundationEssentials
import SwiftProtobuf

/// What a person gives for analysis, at most once a day (cwa-ppa-server, `PPADataIOS` and `PPADataAndroid`).
package struct AnalyticsData: Hashable, Sendable {
    /// How high the person's risk was, and how it changed since the last donation.
    package var risk: DonatedRisk?
    /// The encounters that are new since then, ``mostWindows`` at most.
    package var windows: [DonatedWindow]
    /// Results of tests, ``mostTests`` at most.
    package var tests: [DonatedTestResult]
    /// How the person came to upload keys, or not, ``mostSubmissions`` at most.
    package var submissions: [DonatedKeySubmission]
    /// The app and its phone.
    package var client: AppClient
    /// Where the person lives, and how old the person is.
    package var user: UserGroup

    /// What is kept of new encounters; the rest is dropped (cwa-ppa-server, `ppac.max-exposure-windows-to-store`).
    package static let mostWindows = 672
    /// More than these are refused (`ppac.max-exposure-windows-to-reject-submission`).
    package static let mostWindowsSent = 2688
    /// One for each kind of test.
    package static let mostTests = 2
    /// One for each kind of test, and a self-report.
    package static let mostSubmissions = 3
    /// Messages that contain each other, the outermost included.
    private static let depth = 5

    /// Data from their parts.
    package init(
        risk: DonatedRisk? = nil, windows: [DonatedWindow] = [], tests: [DonatedTestResult] = [],
        submissions: [DonatedKeySubmission] = [], client: AppClient, user: UserGroup = UserGroup()
    ) {
        self.risk = risk
        self.windows = windows
        self.tests = tests
        self.submissions = submissions
        self.client = client
        self.user = user
    }

    /// Reads a payload.
    package init(decoding payload: [UInt8], from platform: AppClient.Platform) throws(DonationFlaw) {
        let message: WireAnalyticsData = try .read(payload, depth: Self.depth)
        guard message.exposureRisks.count <= 1, message.exposureWindows.count <= Self.mostWindowsSent,
            message.testResults.count <= Self.mostTests, message.keySubmissions.count <= Self.mostSubmissions
        else { throw .data }
        windows = []
        for window in message.exposureWindows.prefix(Self.mostWindows) { windows.append(try DonatedWindow(window)) }
        tests = []
        for test in message.testResults { tests.append(try DonatedTestResult(test)) }
        submissions = []
        for submission in message.keySubmissions { submissions.append(try DonatedKeySubmission(submission)) }
        if let first = message.exposureRisks.first { risk = try DonatedRisk(first) }
        client = try AppClient(decoding: Array(message.client), on: platform)
        user = try UserGroup(message.user)
    }

    /// As a request has it.
    package func encoded() throws(DonationFlaw) -> [UInt8] {
        let client = try client.encoded()
        return try WireAnalyticsData.with {
            $0.exposureRisks = risk.map { [$0.wire] } ?? []
            $0.exposureWindows = windows.map(\.wire)
            $0.testResults = tests.map(\.wire)
            $0.keySubmissions = submissions.map(\.wire)
            $0.client = Data(client)
            $0.user = user.wire
        }.written()
    }
}

// MARK: Numbers of the wire

/// Hours or days since something; nil if it never happened, for which apps send -1.
///
/// An app whose clock was wrong may send any number. It is cut to what fits into two bytes: nobody counts further.
struct Elapsed {
    let count: Int16?

    init(_ wire: Int32) { count = wire < 0 ? nil : Int16(clamping: wire) }

    init(_ count: Int16?) { self.count = count }

    var wire: Int32 { count.map { Int32($0) } ?? -1 }
}

extension SwiftProtobuf.Enum where RawValue == Int {
    /// One of the values of which the app's and this enumeration have the same numbers.
    func value<Value: RawRepresentable>() throws(DonationFlaw) -> Value where Value.RawValue == Int16 {
        guard let value = Value(rawValue: Int16(clamping: rawValue)) else { throw .data }
        return value
    }
}
