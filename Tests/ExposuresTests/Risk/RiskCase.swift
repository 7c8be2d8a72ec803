import ExposureKeys
import Exposures
import Foundation
import Testing

/// A case of `Fixtures/risk-cases.txt`, which says what its lines mean.
struct RiskCase: CustomTestStringConvertible, Sendable {
    let platform: Platform
    let windows: [ExposureWindow]
    let expected: Outcome
    let testDescription: String

    static let now = Day(number: 20_600).firstHour.advanced(by: 13).start
    private static let today = Day(containing: now)

    /// Level, encounters, last days and numbers of days, for low and high risk.
    struct Outcome: Equatable {
        let level: RiskLevel
        let encounters: [Int]
        let lastDays: [Int?]
        let days: [Int]
    }

    /// What our rules make of the windows.
    func outcome(
        of windows: [ExposureWindow]? = nil, by rules: RiskRules? = nil, on platform: Platform? = nil
    ) -> Outcome {
        let risk = ExposureRisk(
            windows ?? self.windows, by: rules ?? .published(self.platform), at: Self.now, on: platform ?? self.platform
        )
        let levels = [RiskLevel.low, .high]
        return Outcome(
            level: risk.level, encounters: levels.map(risk.encounters),
            lastDays: levels.map { risk.mostRecentDay(of: $0)?.distance(to: Self.today) },
            days: levels.map(risk.numberOfDays))
    }

    /// All cases of the file.
    static let all: [RiskCase] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fixtures/risk-cases.txt")
        let lines = (try? String(contentsOf: file, encoding: .utf8))?.split(separator: "\n") ?? []
        return lines.filter { !$0.hasPrefix("#") }.compactMap(RiskCase.init)
    }()

    private init?(line: Substring) {
        let parts = line.split(separator: "|", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
        guard parts.count == 4, ["android", "iOS"].contains(parts[0]) else { return nil }
        platform = parts[0] == "iOS" ? .iOS : .android
        windows = parts[1].split(separator: ";").flatMap(Self.windows)
        let numbers = parts[2].split(separator: " ").map { Int($0) }
        guard numbers.count == 7 else { return nil }
        expected = Outcome(
            level: numbers[0] == 2 ? .high : .low, encounters: numbers[1...2].compactMap(\.self),
            lastDays: Array(numbers[3...4]), days: numbers[5...6].compactMap(\.self))
        testDescription = "\(parts[0]): \(parts[3])"
    }

    private static func windows(_ text: Substring) -> [ExposureWindow] {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { $0.split(separator: " ") }
        let head = parts[0].compactMap { Int($0) }
        var times = 1
        var scans: [ScanInstance] = []
        for word in parts[1] {
            if word.hasPrefix("x") {
                times = Int(word.dropFirst()) ?? 0
            } else {
                let numbers = word.split(separator: "/").compactMap { Int($0) }
                scans.append(
                    ScanInstance(
                        minimumAttenuation: numbers[0], typicalAttenuation: numbers[1], seconds: numbers[2]))
            }
        }
        guard let reportType = ReportType(rawValue: head[1]), let infectiousness = Infectiousness(rawValue: head[2]),
            let confidence = CalibrationConfidence(rawValue: UInt8(head[3]))
        else { return [] }
        let window = ExposureWindow(
            day: today.advanced(by: -head[0]), reportType: reportType, infectiousness: infectiousness,
            calibrationConfidence: confidence, scans: scans)
        return Array(repeating: window, count: times)
    }
}

extension RiskRules {
    /// The configuration that stands in an app's file of cases.
    static func published(_ platform: Platform) -> RiskRules {
        switch platform {
        case .android: .shipped
        case .iOS:
            RiskRules(
                attenuationFilters: [], droppedLevels: [],
                attenuationWeights: [(0.0...55.0, 1), (55...63, 0.5), (63...73, 0.3)].map {
                    AttenuationWeight(attenuation: RiskRange($0, excludesMaximum: true), weight: $1)
                },
                perWindow: grades, perDay: grades, levelEncoding: shipped.levelEncoding,
                riskValues: shipped.riskValues, maximumDays: shipped.maximumDays)
        }
    }

    private static let grades = [
        RiskGrade(time: RiskRange(5...15, excludesMaximum: true), level: .low),
        RiskGrade(time: RiskRange(15...9999), level: .high),
    ]
}
